import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Environment } from "../../../provider/core/settings";
import { UsageError } from "../../io";
import type { Language } from "../../language";
import { withoutSettings } from "../../pulumi/child";

/** A folder with a project, its state and its own home for Pulumi: removed, nothing of the stack is left. */
export interface Scratch {
  readonly directory: string;
  env(outside: Environment, cli: string, token: string): Record<string, string>;
  write(program: string): void;
  remove(): void;
}

const PROJECT = "agent-platform-try";

export function createScratch(stack: string, baseUrl: string, language: Language): Scratch {
  const packages = locatePackages();
  const root = realpathSync(mkdtempSync(join(tmpdir(), `${PROJECT}-`)));
  const remove = () => rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  const directory = join(root, "project");
  try {
    for (const folder of [directory, join(root, "state"), join(root, "tmp")]) {
      mkdirSync(folder);
    }
    // Above the project, where Node finds them too: the engine walks through every file below it.
    for (const [name, target] of packages) {
      link(join(root, "node_modules", name), target);
    }
    const config = {
      "agent-platform:baseUrl": baseUrl,
      "agent-platform:workspaceId": 42,
      "agent-platform:maxShift": 25,
    };
    // JSON is YAML.
    writeFileSync(join(directory, "Pulumi.yaml"), JSON.stringify({ name: PROJECT, runtime: "nodejs" }));
    writeFileSync(join(directory, `Pulumi.${stack}.yaml`), JSON.stringify({ config }));
    writeFileSync(join(directory, "package.json"), JSON.stringify({ name: PROJECT, main: "index.js" }));
  } catch (error) {
    remove();
    throw error;
  }
  return {
    directory,
    env: (outside, cli, token) => ({
      ...withoutSettings(outside),
      PATH: [dirname(cli), outside.PATH].filter(Boolean).join(delimiter),
      // The provider's processes share files of one run there.
      ...Object.fromEntries(["TMPDIR", "TMP", "TEMP"].map((name) => [name, join(root, "tmp")])),
      PULUMI_HOME: join(root, "home"),
      PULUMI_BACKEND_URL: `file://${join(root, "state").replaceAll("\\", "/")}`,
      PULUMI_CONFIG_PASSPHRASE: "",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      AGENT_PLATFORM_ACCESS_TOKEN: token,
    }),
    write: (program) =>
      language === "yaml"
        ? writeFileSync(join(directory, "Pulumi.yaml"), `${yamlHead(packages)}${program}`)
        : writeFileSync(join(directory, "index.js"), program),
    remove,
  };
}

/** The plugin of this installation, so that none has to be installed. */
function yamlHead(packages: ReadonlyMap<string, string>): string {
  const path = join(packages.get("pulumi-agent-platform") ?? "", "plugin");
  const plugins = { providers: [{ name: "agent-platform", path }] };
  return `name: ${PROJECT}\nruntime: yaml\nplugins: ${JSON.stringify(plugins)}\n`;
}

/** Of this installation, so that nothing has to be downloaded. */
function locatePackages(): ReadonlyMap<string, string> {
  return new Map(
    ["pulumi-agent-platform", "@pulumi/pulumi"].map((name) => {
      try {
        return [name, dirname(require.resolve(`${name}/package.json`))];
      } catch {
        throw new UsageError(`${name} is not installed here. Run \`npm install ${name}\`, then this again.`);
      }
    }),
  );
}

/** A junction needs no rights of an administrator on Windows; elsewhere the word has no meaning. */
function link(path: string, target: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path, "junction");
}
