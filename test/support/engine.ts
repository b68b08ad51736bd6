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
  /** TypeScript or JavaScript source that imports "pulumi-agent-platform" and "@pulumi/pulumi" by name. */
  readonly program?: string;
  /** An existing project folder to use in place of `program`, such as an example. Nothing is written into it. */
  readonly existing?: string;
  readonly config?: Config;
  /**
   * Environment variables for every run. Variables of the test process whose names start with PULUMI_ or
   * AGENT_PLATFORM_ are not passed on.
   */
  readonly env?: Readonly<Record<string, string>>;
  readonly projectName?: string;
  /** A `node_modules` folder with this package and a different version of the Pulumi SDK. */
  readonly packages?: string | undefined;
}

export interface CommandOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the command must fail. An unexpected success or failure throws an error. @default false */
  readonly expectFailure?: boolean;
  /** Whether any exit code is accepted. @default false */
  readonly mayFail?: boolean;
  readonly onOutput?: (text: string) => void;
  /** @default PATIENCE_MS, which is shorter than a test's timeout */
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
  /** Returns all of the stack's running processes, including orphaned ones. Works only on Linux. */
  processes(): EngineProcess[];
}
type Command = (options?: CommandOptions) => Promise<Result>;
export type Stack = Awaited<ReturnType<typeof newStack>>;

let engine: Promise<Engine> | undefined;
const commonArgs = ["--non-interactive", "--color", "never"];
const noProgress = "--suppress-progress";

/** Runs a test with a new stack. Removes the stack and kills its processes afterwards, even if the test fails. */
export async function withStack(options: StackOptions, test: (stack: Stack) => Promise<void>): Promise<void> {
  const stack = await newStack(options);
  try {
    await test(stack);
  } catch (error) {
    // A failed assertion doesn't show the engine's output, so print it.
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
    // Each run has its own temporary folder, because a failed program leaves a file there, named after its engine's
    // address. In a shared folder, a later run whose engine got the same address would count as failed.
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
    return start(join(directory, "pulumi"), [...args, ...commonArgs, ...eventArgs], runOptions);
  }

  async function run(args: readonly string[], commandOptions: CommandOptions = {}, events = false): Promise<Result> {
    const result = await launch(args, commandOptions, events).result;
    output = result.output;
    if (commandOptions.mayFail || (result.exitCode !== 0) === (commandOptions.expectFailure === true)) {
      return result;
    }
    const expected = commandOptions.expectFailure ? "to fail" : "to succeed";
    throw new Error(
      `expected pulumi ${args.join(" ")} ${expected}, but its exit code was ${result.exitCode}\n${result.output}`,
    );
  }

  const onStack = ["--stack", project.stackName, "--config-file", project.configFile];
  const command =
    (name: string, ...fixedArgs: string[]): Command =>
    (commandOptions = {}) =>
      run([name, ...onStack, ...fixedArgs, ...(commandOptions.args ?? [])], commandOptions, true);

  const preview = command("preview", noProgress);
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
    /** Replaces the program. */
    write: (program: string) => writeProgram(project, program),
    /** Sets these keys in the stack's config, and removes those whose value is undefined. */
    setConfig(changes: Config): void {
      config = { ...config, ...changes };
      writeConfig(project, config);
    },
    up: command("up", "--yes", "--skip-preview", noProgress),
    refresh: command("refresh", "--yes", "--skip-preview", noProgress),
    destroy: command("destroy", "--yes", "--skip-preview", noProgress),
    preview: ({ diff, json, args = [], ...rest }: CommandOptions & { diff?: boolean; json?: boolean } = {}) =>
      preview({ ...rest, args: [...args, ...(diff ? ["--diff"] : []), ...(json ? ["--json"] : [])] }),
    /** Runs any other command. The caller adds `--stack` and `--config-file` if the command has these options. */
    run: (args: readonly string[], commandOptions?: CommandOptions) => run(args, commandOptions),
    /**
     * Starts a command on this stack without waiting for it, so that a test can kill it. The CLI writes no event log,
     * so the result has no steps and no diagnostics.
     */
    spawn: spawned,
    /**
     * Returns what `pulumi stack export` would print, with encrypted secrets. Reads the state file, which is faster.
     */
    export: state,
    /** Returns the state file as a string, so that tests can search it for secrets. */
    stateText: () => readFileSync(project.stateFile, "utf8"),
    /** Replaces the state as `pulumi stack import` would, but without starting the CLI. */
    import({ version, deployment }: StackState): void {
      const { checkpoint } = JSON.parse(readFileSync(project.stateFile, "utf8")) as Checkpoint;
      writeFileSync(project.stateFile, JSON.stringify({ version, checkpoint: { ...checkpoint, latest: deployment } }));
    },
    /** Returns this package's resources in the state. */
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
 * Returns the environment for a run. Leaves out the developer's own variables for Pulumi and this package, because they
 * could make a test pass or fail on one machine only.
 */
export function environment(engineDirectory: string, project: Project, overrides: Readonly<Record<string, string>>) {
  return {
    ...withoutSettings(process.env),
    PATH: [engineDirectory, process.env.PATH].join(delimiter),
    // The CLI accepts `--event-log` only with this variable, which doesn't affect these commands in any other way.
    PULUMI_DEBUG_COMMANDS: "true",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_DISABLE_CI_DETECTION: "true",
    PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
    ...quickStart,
    ...project.env,
    ...overrides,
  };
}
