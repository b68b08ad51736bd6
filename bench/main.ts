import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import sdk from "@pulumi/pulumi/package.json";
import { type Emulator, startEmulator } from "../emulator";
import { newStack } from "../test/support/engine";
import { withProgress } from "../tools/engine/child";
import { goBuild, needGo } from "../tools/engine/downloadOrBuild";
import { endWith, findOrInstallEngine } from "../tools/engine/engine";
import { placeOnce } from "../tools/engine/install";

/**
 * Compares this package's speed with that of OpenTofu and a generic REST provider. Run it with
 * `npm run bench [-- --sizes 10,100,1000] [--alone]`. `--alone` leaves out OpenTofu, which has to be built with Go.
 */

/** A set of phone numbers that is managed with one of the tools being compared. */
interface Life {
  /** Assigns all numbers, giving this weight to the first of two agents. */
  up(weight: number): Promise<unknown>;
  destroy(): Promise<unknown>;
  remove(): Promise<void>;
}

/** One of the tools being compared, or one of our two resources. */
interface Way {
  /** The largest size to measure. More numbers would take minutes. */
  readonly maxSize?: number;
  start(numbers: readonly string[], emulator: Emulator): Promise<Life>;
}

const STEPS: Readonly<Record<string, (life: Life) => Promise<unknown>>> = {
  "first run": (life) => life.up(90),
  "no change": (life) => life.up(90),
  "another split": (life) => life.up(70),
};

// --- the ways

const splitOf = (weight: number) => ({ "agent_front@12": weight, "agent_front@13": 100 - weight });

const groupProgram = (numbers: readonly string[], weight: number): string =>
  `import { NumberGroup, split } from "pulumi-agent-platform";
new NumberGroup("fleet", { numbers: ${JSON.stringify(numbers)}, inboundAgents: split(${JSON.stringify(splitOf(weight))}) });`;

const assignmentsProgram = (numbers: readonly string[], weight: number): string =>
  `import { NumberAssignment, split } from "pulumi-agent-platform";
for (const number of ${JSON.stringify(numbers)}) {
  new NumberAssignment(number, { number, inboundAgents: split(${JSON.stringify(splitOf(weight))}) });
}`;

const withPulumi = (programOf: (numbers: readonly string[], weight: number) => string): Way["start"] =>
  async function start(numbers, emulator) {
    const stack = await newStack({
      program: programOf(numbers, 90),
      config: { "agent-platform:baseUrl": emulator.url },
      // Don't let the developer's own Node options affect the measurement.
      env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token, NODE_OPTIONS: "" },
    });
    const { stackName, configFile } = stack.project;
    /** Runs a plain command, without the event log that the tests read. */
    const pulumi = (...args: readonly string[]) =>
      stack.run([...args, "--yes", "--skip-preview", "--stack", stackName, "--config-file", configFile], {
        timeoutMs: 3_600_000,
      });
    return {
      up(weight) {
        stack.write(programOf(numbers, weight));
        return pulumi("up");
      },
      destroy: () => pulumi("destroy"),
      remove: stack.remove,
    };
  };

/**
 * Configures the provider as favorably as possible for a platform without a GET. `write_returns_object` keeps it from
 * reading each number after a write.
 */
const peerProvider = (url: string): string => `
provider "restapi" {
  uri                  = ${JSON.stringify(url)}
  headers              = { Authorization = "Bearer \${var.token}", "Content-Type" = "application/json" }
  create_method        = "PUT"
  update_method        = "PUT"
  destroy_method       = "PUT"
  write_returns_object = true
}
variable "token" {
  type      = string
  sensitive = true
}`;

/** One resource with `count`. Of the ways in which a user could write this, it was the fastest. */
const peerConfiguration = (url: string, numbers: readonly string[], weight: number): string => `
terraform {
  required_providers {
    restapi = { source = "mastercard/restapi" }
  }
}
${peerProvider(url)}
locals {
  numbers = ${JSON.stringify(numbers)}
}
resource "restapi_object" "number" {
  count        = length(local.numbers)
  object_id    = local.numbers[count.index]
  path         = "/api/numbers/\${urlencode(local.numbers[count.index])}/agent"
  create_path  = "/api/numbers/\${urlencode(local.numbers[count.index])}/agent"
  update_path  = "/api/numbers/\${urlencode(local.numbers[count.index])}/agent"
  destroy_path = "/api/numbers/\${urlencode(local.numbers[count.index])}/agent"
  data = jsonencode({
    inboundAgents = [
      { agent_id = "agent_front", agent_version = 12, weight = ${weight} },
      { agent_id = "agent_front", agent_version = 13, weight = 100 - ${weight} },
    ]
  })
  destroy_data = jsonencode({ inboundAgents = [] })
}`;

const withOpenTofu: Way["start"] = async (numbers, emulator) => {
  const tools = await needOpenTofu();
  const cwd = mkdtempSync(join(tmpdir(), "agent-platform-tofu-"));
  const settings = join(cwd, "tofu.rc");
  // With this override, OpenTofu needs neither a registry nor `tofu init`.
  const overrides = `dev_overrides { "mastercard/restapi" = ${JSON.stringify(tools)} }`;
  writeFileSync(settings, `provider_installation {\n  ${overrides}\n  direct {}\n}\n`);
  const env = { ...process.env, HOME: cwd, TF_CLI_CONFIG_FILE: settings, TF_VAR_token: emulator.token };
  // Don't read each number before a change, and send as many requests in parallel as our provider.
  const always = ["-auto-approve", "-refresh=false", "-input=false", "-no-color", "-parallelism=16"];
  const tofu = (command: string) =>
    promisify(execFile)(join(tools, "tofu"), [command, ...always], { cwd, env, maxBuffer: 2 ** 30 });
  return {
    up(weight) {
      writeFileSync(join(cwd, "main.tf"), peerConfiguration(emulator.url, numbers, weight));
      return tofu("apply");
    },
    destroy: () => tofu("destroy"),
    remove: async () => rmSync(cwd, { recursive: true, force: true }),
  };
};

