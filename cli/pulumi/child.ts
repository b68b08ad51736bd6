import { spawn } from "node:child_process";
import type { Environment } from "../../provider/core/settings";

/** The run was told to end. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

export interface ChildOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs the CLI in a process group of its own: Ctrl-C reaches it from here alone, as an interrupt that lets it end its
 * plugins; how long that may take is bounded. Resolves with the exit code.
 */
export function runChild(command: string, args: readonly string[], options: ChildOptions): Promise<number> {
  const { cwd, env, onOutput, signal } = options;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      return reject(new Interrupted());
    }
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: process.platform !== "win32",
    });
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

/** An environment for a stack of its own: what is set for real stacks must not reach it. */
export const withoutSettings = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || /^(PULUMI_|AGENT_PLATFORM_)/.test(name) ? [] : [[name, value]],
    ),
  );
