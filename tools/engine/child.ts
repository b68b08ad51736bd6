import { spawn } from "node:child_process";

/** Thrown if the user interrupted the work. */
export class Interrupted extends Error {}

interface ChildOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs a command and resolves with its exit code. If the signal is aborted, stops the command and rejects with
 * `Interrupted`.
 */
export function runChild(command: string, args: readonly string[], options: ChildOptions): Promise<number> {
  const { cwd, env, onOutput, signal } = options;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      return reject(new Interrupted());
    }
    // In its own process group, the command doesn't get Ctrl-C directly, only from `stop`. Windows has no process
    // groups.
    const detached = process.platform !== "win32";
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached });
    let patience: NodeJS.Timeout | undefined;
    const stop = () => {
      child.kill("SIGINT");
      patience = setTimeout(() => child.kill("SIGKILL"), 10_000);
    };
    signal.addEventListener("abort", stop, { once: true });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", onOutput);
    }
    child.on("error", reject);
    child.on("close", (exitCode) => {
      clearTimeout(patience);
      signal.removeEventListener("abort", stop);
      if (signal.aborted) {
        reject(new Interrupted());
      } else {
        resolve(exitCode ?? 1);
      }
    });
  });
}

interface ToEndOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Runs a command until it exits. If it fails, the error's message is the command's output. */
export async function runToEnd(command: string, args: readonly string[], options: ToEndOptions): Promise<void> {
  const { cwd, env = process.env, timeoutMs } = options;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  const signal = AbortSignal.any([options.signal, late.signal]);
  let output = "";
  const onOutput = (text: string) => {
    output += text;
  };
  try {
    const exitCode = await runChild(command, args, { cwd, env, onOutput, signal });
    if (exitCode !== 0) {
      throw new Error(output.trim() || `${command} exited with code ${exitCode}`);
    }
  } catch (error) {
    throw error instanceof Interrupted && late.signal.aborted
      ? new Error(`timed out after ${timeoutMs / 1000} s`)
      : error;
  } finally {
    clearTimeout(timer);
  }
}

/** Prints a line immediately and every 15 seconds, because minutes of silence look like a hang. */
export async function withProgress(text: string, say: (line: string) => void, work: () => Promise<void>) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  say(`${text} …`);
  const timer = setInterval(() => say(`${text} … ${seconds()} s`), 15_000);
  try {
    await work();
    say(`${text}: done after ${seconds()} s`);
  } catch (error) {
    say(`${text}: failed after ${seconds()} s`);
    throw error;
  } finally {
    clearInterval(timer);
  }
}
