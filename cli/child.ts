import { spawn } from "node:child_process";
import { Interrupted } from "./errors";

interface ChildOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs a command and resolves with its exit code. The command has a process group of its own, so that Ctrl-C does not reach it directly: it
 * gets an interrupt from here, and is killed if it does not end in time.
 */
export function runChild(command: string, args: readonly string[], options: ChildOptions): Promise<number> {
  const { cwd, env, onOutput, signal } = options;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      return reject(new Interrupted());
    }
    // Windows has no process groups.
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