const PEER = "OpenTofu and restapi";
const WAYS: Readonly<Record<string, Way>> = {
  [PEER]: { start: withOpenTofu },
  NumberGroup: { start: withPulumi(groupProgram) },
  NumberAssignment: { start: withPulumi(assignmentsProgram), maxSize: 100 },
};

// --- OpenTofu and its provider, built from Go modules with the checksums below and those in their go.sum

const TOOLS = [
  {
    file: "terraform-provider-restapi",
    module: "github.com/Mastercard/terraform-provider-restapi",
    version: "v1.20.0",
    sum: "h1:z4kPtDZgG1HmLsawE4SzP1PxPyz2hAHxwkrHMuRvFrA=",
    package: ".",
    linkerFlags: "-s -w",
  },
  {
    file: "tofu",
    module: "github.com/opentofu/opentofu",
    version: "v1.10.10",
    sum: "h1:ELFHOkY0x/bHvkgBP4KK3i7Y19CSFuHOyeZOLc0cqWY=",
    package: "./cmd/tofu",
    // Release builds set this; otherwise every run warns that it is a development version.
    linkerFlags: "-s -w -X github.com/opentofu/opentofu/version.dev=no",
  },
] as const;

/** Returns the folder with both tools. It is outside the repository, and they are built once per machine. */
async function needOpenTofu(): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const folder = join(cache, "pulumi-agent-platform-bench", TOOLS.map(({ file, version }) => file + version).join("-"));
  for (const tool of TOOLS) {
    await placeOnce(
      folder,
      tool.file,
      async (staging, signal, say) => {
        await needGo(staging, signal);
        await withProgress(`building ${tool.file} ${tool.version} with Go (once per machine, minutes)`, say, async () =>
          goBuild({ ...tool, module: await downloaded(tool, staging) }, staging, signal),
        );
      },
      console.error,
    );
  }
  return folder;
}

/**
 * Returns the folder with the module's source. `go install` won't work, because it refuses modules with replace
 * directives.
 */
async function downloaded({ module, version, sum }: (typeof TOOLS)[number], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)("go", ["mod", "download", "-json", `${module}@${version}`], {
    cwd,
    env: { ...process.env, GOWORK: "off" },
  });
  const found = JSON.parse(stdout) as { readonly Dir: string; readonly Sum: string };
  assert.equal(found.Sum, sum, `the checksum of ${module} ${version}`);
  return found.Dir;
}

// --- the table

/**
 * Measures each step in seconds. Checks the platform's state afterwards, so that a run that did nothing isn't measured.
 */
async function secondsOf({ start }: Way, size: number): Promise<number[]> {
  const numbers = Array.from({ length: size }, (_, index) => `+1555${1_000_000 + index}`);
  const emulator = await startEmulator();
  const life = await start(numbers, emulator);
  try {
    const seconds: number[] = [];
    for (const step of Object.values(STEPS)) {
      const begun = performance.now();
      await step(life);
      seconds.push((performance.now() - begun) / 1000);
    }
    assert.equal(emulator.requests.length, 2 * size);
    for (const number of numbers) {
      assert.deepEqual(emulator.routing(number)?.inboundAgents, splitOf(70));
    }
    await life.destroy();
    return seconds;
  } finally {
    await life.remove();
    await emulator.close();
  }
}

const shown = (seconds: number): string => `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;

/**
 * Returns the time relative to OpenTofu's (`peer`), which depends less on the machine than seconds do. Without `peer`,
 * returns the seconds.
 */
const cell = (seconds: number | undefined, peer: number | undefined): string => {
  if (seconds === undefined) {
    return "";
  }
  return peer === undefined ? shown(seconds) : (seconds / peer).toFixed(2);
};

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** Returns one row per step. If OpenTofu is measured, the other columns are relative to it. */
async function rowsOf(size: number, ways: readonly (readonly [string, Way])[]) {
  const measured: (readonly [name: string, seconds: readonly number[]])[] = [];
  for (const [name, { maxSize = size, start }] of ways) {
    measured.push([name, size > maxSize ? [] : await secondsOf({ start }, size)]);
  }
  return Object.keys(STEPS).map((step, index) => {
    const peer = measured.find(([name]) => name === PEER)?.[1][index];
    const cells = measured.map(([name, seconds]) => cell(seconds[index], name === PEER ? undefined : peer));
    return [size.toLocaleString("en-US"), step, ...cells];
  });
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      sizes: { type: "string", default: "10,100,1000" },
      alone: { type: "boolean", default: false },
    },
  });
  const ways = Object.entries(WAYS).filter(([name]) => !(values.alone && name === PEER));
  const engine = await findOrInstallEngine();
  // Fail early: building takes minutes, and measuring takes an hour.
  await (values.alone ? undefined : needOpenTofu());
  console.log(row(["numbers", "", ...ways.map(([name]) => name)]));
  console.log(row(["---", "---", ...ways.map(() => "---")]));
  for (const size of values.sizes.split(",").map(Number)) {
    for (const cells of await rowsOf(size, ways)) {
      console.log(row(cells));
    }
  }
  const peer = values.alone ? "" : TOOLS.map(({ file, version }) => `, ${file} ${version}`).join("");
  const machine = `${cpus().length} cores (${cpus()[0]?.model ?? "?"}), Node ${process.version}`;
  console.log(`\nOne run. ${machine}, Pulumi CLI ${engine.version}, SDK ${sdk.version}${peer}.`);
  return 0;
}

endWith(main());
