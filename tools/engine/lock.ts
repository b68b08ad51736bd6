import { mkdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const heartbeatMs = 5000;
/** Whoever holds the lock touches it all the time: untouched for so long, its process is no more. */
const staleAfterMs = 30_000;

/** Waits for the folder and takes it. Returns what gives it back. */
export async function lock(folder: string, say: (line: string) => void): Promise<() => void> {
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
  let held = true;
  return () => {
    clearInterval(heartbeat);
    if (held) {
      rmSync(folder, { recursive: true, force: true });
    }
    held = false;
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
    // Taken over by a process that thought this one dead (a laptop that slept): the rename at the end is still safe.
  }
}
