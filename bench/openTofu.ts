import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Emulator } from "../emulator";
import type { Life } from "./lives";
import { timed } from "./measure";
import { needOpenTofu } from "./openTofuBuild";

/**
 * The same numbers as resources of a generic REST provider, as well as it can be set up for a platform that has no GET:
 *
 * - `write_returns_object`, since the provider would otherwise read each number back after writing it
 * - `-refresh=false` in every run, since a plan would otherwise begin with a read of each number, which fails
 * - PUT for a create, an update and a destroy, with the numbers' own identity in the path
 * - as many requests at a time as Pulumi has by default
 */
const configuration = (numbers: readonly string[], weight: number, url: string): string => `
terraform {
  required_providers {
    restapi = { source = "mastercard/restapi" }
  }
}

variable "token" {
  type      = string
  sensitive = true
}

provider "restapi" {
  uri                  = ${JSON.stringify(url)}
  headers              = { Authorization = "Bearer \${var.token}", "Content-Type" = "application/json" }
  create_method        = "PUT"
  update_method        = "PUT"
  destroy_method       = "PUT"
  write_returns_object = true
}

resource "restapi_object" "line" {
  for_each     = toset(${JSON.stringify(numbers)})
  object_id    = each.key
  path         = "/api/numbers/\${urlencode(each.key)}/agent"
  create_path  = "/api/numbers/\${urlencode(each.key)}/agent"
  update_path  = "/api/numbers/\${urlencode(each.key)}/agent"
  destroy_path = "/api/numbers/\${urlencode(each.key)}/agent"
  data = jsonencode({
    inboundAgents = [
      { agent_id = "agent_front", agent_version = 12, weight = ${weight} },
      { agent_id = "agent_front", agent_version = 13, weight = ${100 - weight} },
    ]
  })
  destroy_data = jsonencode({ inboundAgents = [] })
}
`;

const always = ["-auto-approve", "-refresh=false", "-input=false", "-no-color", "-parallelism=16"];

export async function openTofuLife(numbers: readonly string[], emulator: Emulator): Promise<Life> {
  const tools = await needOpenTofu();
  const root = mkdtempSync(join(tmpdir(), "agent-platform-tofu-"));
  const folder = join(root, "project");
  const settings = join(root, "tofu.rc");
  mkdirSync(folder);
  // No registry is asked, and no `tofu init` is needed.
  writeFileSync(
    settings,
    `provider_installation {
  dev_overrides { "mastercard/restapi" = ${JSON.stringify(tools)} }
  direct {}
}\n`,
  );
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("TF_"));
  const env = {
    ...Object.fromEntries(inherited),
    HOME: root,
    TF_CLI_CONFIG_FILE: settings,
    TF_IN_AUTOMATION: "1",
    TF_VAR_token: emulator.token,
  };
  const seconds = async (command: string): Promise<number> => {
    const options = { cwd: folder, env, maxBuffer: 2 ** 30 };
    return (await timed(() => promisify(execFile)(join(tools, "tofu"), [command, ...always], options))) / 1000;
  };
  return {
    up(weight) {
      writeFileSync(join(folder, "main.tf"), configuration(numbers, weight, emulator.url));
      return seconds("apply");
    },
    destroy: () => seconds("destroy"),
    stateBytes: () => statSync(join(folder, "terraform.tfstate")).size,
    remove: async () => rmSync(root, { recursive: true, force: true }),
  };
}
