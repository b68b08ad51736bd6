import { hash } from "node:crypto";
import { accessSync, constants, lstatSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { Marks } from "../base/world";
import { unknownProgram } from "../config/messages";
import { ResourceError } from "../words/message";

/** Is it the address of an engine? A test or a script that loads this package has none, and so no watch and no mark. */
export const isAddress = (text: string | undefined): text is string =>
  text !== undefined && /^[\w.[\]:-]+:\d+$/.test(text);

/** In a container an id of a user may have no name. */
const folder = (): string => join(tmpdir(), `agent-platform-${process.getuid?.() ?? userInfo().username}`);

/** A file for each mark. Names begin with the engine's address, which the program's process and each provider's process have. */
const markPath = (address: string, ending: string): string =>
  join(folder(), `${hash("sha256", address).slice(0, 16)}.${ending}`);

/** Does the mark count? Another engine may get that address later, so it counts for a day. */
function isRecent(mark: string): boolean {
  const made = statSync(mark, { throwIfNoEntry: false })?.mtimeMs;
  return made !== undefined && Date.now() - made < 24 * 3_600_000;
}

const CHECKING = ".checking";

/** The marks that the processes of one run leave for each other. @param engineAddress undefined without an engine, as in a test */
export const marksOf = (engineAddress: string | undefined): Marks => ({
  isProgramWatched: engineAddress !== undefined,

  hasFailed() {
    if (engineAddress === undefined) {
      return false;
    }
    needFolder();
    return isRecent(markPath(engineAddress, "failed"));
  },

  /** A check goes on without the mark. If the folder cannot be used, each delete is refused. */
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
      // The deletes say what is wrong with the folder.
    }
  },

  /** Has another living process of this run checked a resource? Then that one, and not this one, knows what the program declares. */
  isCheckedElsewhere() {
    if (engineAddress === undefined) {
      return false;
    }
    needFolder();
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

/** A process of another user is not one of this run: it has got the id since. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function needFolder(): void {
  try {
    prepareFolder();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ResourceError(unknownProgram(code === undefined ? message : `cannot be used (${code})`, folder()));
  }
}

/** The folder must belong to this user alone, because no other user may write or remove marks. If this process cannot write there, a mark is lost. */
function prepareFolder(): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  const { mode, uid } = lstatSync(folder());
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o777) !== 0o700)) {
    throw new Error(uid === process.getuid() ? `has mode ${(mode & 0o777).toString(8)}` : "belongs to another user");
  }
  // A read-only file system.
  accessSync(folder(), constants.W_OK);
}
