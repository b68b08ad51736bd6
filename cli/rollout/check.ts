import { spawn } from "node:child_process";
import { type Environment, TOKEN_ENV } from "../../provider/core/config/settings";
import type { Io } from "../io";

const CHECK_SECONDS = 600;

/** The variables that a check gets, without the prefix ROLLOUT_. */
type CheckInput = Readonly<Record<"name" | "stack" | "stable" | "candidate" | "percent" | "next" | "since", string>>;

/** The platform's token is not handed on: what a check prints is posted under a pull request. */
function environment(input: CheckInput, env: Environment): Environment {
  const own = Object.entries(input).map(([name, value]) => [`ROLLOUT_${name.toUpperCase()}`, value]);
  return { ...env, ...Object.fromEntries(own), [TOKEN_ENV]: undefined };
}

/**
 * Runs the check of `promote`: a command of the team that judges the candidate, with the numbers on standard input. What it prints is
 * passed on. Resolves with why it did not pass; undefined if it passed. What it leaves running is not waited for.
 */
export function runCheck(
  command: string,
  input: CheckInput,
  numbers: readonly string[],
  io: Io,
  seconds = CHECK_SECONDS,
) {
  return new Promise<string | undefined>((resolve) => {
    const child = spawn(command, {
      cwd: io.cwd,
      env: environment(input, io.env),
      shell: true,
      stdio: ["pipe", "pipe", "inherit"],
      timeout: seconds * 1000,
      killSignal: "SIGKILL",
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => io.stderr.write(text));
    // A check may end without reading the numbers.
    child.stdin.on("error", () => undefined);
    child.stdin.end(numbers.map((number) => `${number}\n`).join(""));
    child.on("error", ({ message }) => resolve(`could not be started: ${message}`));
    child.on("exit", (code, signal) => {
      const how = code === 0 ? undefined : `ended with ${code === null ? signal : `exit code ${code}`}`;
      // What it printed last is still in the pipe.
      setImmediate(() => {
        child.stdout.destroy();
        resolve(child.killed ? `was ended after ${seconds} seconds` : how);
      });
    });
  });
}
