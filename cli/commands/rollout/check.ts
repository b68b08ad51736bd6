import { spawn } from "node:child_process";
import { type Environment, TOKEN_ENV } from "../../../provider/core/config/settings";
import { OWN_GROUP, signalGroup } from "../../child";
import type { Io } from "../../io";

const SECONDS = 600;

/** The variables that a check gets, without the prefix ROLLOUT_. */
type CheckInput = Readonly<Record<"name" | "stack" | "stable" | "candidate" | "percent" | "next" | "since", string>>;

/** The platform's token is not handed on: what a check prints is posted under a pull request. */
function environment(input: CheckInput, env: Environment): Environment {
  const own = Object.entries(input).map(([name, value]) => [`ROLLOUT_${name.toUpperCase()}`, value]);
  return { ...env, ...Object.fromEntries(own), [TOKEN_ENV]: undefined };
}

/**
 * Runs the check of `promote`: a command of the team that judges the candidate, with the numbers on standard input. What it prints is
 * passed on. Resolves with why it did not pass; undefined if it passed. It ends when its process ends, with all that it left in its group.
 */
export function runCheck(command: string, input: CheckInput, numbers: readonly string[], io: Io, seconds = SECONDS) {
  return new Promise<string | undefined>((resolve) => {
    const env = environment(input, io.env);
    const child = spawn(command, { cwd: io.cwd, env, shell: true, stdio: ["pipe", "pipe", "inherit"], ...OWN_GROUP });
    let isLate = false;
    const stop = () => {
      isLate = true;
      signalGroup(child, "SIGKILL");
    };
    const limit = setTimeout(stop, seconds * 1000);
    io.signal?.addEventListener("abort", stop, { once: true });
    child.stdout.setEncoding("utf8").on("data", (text: string) => io.stderr.write(text));
    // A check may end without reading the numbers.
    child.stdin.on("error", () => undefined);
    child.stdin.end(numbers.map((number) => `${number}\n`).join(""));
    const end = (how: string | undefined) => {
      clearTimeout(limit);
      io.signal?.removeEventListener("abort", stop);
      signalGroup(child, "SIGKILL");
      child.stdout.destroy();
      resolve(isLate ? `was ended after ${seconds} seconds` : how);
    };
    child.on("error", ({ message }) => end(`could not be started: ${message}`));
    child.on("exit", (code, signal) => {
      const how = code === 0 ? undefined : `ended with ${code === null ? signal : `exit code ${code}`}`;
      // What it printed last is still in the pipe.
      setImmediate(() => end(how));
    });
  });
}
