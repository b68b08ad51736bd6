import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isAlive } from "../../provider/edge/runMarks";

/** How long the Pulumi CLI may take to write a config file once. */
export const WRITE_SECONDS = 30;

/**
 * No write takes longer: Pulumi writes the file twice, and this process needs a few seconds beside it. An older lock is left over, also if its
 * process lives: that process is suspended, or another one has its id. Else it could hold up an abort for ever.
 */
export const LONGEST_WRITE = (2 * WRITE_SECONDS + 10) * 1000;

/** The lock of a file: it says which process made it. */
export const lockOf = (path: string): string =>
  join(tmpdir(), `agent-platform-${Buffer.from(path).toString("base64url").slice(-120)}.writer`);

/**
 * Does the work with the file while no other process of this machine does. If the lock cannot be made, the work is done without one. A lock that is
 * left over from another user cannot be removed, and nobody waits for it.
 */
export async function alone<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const lock = lockOf(path);
  const owner = `${process.pid} ${randomUUID()}`;
  for (let waited = 0; waited < LONGEST_WRITE && !makeLock(lock, owner); waited += 10) {
    const leftOver = leftOverOwner(lock);
    if (leftOver === undefined) {
      await setTimeout(10);
    } else if (!removeLock(lock, leftOver)) {
      break;
    }
  }
  try {
    return await work();
  } finally {
    removeLock(lock, owner);
  }
}

/** False if another process has it. */
function makeLock(lock: string, owner: string): boolean {
  try {
    writeFileSync(lock, owner, { flag: "wx" });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EEXIST";
  }
}

/** Who made a lock that is left over; undefined if it is in use, or is not there any more. */
function leftOverOwner(lock: string): string | undefined {
  const owner = ownerOf(lock);
  const made = new Date(Date.now() - ageOf(lock));
  // A lock is empty for a moment after it is made.
  const hasEnded = owner !== undefined && owner !== "" && !isAlive(Number(owner.split(" ")[0]), made);
  return hasEnded || ageOf(lock) > LONGEST_WRITE ? owner : undefined;
}

/** Removes the lock if this owner made it: another process may have made one since. False if the system refuses that. */
function removeLock(lock: string, owner: string): boolean {
  try {
    if (ownerOf(lock) === owner) {
      rmSync(lock, { force: true });
    }
    return true;
  } catch {
    return false;
  }
}

function ownerOf(lock: string): string | undefined {
  try {
    return readFileSync(lock, "utf8");
  } catch {
    return undefined;
  }
}

const ageOf = (lock: string): number => Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
