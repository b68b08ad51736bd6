import { hash } from "node:crypto";
import { lstatSync, mkdirSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { onceForValue } from "../core/common/once";
import * as messages from "../core/messages";
import { ResourceError } from "../resources/lifecycle";

/**
 * The mark of a program that failed: a file with its name from the engine's address, which the program's process and the provider's process
 * have. An address comes back after some time. So a program that begins removes an earlier mark, and a mark counts for a day.
 */

const folder = (): string => join(tmpdir(), `agent-platform-${process.getuid?.() ?? userInfo().username}`); // in a container an id may have no name
const markOf = (address: string): string => join(folder(), `${hash("sha256", address).slice(0, 16)}.failed`);

export const removeMark = (engineAddress: string): void => rmSync(markOf(engineAddress), { force: true });

export function writeMark(engineAddress: string): void {
  usableFolder();
  writeFileSync(markOf(engineAddress), "failed\n", { mode: 0o600 });
}

/** Tells whether the program has failed. Throws if that cannot be known, because the folder is or was missing, is foreign, or is full. */
export function markReader(engineAddress: string): () => boolean {
  const inodeOrWhy = (): number | string => {
    try {
      return usableFolder();
    } catch (error) {
      return error instanceof Error && "code" in error ? `cannot be used (${error.code})` : (error as Error).message;
    }
  };
  const first = inodeOrWhy();
  return () => {
    const now = inodeOrWhy();
    if (typeof now === "string" || now !== first) {
      const why = typeof now === "string" ? now : "is not the folder with which this run began";
      throw new ResourceError(messages.unknownFailure(why, folder()));
    }
    const mark = statSync(markOf(engineAddress), { throwIfNoEntry: false });
    return mark !== undefined && Date.now() - mark.mtimeMs < 24 * 3_600_000;
  };
}

/** While it is open, no other folder can get its inode. Windows opens no folder, and gives no number twice. */
const keepOpen = onceForValue((_ino: number) => process.platform === "win32" || openSync(folder(), "r"));

/** The inode of the folder. It must belong to this user alone, because no other one may write or remove marks. */
function usableFolder(): number {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  const { mode, uid, ino } = lstatSync(folder());
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o077) !== 0)) {
    throw new Error(uid === process.getuid() ? `has mode ${(mode & 0o777).toString(8)}` : "belongs to another user");
  }
  // What the program could not write, the provider's process cannot write either.
  writeFileSync(join(folder(), "probe"), "probe\n");
  rmSync(join(folder(), "probe"), { force: true });
  keepOpen(ino);
  return ino;
}
