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

/**
 * The marks that the processes of one run leave for each other: files with their names from the engine's address, which the program's process and
 * each provider's process have. Another engine may get that address later, so a mark counts for a day.
 */

const folder = (): string => join(tmpdir(), `agent-platform-${process.getuid?.() ?? userInfo().username}`);

// in a container an id may have no name
const marksName = (address: string): string => hash("sha256", address).slice(0, 16);

const markPath = (address: string, ending: string): string => join(folder(), `${marksName(address)}.${ending}`);

const DAY_MS = 24 * 3_600_000;

const madeAt = (mark: string): Date => statSync(mark, { throwIfNoEntry: false })?.mtime ?? new Date(0);

const counts = (made: Date): boolean => Date.now() - made.getTime() < DAY_MS;

/** @param engineAddress undefined without an engine, as in a test */
export const marksOf = (engineAddress: string | undefined): Marks => ({
  isProgramWatched: engineAddress !== undefined,
  hasFailed: () => engineAddress !== undefined && hasFailed(engineAddress),
  markChecking: () => engineAddress !== undefined && markChecking(engineAddress),
  isCheckedElsewhere: () => engineAddress !== undefined && isCheckedElsewhere(engineAddress),
});

export function markFailed(engineAddress: string): void {
  prepareFolder();
  writeFileSync(markPath(engineAddress, "failed"), "failed\n", { mode: 0o600 });
}

function hasFailed(engineAddress: string): boolean {
  needFolder();
  return counts(madeAt(markPath(engineAddress, "failed")));
}

/** This process has checked a resource, so it knows what the program declares. What it cannot write here, no other process can read: see `needFolder`. */
const markChecking = cannotThrow((engineAddress: string) => {
  prepareFolder();
  writeFileSync(markPath(engineAddress, `${process.pid}${CHECKING}`), "", { mode: 0o600 });
  const all = readdirSync(folder()).filter((name) => name.endsWith(CHECKING));
  const old = all.map((name) => join(folder(), name)).filter((mark) => !counts(madeAt(mark)));
  old.forEach((mark) => void rmSync(mark, { force: true }));
});

const CHECKING = ".checking";

/** Then this process does not know it: its provider has another version or was replaced. */
function isCheckedElsewhere(engineAddress: string): boolean {
  needFolder();
  const own = `${marksName(engineAddress)}.`;
  return readdirSync(folder())
    .filter((name) => name.startsWith(own) && name.endsWith(CHECKING))
    .map((name) => ({ made: madeAt(join(folder(), name)), pid: Number(name.slice(own.length, -CHECKING.length)) }))
    .some(({ made, pid }) => pid !== process.pid && counts(made) && isAlive(pid, made));
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
