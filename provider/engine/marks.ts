import { hash } from "node:crypto";
import { accessSync, constants, lstatSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { Marks } from "../base/world";
import { ResourceError } from "../words/message";
import { unknownProgram } from "./messages";

/**
 * Returns true if the string looks like an engine's address, such as `127.0.0.1:40123`. A test or a script has none.
 */
export const isAddress = (text: string | undefined): text is string =>
  text !== undefined && /^[\w.[\]:-]+:\d+$/.test(text);

/**
 * Returns the folder for this user's marks (see `marksOf`). A user in a container may have no name, and a user on
 * Windows has no ID.
 */
const folder = (): string => join(tmpdir(), `agent-platform-${process.getuid?.() ?? userInfo().username}`);

/** Returns the path of a mark. All processes of a run know the engine's address, so they find each other's marks. */
const markPath = (address: string, ending: string): string =>
  join(folder(), `${hash("sha256", address).slice(0, 16)}.${ending}`);

/**
 * Whether the mark exists and is less than a day old. Older marks don't count, because a later engine may use the same
 * address.
 */
function isRecent(mark: string): boolean {
  const made = statSync(mark, { throwIfNoEntry: false })?.mtimeMs;
  return made !== undefined && Date.now() - made < 24 * 3_600_000;
}

const CHECKING = ".checking";

/**
 * Returns functions for marks. Marks are files by which the processes of a run report that the program has failed, or
 * that a process has checked resources.
 * @param engineAddress undefined if there is no engine, as in a test
 */
export const marksOf = (engineAddress: string | undefined): Marks => ({
  isProgramWatched: engineAddress !== undefined,

  hasFailed() {
    if (engineAddress === undefined) {
      return false;
    }
    requireFolder();
    return isRecent(markPath(engineAddress, "failed"));
  },

  markChecking() {
    if (engineAddress === undefined) {
      return;
    }
    try {
      prepareFolder();
      writeFileSync(markPath(engineAddress, `${process.pid}${CHECKING}`), "", { mode: 0o600 });
      const marks = readdirSync(folder()).map((name) => join(folder(), name));
      marks.filter((mark) => !isRecent(mark)).forEach((mark) => void rmSync(mark, { force: true }));
    } catch {
      // Don't fail the check if the folder for marks can't be used. Deletes use the folder too, and report the problem.
    }
  },

  isCheckedElsewhere() {
    if (engineAddress === undefined) {
      return false;
    }
    requireFolder();
    const own = markPath(engineAddress, "");
    return readdirSync(folder())
      .map((name) => join(folder(), name))
      .filter((mark) => mark.startsWith(own) && mark.endsWith(CHECKING))
      .some((mark) => {
        const pid = Number(mark.slice(own.length, -CHECKING.length));
        return pid !== process.pid && isRecent(mark) && isAlive(pid);
      });
  },
});

export function markFailed(engineAddress: string): void {
  prepareFolder();
  writeFileSync(markPath(engineAddress, "failed"), "failed\n", { mode: 0o600 });
}

/**
 * Returns true if the process is running and belongs to this user. If it belongs to another user, our process has ended
 * and its ID was reused.
 */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function requireFolder(): void {
  try {
    prepareFolder();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ResourceError(unknownProgram(code === undefined ? message : `cannot be used (${code})`, folder()));
  }
}

/** Creates the folder for marks if needed. Throws if it isn't writable, or if another user could change the marks. */
function prepareFolder(): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  const { mode, uid } = lstatSync(folder());
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o777) !== 0o700)) {
    throw new Error(uid === process.getuid() ? `has mode ${(mode & 0o777).toString(8)}` : "belongs to another user");
  }
  // Throws on a read-only file system.
  accessSync(folder(), constants.W_OK);
}
