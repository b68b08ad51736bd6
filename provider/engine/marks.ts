import { hash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, uptime, userInfo } from "node:os";
import { join } from "node:path";
import type { Marks } from "../base/world";
import { cannotThrow, ResourceError } from "../run/errors";
import { unknownProgram } from "../stack/messages";

/** Is it the address of an engine? A test or a script that loads this package has none, and so no watch and no mark. */
export const isAddress = (text: string | undefined): text is string =>
  text !== undefined && /^[\w.[\]:-]+:\d+$/.test(text);

/** A file for each mark. In a container an id of a user may have no name. */
const folder = (): string => join(tmpdir(), `agent-platform-${process.getuid?.() ?? userInfo().username}`);

/** Names begin with the engine's address, which the program's process and each provider's process have. */
const markPath = (address: string, ending: string): string =>
  join(folder(), `${hash("sha256", address).slice(0, 16)}.${ending}`);

/** When the mark was made, if it counts. Another engine may get that address later, so a mark counts for a day. */
function madeAt(mark: string): Date | undefined {
  const made = statSync(mark, { throwIfNoEntry: false })?.mtime;
  return made !== undefined && Date.now() - made.getTime() < 24 * 3_600_000 ? made : undefined;
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
    return madeAt(markPath(engineAddress, "failed")) !== undefined;
  },

  /** What this process cannot write here, no other process can read: see `needFolder`. */
  markChecking: cannotThrow(() => {
    if (engineAddress !== undefined) {
      prepareFolder();
      writeFileSync(markPath(engineAddress, `${process.pid}${CHECKING}`), "", { mode: 0o600 });
      const all = readdirSync(folder()).map((name) => join(folder(), name));
      all.filter((mark) => madeAt(mark) === undefined).forEach((mark) => void rmSync(mark, { force: true }));
    }
  }),

  /** Another process knows what this one does not: its provider has another version or was replaced. */
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
        const made = madeAt(mark);
        return pid !== process.pid && made !== undefined && isAlive(pid, made);
      });
  },
});

export function markFailed(engineAddress: string): void {
  prepareFolder();
  writeFileSync(markPath(engineAddress, "failed"), "failed\n", { mode: 0o600 });
}

/** Is the process alive that had the id at that time? One from before the start of this machine is not: another process has its id. */
function isAlive(pid: number, at: Date): boolean {
  if (at.getTime() < Date.now() - uptime() * 1000) {
    return false;
  }
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
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

/** The folder must belong to this user alone, because no other one may write or remove marks. */
function prepareFolder(): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  const { mode, uid } = lstatSync(folder());
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o077) !== 0)) {
    throw new Error(uid === process.getuid() ? `has mode ${(mode & 0o777).toString(8)}` : "belongs to another user");
  }
  // What another process could not write, this one cannot write either.
  writeFileSync(join(folder(), "probe"), "probe\n");
  rmSync(join(folder(), "probe"), { force: true });
}
