import { spawn } from "node:child_process";

export interface ChildOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Runs a command to its end. An error's message is what the command wrote. */
export async function runToEnd(command: string, args: readonly string[], options: ChildOptions): Promise<void> {
  options.signal.throwIfAborted();
  // A process group of its own, so that what the command started ends with it.
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  let stopped: string | undefined;
  const stop = (why: string) => {
    stopped = why;
    if (child.pid !== undefined) {
      process.kill(-child.pid, "SIGINT");
    }
  };
  const onAbort = () => stop("stopped");
  options.signal.addEventListener("abort", onAbort);
  const timer = setTimeout(() => stop(`not done after ${options.timeoutMs / 1000} s`), options.timeoutMs);
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    if (stopped) {
      throw new Error(stopped);
    }
    if (exitCode !== 0) {
      throw new Error(output.trim() || `${command} ended with exit code ${exitCode}`);
    }
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener("abort", onAbort);
  }
}

/** A line at once and one every 15 seconds: silence of minutes looks like a hang. */
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
