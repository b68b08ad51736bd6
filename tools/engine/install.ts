import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { untilSignalled } from "../../cli/signals";
import { Interrupted } from "./child";
import { hasCli, placeProviderScript } from "./executables";

/** Makes executables in `<staging>/bin`; it stops and throws when `signal` says so. */
export type Make = (staging: string, signal: AbortSignal, say: (line: string) => void) => Promise<void>;

type Say = (line: string) => void;

/** Puts a CLI into the folder of its version. */
export function install(versionFolder: string, make: Make, say: Say): Promise<"installed" | "was there"> {
  const makeWhole: Make = async (staging, ...rest) => {
    await make(staging, ...rest);
    const bin = join(staging, "bin");
    if (!hasCli(bin)) {
      throw new Error("it ended without an error and without a CLI");
    }
    placeProviderScript(bin);
  };
  return makeOnce({ folder: versionFolder, name: "bin", from: "bin", isWhole: hasCli }, makeWhole, say);
}

/** Makes one executable in a folder of the machine, unless it is there. */
export async function placeOnce(folder: string, name: string, make: Make, say: Say): Promise<void> {
  await makeOnce({ folder, name, from: join("bin", name), isWhole: existsSync }, make, say);
}

/** What is made once a machine: a file or a folder of this name. */
interface Made {
  readonly folder: string;
  readonly name: string;
  /** Its path in the staging folder. */
  readonly from: string;
  isWhole(path: string): boolean;
}

/**
 * Works in a staging folder beside the final place, and renames what is made when it is whole. So a failed or killed installation
 * leaves nothing that looks like one, whatever the lock does; the lock only spares a second process the same work.
 */
async function makeOnce({ folder, name, from, isWhole }: Made, make: Make, say: Say) {
  const made = join(folder, name);
  if (isWhole(made)) {
    return "was there";
  }
  mkdirSync(folder, { recursive: true });
  const unlock = await lock(join(folder, `.${name}-lock`), say);
  try {
    if (isWhole(made)) {
      return "was there";
    }
    const prefix = `.${name}-staging-`;
    // A process that was killed has left its staging folder.
    for (const left of readdirSync(folder).filter((entry) => entry.startsWith(prefix))) {
      rmSync(join(folder, left), { recursive: true, force: true });
    }
    await untilInterrupted(unlock, async (signal) => {
      const staging = mkdtempSync(join(folder, prefix));
      try {
        await make(staging, signal, say);
        // An incomplete one is moved into the staging folder, which is removed.
        if (existsSync(made) && !isWhole(made)) {
          renameSync(made, join(staging, "incomplete"));
        }
        if (!existsSync(made)) {
          renameSync(join(staging, from), made);
        }
      } finally {
        rmSync(staging, { recursive: true, force: true });
      }
    });
    return "installed";
  } finally {
    unlock();
  }
}

/** Ctrl-C and SIGTERM stop the work, which then cleans up. Afterwards the signal ends this process. */
async function untilInterrupted(unlock: () => void, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  let stopped: AbortSignal | undefined;
  try {
    await untilSignalled(undefined, (signal) => {
      stopped = signal;
      return work(signal);
    });
  } finally {
    if (stopped?.aborted) {
      unlock();
      process.kill(process.pid, stopped.reason);
    }
  }
  if (stopped?.aborted) {
    throw new Interrupted(`stopped by ${stopped.reason}`);
  }
}

// --- one process at a time

const heartbeatMs = 5000;
/** The process that holds the lock touches it at each heartbeat. If nobody has touched it for so long, that process has ended. */
const staleAfterMs = 30_000;

/** Waits for the folder and takes it. Returns what gives it back. */
async function lock(folder: string, say: Say): Promise<() => void> {
  let told = false;
  while (!take(folder)) {
    if (ageOf(folder) > staleAfterMs) {
      rmSync(folder, { recursive: true, force: true });
    } else {
      if (!told) {
        say("another process is installing the same; waiting for it");
      }
      told = true;
      await sleep(500);
    }
  }
  const heartbeat = setInterval(() => touch(folder), heartbeatMs);
  let isLocked = true;
  return () => {
    clearInterval(heartbeat);
    if (isLocked) {
      rmSync(folder, { recursive: true, force: true });
    }
    isLocked = false;
  };
}

function take(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      return false;
    }
    throw error;
  }
}

function ageOf(folder: string): number {
  return Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

function touch(folder: string): void {
  try {
    utimesSync(folder, new Date(), new Date());
  } catch {
    // Another process has taken the lock, because this one did not touch it in time (a laptop that slept). The rename is safe all the same.
  }
}
