import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { nameOf } from "../../provider/base/engine";

interface Step {
  readonly op: string;
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  /** The inputs that forced the replacement. */
  readonly replaceReasons: readonly string[];
}

interface Diagnostic {
  readonly severity: string;
  readonly urn?: string;
  readonly message: string;
}

export interface Result {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The output of both streams, in order of arrival. */
  readonly output: string;
  /**
   * The number of resources per operation, such as `{ create: 1, same: 2 }`. Includes the stack and the default
   * provider.
   */
  readonly changeSummary: Readonly<Record<string, number>>;
  /** The engine's steps for this package's resources, in the engine's order. Steps that change nothing are left out. */
  readonly steps: readonly Step[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The file that the CLI writes its events to. */
  readonly eventLog?: string;
  readonly onOutput?: ((text: string) => void) | undefined;
  readonly onTimeout: () => void;
}

export interface Running {
  readonly child: ChildProcess;
  readonly result: Promise<Result>;
}

export function start(command: string, args: readonly string[], options: RunOptions): Running {
  const child = spawn(command, args, { cwd: options.cwd, env: options.env, stdio: ["ignore", "pipe", "pipe"] });
  const collected = { stdout: "", stderr: "", output: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      collected[name] += text;
      collected.output += text;
      options.onOutput?.(text);
    });
  }
  const result = new Promise<Result>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      options.onTimeout();
      reject(new Error(`pulumi ${args.join(" ")}: not done after ${options.timeoutMs} ms\n${collected.output}`));
    }, options.timeoutMs);
    child.on("error", reject);
    // Wait for "close" instead of "exit", because plugins may still write to the pipes after the CLI has exited.
    child.on("close", (exitCode, signal) => {
      clearTimeout(timer);
      resolve({ exitCode, signal, ...collected, ...readEvents(options.eventLog) });
    });
  });
  return { child, result };
}

/** The parts of an engine event that the tests use. The engine writes one event per line, as JSON. */
interface EngineEvent {
  readonly diagnosticEvent?: Diagnostic;
  readonly resourcePreEvent?: { readonly metadata: StepMetadata };
  readonly summaryEvent?: { readonly resourceChanges?: Record<string, number> };
}
interface StepMetadata {
  readonly op: string;
  readonly urn: string;
  readonly type: string;
  readonly keys?: string[] | null;
}

function readEvents(file: string | undefined): Pick<Result, "changeSummary" | "steps" | "diagnostics"> {
  const events = file && existsSync(file) ? parseLines(readFileSync(file, "utf8")) : [];
  if (file) {
    rmSync(file, { force: true });
  }
  return {
    changeSummary: events.findLast(({ summaryEvent }) => summaryEvent)?.summaryEvent?.resourceChanges ?? {},
    steps: events
      .flatMap((event) => event.resourcePreEvent?.metadata ?? [])
      .filter(({ op, type }) => op !== "same" && !type.startsWith("pulumi:"))
      .map(toStep),
    diagnostics: events
      .flatMap(({ diagnosticEvent }) => diagnosticEvent ?? [])
      .filter(({ severity }) => severity !== "debug")
      .map((diagnostic) => ({ ...diagnostic, message: diagnostic.message.trimEnd() })),
  };
}

function parseLines(text: string): EngineEvent[] {
  // If the CLI was killed, the last line may be incomplete.
  const complete = text.split("\n").slice(0, -1);
  return complete.filter(Boolean).map((line) => JSON.parse(line) as EngineEvent);
}

function toStep({ op, urn, type, keys }: StepMetadata): Step {
  return { op, urn, type, name: nameOf(urn), replaceReasons: keys ?? [] };
}
