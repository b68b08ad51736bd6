import type { ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { nameOf } from "../../provider/base/engine";
import { type Engine, findOrInstallEngine, withoutSettings } from "../../tools/engine/engine";
import { type EngineProcess, killAll, PATIENCE_MS, processesWith } from "./engineProcesses";
import { type Config, newProject, type Project, quickStart, writeConfig, writeProgram } from "./engineProject";
import { type Result, type RunOptions, start } from "./engineRun";

export { repository } from "./repository";
export type { Config, EngineProcess, Result };

export interface StackOptions {
  /** TypeScript or JavaScript, which imports "pulumi-agent-platform" and "@pulumi/pulumi" by name. */
  readonly program?: string;
  /** A project folder to use as it is, an example for instance, instead of a program. */
  readonly existing?: string;
  readonly config?: Config;
  /** Joins the environment of every run. Nothing named PULUMI_… or AGENT_PLATFORM_… comes from outside. */
  readonly env?: Readonly<Record<string, string>>;
  readonly projectName?: string;
  readonly packages?: string | undefined;
}

export interface CommandOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Without it an exit code other than 0 throws, and with it 0 does. */
  readonly expectFailure?: boolean;
  /** Either exit code will do. */
  readonly mayFail?: boolean;
  readonly onOutput?: (text: string) => void;
  /** @default less than a test may take */
  readonly timeoutMs?: number;
}

export interface ResourceState {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly provider?: string;
  readonly delete?: boolean;
  readonly protect?: boolean;
  readonly initErrors?: readonly string[];
}
interface Deployment {
  readonly resources?: readonly (Omit<ResourceState, "name"> & { readonly custom: boolean })[];
  readonly pending_operations?: readonly { readonly type: string; readonly resource: { readonly urn: string } }[];
}
export interface StackState {
  readonly version: number;
  readonly deployment: Deployment | null;
}

export interface Spawned {
  readonly child: ChildProcess;
  readonly result: Promise<Result>;
  /** All processes of this run that are alive now, of any parent. Linux only. */
  processes(): EngineProcess[];
}
type Command = (options?: CommandOptions) => Promise<Result>;
export type Stack = Awaited<ReturnType<typeof newStack>>;

let engine: Promise<Engine> | undefined;
const always = ["--non-interactive", "--color", "never"];
const quick = "--suppress-progress";

/** Gives the stack to the test and removes it with all its processes, also if the test fails. */
export async function withStack(options: StackOptions, test: (stack: Stack) => Promise<void>): Promise<void> {
  const stack = await newStack(options);
  try {
    await test(stack);
  } catch (error) {
    // Without it, a failed assertion would say nothing of what the engine said.
    process.stderr.write(`\n--- the last output of pulumi ---\n${stack.lastOutput()}\n`);
    throw error;
  } finally {
    await stack.remove();
  }
}

