import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { untilSignalled } from "../../cli/signals";
import { Interrupted } from "./child";
import { hasCli, placeProviderScript } from "./executables";

/** Makes executables in `<staging>/bin`. Stops and throws when `signal` is aborted. */
export type Make = (staging: string, signal: AbortSignal, say: (line: string) => void) => Promise<void>;

type Say = (line: string) => void;

/** Installs a CLI into its version's folder. */
export function install(versionFolder: string, make: Make, say: Say): Promise<"installed" | "was there"> {
  const makeWhole: Make = async (staging, ...rest) => {
    await make(staging, ...rest);
    const bin = join(staging, "bin");
    if (!hasCli(bin)) {
      throw new Error("it exited without an error, but there is no CLI");
    }
    placeProviderScript(bin);
  };
  return makeOnce({ folder: versionFolder, name: "bin", from: "bin", isWhole: hasCli }, makeWhole, say);
}

/** Makes an executable in a shared folder unless it already exists. */
export async function placeOnce(folder: string, name: string, make: Make, say: Say): Promise<void> {
  await makeOnce({ folder, name, from: join("bin", name), isWhole: existsSync }, make, say);
}

/** A file or folder that is made once per machine. */
interface Made {
  readonly folder: string;
  readonly name: string;
  /** Its path inside the staging folder. */
  readonly from: string;
  isWhole(path: string): boolean;
}

/**
 * Works in a staging folder next to the final path, so that a failed or killed installation never looks like a complete
 * one.
 */
async function makeOnce({ folder, name, from, isWhole }: Made, make: Make, say: Say) {
  const made = join(folder, name);
  if (isWhole(made)) {
    return "was there";
  }
  mkdirSync(folder, { recursive: true });
  // The lock only saves a second process the same work. Even if it fails, the rename below is safe.
  const unlock = await lock(join(folder, `.${name}-lock`), say);
  try {
    if (isWhole(made)) {
      return "was there";
    }
    const prefix = `.${name}-staging-`;
    // Killed processes leave their staging folders behind.
    for (const leftover of readdirSync(folder).filter((entry) => entry.startsWith(prefix))) {
      rmSync(join(folder, leftover), { recursive: true, force: true });
    }
    await untilInterrupted(unlock, async (signal) => {
      const staging = mkdtempSync(join(folder, prefix));
      try {
        await make(staging, signal, say);
        // Move an incomplete installation into the staging folder, which is removed below.
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

/** Stops the work on Ctrl-C or SIGTERM and lets it clean up. Then the signal ends this process. */
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
/**
 * The process with the lock touches it at every heartbeat. If it hasn't been touched for this long, that process has
 * ended.
 */
const staleAfterMs = 30_000;

/** Waits until the lock is free, and takes it. The lock is a folder. Returns a function that releases it. */
async function lock(folder: string, say: Say): Promise<() => void> {
  let isAnnounced = false;
  while (!take(folder)) {
    if (ageOf(folder) > staleAfterMs) {
      rmSync(folder, { recursive: true, force: true });
    } else {
      if (!isAnnounced) {
        say("waiting for another process that is installing the same");
      }
      isAnnounced = true;
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
    // Another process has taken over the lock, because this one did not touch it in time (for example on a sleeping
    // laptop). The rename is still safe.
  }
}
