import { spawn } from "node:child_process";
import { printable } from "../../../provider/core/common/redact";
import { type Environment, TOKEN_ENV } from "../../../provider/core/config/settings";
import { OWN_GROUP, signalGroup } from "../../child";
import type { Io } from "../../io";

/** Runs the check of `promote`: a command of the team that judges the candidate. It passes, fails, or is inconclusive. */

const SECONDS = 600;
const LONGEST_QUOTE = 200;

export interface CheckResult {
  readonly passed: boolean;
  /** `failed`, or why it is inconclusive. */
  readonly what: string;
  /** The last line that it printed; empty if it printed none. */
  readonly said: string;
}

/** The variables that it gets, without the prefix ROLLOUT_. */
type CheckInput = Readonly<Record<"name" | "stack" | "stable" | "candidate" | "percent" | "next" | "since", string>>;

/** The platform's token is not handed on: what a check prints is posted under a pull request. */
function environment(input: CheckInput, env: Environment): Environment {
  const own = Object.entries(input).map(([name, value]) => [`ROLLOUT_${name.toUpperCase()}`, value]);
  return { ...env, ...Object.fromEntries(own), [TOKEN_ENV]: undefined };
}

export function runCheck(command: string, input: CheckInput, numbers: readonly string[], io: Io, seconds = SECONDS) {
  return new Promise<CheckResult>((resolve) => {
    const child = spawn(command, {
      cwd: io.cwd,
      env: environment(input, io.env),
      shell: true,
      stdio: ["pipe", "pipe", "inherit"],
      ...OWN_GROUP,
    });
    let printed = "";
    let isLate = false;
    const stop = () => {
      isLate = true;
      signalGroup(child, "SIGKILL");
    };
    const limit = setTimeout(stop, seconds * 1000);
    io.signal?.addEventListener("abort", stop, { once: true });
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-10_000);
    });
    // A check may end without reading the numbers.
    child.stdin.on("error", () => undefined);
    child.stdin.end(numbers.map((number) => `${number}\n`).join(""));
    const end = (code: number | null, signal: string | null) => {
      clearTimeout(limit);
      io.signal?.removeEventListener("abort", stop);
      const what = isLate ? `inconclusive (not finished after ${seconds} seconds)` : outcome(code, signal);
      resolve({ passed: code === 0 && !isLate, what, said: lastLine(printed) });
    };
    child.on("error", (error: NodeJS.ErrnoException) => end(null, error.code ?? null));
    // A check ends with its process. What that has left behind in its group is ended, because it may hold the pipe for ever.
    child.on("exit", (code, signal) => {
      signalGroup(child, "SIGKILL");
      const drained = setTimeout(() => {
        child.stdin.destroy();
        child.stdout.destroy();
      }, DRAIN_MS);
      child.on("close", () => {
        clearTimeout(drained);
        end(code, signal);
      });
    });
  });
}

/** What the process has printed is in the pipe. Only a process of another session still holds the pipe after this time. */
const DRAIN_MS = 500;

function outcome(code: number | null, signal: string | null): string {
  if (code === 0) {
    return "passed";
  }
  return code === 1 ? "failed" : `inconclusive (${code === null ? `${signal}` : `exit code ${code}`})`;
}

function lastLine(text: string): string {
  const line = printable(text.trim().split("\n").at(-1)?.trim() ?? "");
  return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE - 1)}…` : line;
}
