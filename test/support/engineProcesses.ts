import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

export interface EngineProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: readonly string[];
  readonly role: "cli" | "languageHost" | "program" | "provider" | "other";
}

/**
 * Finds processes by an environment variable. A search by parent process would miss plugins whose parent was killed.
 */
export function processesWith(variable: string, value: string): EngineProcess[] {
  if (!existsSync("/proc")) {
    return [];
  }
  const entry = `${variable}=${value}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => describe(Number(name), entry) ?? []);
}

export function killAll(processes: readonly EngineProcess[], signal: NodeJS.Signals = "SIGKILL"): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has already ended.
    }
  }
}

/**
 * How long a test waits before it gives up. Shorter than mocha's timeout, so that the error can say what the test
 * waited for.
 */
export const PATIENCE_MS = 540_000;

/**
 * Waits up to `withinMs` for all processes to end, because a process that got a signal may still be shutting down.
 * Kills any that are left, and returns them.
 */
export async function leftOf(
  processes: () => readonly EngineProcess[],
  withinMs = PATIENCE_MS,
): Promise<readonly EngineProcess[]> {
  const deadline = performance.now() + withinMs;
  while (processes().length > 0 && performance.now() < deadline) {
    await delay(20);
  }
  const survivors = processes();
  killAll(survivors);
  return survivors;
}

function describe(pid: number, environmentEntry: string): EngineProcess | undefined {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(environmentEntry)) {
      return undefined;
    }
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The process's name is in parentheses and may itself contain spaces and parentheses, so count the fields after it.
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
  // The provider is started by a shell script. Only the Node process counts as the provider, not the shell.
  if (/\/cmd\/dynamic-provider/.test(script)) {
    return "provider";
  }
  if (script.includes("/cmd/run/") || script.endsWith("/runProgram.js")) {
    return "program";
  }
  return "other";
}