export async function newStack(options: StackOptions) {
  engine ??= findOrInstallEngine();
  const { directory } = await engine;
  const project = newProject(options);
  let config = options.config ?? {};
  let runs = 0;
  let output = "";

  writeConfig(project, config);
  if (options.program !== undefined) {
    writeProgram(project, options.program);
  }

  function launch(
    args: readonly string[],
    { env, onOutput, timeoutMs = PATIENCE_MS }: CommandOptions,
    events: boolean,
  ) {
    runs += 1;
    const eventLog = join(project.root, `events-${runs}.json`);
    const temporary = join(project.root, `temporary-${runs}`);
    mkdirSync(temporary);
    const runOptions: RunOptions = {
      cwd: project.directory,
      env: environment(directory, project, { TMPDIR: temporary, ...options.env, ...env }),
      timeoutMs,
      ...(events && { eventLog }),
      onOutput,
      onTimeout: () => killAll(processes()),
    };
    const eventArgs = events ? ["--event-log", eventLog] : [];
    return start(join(directory, "pulumi"), [...args, ...always, ...eventArgs], runOptions);
  }

  async function run(args: readonly string[], commandOptions: CommandOptions = {}, events = false): Promise<Result> {
    const result = await launch(args, commandOptions, events).result;
    output = result.output;
    if (commandOptions.mayFail || (result.exitCode !== 0) === (commandOptions.expectFailure === true)) {
      return result;
    }
    const wanted = commandOptions.expectFailure ? "to fail" : "to succeed";
    throw new Error(`expected pulumi ${args.join(" ")} ${wanted}, exit code ${result.exitCode}\n${result.output}`);
  }

  const onStack = ["--stack", project.stackName, "--config-file", project.configFile];
  const command =
    (name: string, ...more: string[]): Command =>
    (commandOptions = {}) =>
      run([name, ...onStack, ...more, ...(commandOptions.args ?? [])], commandOptions, true);

  const preview = command("preview", quick);
  const processes = () => processesWith("PULUMI_HOME", project.env.PULUMI_HOME ?? "");

  function spawned(args: readonly string[], commandOptions: CommandOptions = {}): Spawned {
    const [name = "", ...rest] = args;
    const { child, result } = launch([name, ...onStack, ...rest], commandOptions, false);
    return { child, result, processes };
  }

  function state(): StackState {
    const { version, checkpoint } = JSON.parse(readFileSync(project.stateFile, "utf8")) as Checkpoint;
    return { version, deployment: checkpoint.latest };
  }

  return {
    project,
    /** The next version of the program. */
    write: (program: string) => writeProgram(project, program),
    /** Joins what is set; undefined takes a key away. */
    setConfig(changes: Config): void {
      config = { ...config, ...changes };
      writeConfig(project, config);
    },
    up: command("up", "--yes", "--skip-preview", quick),
    refresh: command("refresh", "--yes", "--skip-preview", quick),
    destroy: command("destroy", "--yes", "--skip-preview", quick),
    preview: ({ diff, json, args = [], ...rest }: CommandOptions & { diff?: boolean; json?: boolean } = {}) =>
      preview({ ...rest, args: [...args, ...(diff ? ["--diff"] : []), ...(json ? ["--json"] : [])] }),
    /** Any other command; `--stack` and `--config-file` are for the caller to add if the command knows them. */
    run: (args: readonly string[], commandOptions?: CommandOptions) => run(args, commandOptions),
    /** For kill tests: the CLI as a child process, with `--stack` and nothing else added. */
    spawn: spawned,
    /** As the state file holds it, secrets encrypted: what `pulumi stack export` prints, without starting it. */
    export: state,
    /** The whole file, to search it for what must not be there. */
    stateText: () => readFileSync(project.stateFile, "utf8"),
    /** What `pulumi stack import` leaves, without starting it. */
    import({ version, deployment }: StackState): void {
      const { checkpoint } = JSON.parse(readFileSync(project.stateFile, "utf8")) as Checkpoint;
      writeFileSync(project.stateFile, JSON.stringify({ version, checkpoint: { ...checkpoint, latest: deployment } }));
    },
    /** The resources of ours, without their providers. */
    resources: (): ResourceState[] =>
      (state().deployment?.resources ?? [])
        .filter(({ type }) => /^pulumi-nodejs:/.test(type))
        .map((resource) => ({ ...resource, name: nameOf(resource.urn) })),
    processes,
    lastOutput: () => output,
    async remove(): Promise<void> {
      for (let alive = processes(); alive.length > 0; alive = processes()) {
        killAll(alive);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      rmSync(project.root, { recursive: true, force: true });
    },
  };
}

interface Checkpoint {
  readonly version: number;
  readonly checkpoint: { readonly latest: Deployment | null };
}

/**
 * Hermetic: settings of the developer's shell would make a test pass or fail for one person only. So would the mark of a program that failed,
 * were it in one folder for all runs: it is named by the engine's address, and Linux has but some 7,000 of these.
 */
export function environment(engineDirectory: string, project: Project, more: Readonly<Record<string, string>>) {
  return {
    ...withoutSettings(process.env),
    PATH: [engineDirectory, process.env.PATH].join(delimiter),
    // The event log is hidden behind it; it changes nothing else of these commands.
    PULUMI_DEBUG_COMMANDS: "true",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_DISABLE_CI_DETECTION: "true",
    PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
    ...quickStart,
    ...project.env,
    ...more,
  };
}
