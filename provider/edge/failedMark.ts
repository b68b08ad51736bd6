import { hash } from "node:crypto";
import { lstatSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import * as messages from "../core/messages";
import { ResourceError } from "../resources/lifecycle";

/**
 * The mark of a program that failed: a file with its name from the engine's address, which the program's process and the provider's process
 * have. Another engine may get that address later, so a mark counts for a day.
 */

const folder = (): string => join(tmpdir(), `agent-platform-${process.getuid?.() ?? userInfo().username}`); // in a container an id may have no name
const markOf = (address: string): string => join(folder(), `${hash("sha256", address).slice(0, 16)}.failed`);

export function writeMark(engineAddress: string): void {
  prepareFolder();
  writeFileSync(markOf(engineAddress), "failed\n", { mode: 0o600 });
}

/** Has the program failed? Throws if that cannot be known, because the folder is foreign or full. */
export function hasMark(engineAddress: string): boolean {
  try {
    prepareFolder();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ResourceError(
      messages.unknownFailure(code === undefined ? message : `cannot be used (${code})`, folder()),
    );
  }
  const mark = statSync(markOf(engineAddress), { throwIfNoEntry: false });
  return mark !== undefined && Date.now() - mark.mtimeMs < 24 * 3_600_000;
}

/** The folder must belong to this user alone, because no other one may write or remove marks. */
function prepareFolder(): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  const { mode, uid } = lstatSync(folder());
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o077) !== 0)) {
    throw new Error(uid === process.getuid() ? `has mode ${(mode & 0o777).toString(8)}` : "belongs to another user");
  }
  // What the program could not write, the provider's process cannot write either.
  writeFileSync(join(folder(), "probe"), "probe\n");
  rmSync(join(folder(), "probe"), { force: true });
}
