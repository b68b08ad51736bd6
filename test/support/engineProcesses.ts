import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

export interface EngineProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: readonly string[];
  readonly role: "cli" | "languageHost" | "program" | "provider" | "other";
}

/**
 * The processes of one stack, found by a text in their environment that only they have: a plugin whose parent was
 * killed is no descendant of anything any more, but its environment stays. None are found if there is no /proc.
 */
export function processesWith(variable: string, value: string): EngineProcess[] {
  if (!existsSync("/proc")) {
    return [];
  }
  const wanted = `${variable}=${value}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => describe(Number(name), wanted) ?? []);
}

export function killAll(processes: readonly EngineProcess[], signal: NodeJS.Signals = "SIGKILL"): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended by itself in the meantime.
    }
  }
}

/**
 * How long a test waits for what comes sooner on an idle machine: less than mocha's limit, so that a test that waits in vain says for what.
 */
export const PATIENCE_MS = 540_000;

/** What of them has not ended by itself in that time, and is ended now: whom a signal has reached may still be ending. */
export async function leftOf(
  processes: () => readonly EngineProcess[],
  withinMs = PATIENCE_MS,
): Promise<readonly EngineProcess[]> {
  const until = performance.now() + withinMs;
  while (processes().length > 0 && performance.now() < until) {
    await delay(20);
  }
  const left = processes();
  killAll(left);
  return left;
}

function describe(pid: number, wanted: string): EngineProcess | undefined {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(wanted)) {
      return undefined;
    }
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold blanks and parentheses itself, so the fields are counted from its end.
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z") {
      return undefined;
    }
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
    return { pid, parent: Number(parent), command, role: roleOf(command) };
  } catch {
    return undefined;
  }
}

function roleOf(command: readonly string[]): EngineProcess["role"] {
  const [executable = "", script = ""] = command;
  if (executable.endsWith("/pulumi")) {
    return "cli";
  }
  if (/\/pulumi-language-nodejs$/.test(executable)) {
    return "languageHost";
  }
  // Between the two lies a shell that starts the provider; only the Node process itself is meant.
  if (/\/cmd\/dynamic-provider/.test(script)) {
    return "provider";
  }
  if (script.includes("/cmd/run/") || script.endsWith("/runProgram.js")) {
    return "program";
  }
  return "other";
}
