import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runChild, withoutSettings } from "../../cli/pulumi/child";
import { type Engine, pathWith } from "../engine/engine";

const repository = resolve(__dirname, "../..");

export interface Run {
  readonly output: string;
  readonly seconds: number;
}

/** A stack of its own in a temporary folder: a copy of an example, its state and its config. */
export interface DemoStack {
  /** Changes the program's text, as a developer would. Throws where the text is not there. */
  edit(from: string, to: string): void;
  setConfig(key: string, value: string): void;
  /** Runs the CLI; throws with its whole output where it fails. */
  pulumi(...args: string[]): Promise<Run>;
  /** Does anything that the runs printed or left in a file hold the text? */
  holds(text: string): boolean;
  remove(): void;
}

/** The signal ends a run that is under way, and lets no other begin. */
export function newDemoStack(
  example: string,
  engine: Engine,
  settings: Readonly<Record<string, string>>,
  signal: AbortSignal,
): DemoStack {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-demo-")));
  const project = join(root, "project");
  const state = join(root, "state");
  const configFile = join(root, "Pulumi.demo.yaml");
  const config: Record<string, string> = {};
  cpSync(join(repository, "examples", example), project, { recursive: true });
  // Above the project: the engine walks through every file below it.
  symlinkSync(join(repository, "node_modules"), join(root, "node_modules"), "dir");
  mkdirSync(state);
  writeConfig();

  const env = {
    ...withoutSettings(process.env),
    ...settings,
    PATH: pathWith(engine, process.env.PATH),
    PULUMI_HOME: join(root, "home"),
    PULUMI_BACKEND_URL: `file://${state}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    // `npm run check` has seen the types; the demo need not wait for them at every step.
    PULUMI_NODEJS_TRANSPILE_ONLY: "true",
  };
  let printed = "";

  function writeConfig(): void {
    const entries = Object.entries(config).map(([key, value]) => [`${example}:${key}`, value]);
    writeFileSync(configFile, JSON.stringify({ config: Object.fromEntries(entries) }));
  }

  return {
    edit(from, to) {
      const file = join(project, "index.ts");
      const text = readFileSync(file, "utf8");
      if (!text.includes(from)) {
        throw new Error(`the program does not hold ${from}`);
      }
      writeFileSync(
        file,
        text.replace(from, () => to),
      );
    },
    setConfig(key, value) {
      config[key] = value;
      writeConfig();
    },
    async pulumi(...args) {
      const startedAt = performance.now();
      const all = [...args, "--non-interactive", "--color", "never"];
      if (args[0] !== "stack") {
        all.push("--stack", "demo", "--config-file", configFile);
      }
      let output = "";
      const onOutput = (text: string) => {
        output += text;
        printed += text;
      };
      const exitCode = await runChild(join(engine.directory, "pulumi"), all, { cwd: project, env, onOutput, signal });
      if (exitCode !== 0) {
        throw new Error(`pulumi ended with exit code ${exitCode}:\n${output}`);
      }
      return { output, seconds: (performance.now() - startedAt) / 1000 };
    },
    holds: (text) =>
      printed.includes(text) ||
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(text)),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
