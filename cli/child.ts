import { type ChildProcess, spawn } from "node:child_process";
import { Interrupted } from "./errors";

/** Windows has no process groups. */
const HAS_GROUPS = process.platform !== "win32";

/** The option of `spawn` for a command with a process group of its own, so that `signalGroup` reaches what it has started as well. */
export const OWN_GROUP = { detached: HAS_GROUPS };

export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) {
      process.kill(HAS_GROUPS ? -pid : pid, signal);
    }
  } catch {
    // All of them have ended by now.
  }
}

interface ChildOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
  /** Do the command's own children get the interrupt as well? The plugins of the Pulumi CLI are ended by it. @default false */
  readonly stopsGroup?: boolean;
}

/**
 * Runs a command and resolves with its exit code. The command has a process group of its own, so that Ctrl-C does not reach it directly: it
 * gets an interrupt from here, and is killed if it does not end in time.
 */
export function runChild(command: string, args: readonly string[], options: ChildOptions): Promise<number> {
  const { cwd, env, onOutput, signal, stopsGroup = false } = options;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      return reject(new Interrupted());
    }
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      ...OWN_GROUP,
    });
    let patience: NodeJS.Timeout | undefined;
    const send = (name: NodeJS.Signals) => (stopsGroup ? signalGroup(child, name) : child.kill(name));
    const stop = () => {
      send("SIGINT");
      patience = setTimeout(() => send("SIGKILL"), 10_000);
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
