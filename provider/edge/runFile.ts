import { hash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { parseJson } from "../core/common/json";
import { onceForValue } from "../core/common/once";
import * as messages from "../core/messages";
import { ResourceError } from "../resources/lifecycle";
import {
  type Announced,
  type Heard,
  newHeard,
  type Reported,
  type RunFile,
  type RunLine,
} from "../resources/run/heard";

/**
 * The private file through which the processes of a run tell each other what they remember: one JSON object a line. Each provider has a
 * process of its own. The engine gives all processes of a run its address, so the file has its name from that address.
 */

const KEY_LENGTH = 24;

const keyOf = (identity: readonly string[]): string =>
  hash("sha256", JSON.stringify(identity), "base64url").slice(0, KEY_LENGTH);

/** Without an engine, as in a test, one process is the whole run. */
export function unsharedRun(): RunFile {
  const { take, heard } = newHeard();
  const tell = (told: Announced | Reported) => take({ pid: process.pid, ...told }, true);
  return {
    keyOf,
    announce: tell,
    report(told) {
      tell(told);
      return undefined;
    },
    heard: () => heard,
    refuseIfUnusable() {},
    isAlive,
  };
}

/** The folder with the files of all runs. Each call may throw an error of the file system. */
export interface RunFolder {
  readonly path: string;
  /** Makes the file if there is none. Returns why it cannot be used: the folder belongs to others, or a process of this run has given the file up. */
  make(name: string): string | undefined;
  /** The file must be the one that `make` has found or made: a new one would lack what the others declared. */
  append(name: string, text: string): void;
  /** What the file has from a position on. It must be the one that `make` has found or made. */
  readFrom(name: string, position: number): Buffer;
  /** No process can use the file any more: those that have opened it find it gone, and one that begins later finds a mark. */
  giveUp(name: string): void;
}

/** What is said if the file is gone, or is another one than before. */
const LOST = "lost the file of this run";

/** A process that takes part in a run. */
export interface RunProcess {
  readonly pid: number;
  isAlive(pid: number): boolean;
  readonly runFolder: () => RunFolder;
}

/** @param isProgram does this process run the program? Then it ends before the first delete */
export function openRunFile(engineAddress: string, isProgram = false, own: RunProcess = thisProcess): RunFile {
  const { pid, isAlive } = own;
  const folder = own.runFolder();
  const refusal = (why: string) => new ResourceError(messages.unknownDeclarations(why, folder.path));
  const opened = open(folder, engineAddress, isAlive);
  if ("why" in opened) {
    const alone = unsharedRun();
    return {
      ...alone,
      refuseIfUnusable() {
        throw refusal(opened.why);
      },
    };
  }
  const { name, read } = opened;
  let lost: string | undefined;

  /** What this process cannot tell, the others do not know, so they must not clear anything either. */
  function lose(error: unknown): string {
    if (lost === undefined) {
      lost = reasonOf(error);
      folder.giveUp(name);
    }
    return lost;
  }
  function refuseIfUnusable(): void {
    if (lost !== undefined) {
      throw refusal(lost);
    }
  }
  function orRefuse<T>(work: () => T): T {
    refuseIfUnusable();
    try {
      return work();
    } catch (error) {
      throw refusal(lose(error));
    }
  }
  const append = (told: Announced | Reported) =>
    folder.append(name, textOf({ pid, ...(isProgram && { isProgram }), ...told }));
  return {
    keyOf,
    announce: (told) => orRefuse(() => append(told)),
    report(told) {
      if (lost !== undefined) {
        return undefined;
      }
      try {
        append(told);
        return undefined;
      } catch (error) {
        return messages.untold(lose(error), folder.path);
      }
    },
    heard: () => orRefuse(read),
    refuseIfUnusable,
    isAlive,
  };
}

interface OpenFile {
  readonly name: string;
  /** What the file says now. */
  readonly read: () => Heard;
}

/** The run's file, or why it cannot be used: then nothing may be cleared, because another process may declare it. */
function open(folder: RunFolder, engineAddress: string, isAlive: RunProcess["isAlive"]): { why: string } | OpenFile {
  const name = hash("sha256", engineAddress).slice(0, 16);
  try {
    const why = folder.make(name);
    return why === undefined ? { name, read: readerOf((from) => folder.readFrom(name, from), isAlive) } : { why };
  } catch (error) {
    // What this process declares reaches no other one, so none of them may go on with a file of its own.
    folder.giveUp(name);
    return { why: reasonOf(error) };
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof FileReplaced
    ? LOST
    : `cannot be used (${error instanceof Error && "code" in error ? String(error.code) : "unexpected error"})`;

/** The file is another one than this process has opened. */
class FileReplaced extends Error {}

/**
 * Why the folder cannot be used. No other user may read or write declarations, so it must belong to this user alone. Its name has the id of
 * the user, because in a container the user may have no name.
 */
function refusalOf(folder: string): string | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { mode, uid } = lstatSync(folder);
  if (process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)) {
    return undefined;
  }
  return uid === process.getuid() ? `has mode ${(mode & 0o777).toString(8)}` : "belongs to another user";
}

const AN_HOUR_MS = 3_600_000;
const A_DAY_MS = 24 * AN_HOUR_MS;

/**
 * Removes files of earlier runs. No process learns that its run is over, so the next ones do it. A later engine may have the same address,
 * and old declarations would then block its deletes.
 */
function prune(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    try {
      const age = Date.now() - statSync(file).mtimeMs;
      if (age > A_DAY_MS || (age > AN_HOUR_MS && isAbandoned(file))) {
        rmSync(file);
      }
    } catch {
      // Another process may have removed it already.
    }
  }
}

/** Have all processes that wrote it ended? A file without a line may belong to a process that only deletes. */
function isAbandoned(file: string): boolean {
  const writers = new Set(linesIn(readFileSync(file, "utf8")).map(({ pid }) => pid));
  return writers.size > 0 && ![...writers].some(isAlive);
}

/** The lines that can be read: a full disk may have cut one. */
const linesIn = (text: string): RunLine[] =>
  text.split("\n").flatMap((line) => {
    const read = line === "" ? undefined : (parseJson(line) as RunLine | undefined);
    return typeof read?.pid === "number" ? [read] : [];
  });

/** Returns what the file says. Each call reads only what was added since the last one, because a delete asks once for each number. */
function readerOf(readFrom: (position: number) => Buffer, isAlive: (pid: number) => boolean): () => Heard {
  const { take, heard } = newHeard();
  let position = 0;

  function readOn(isOfThisRun: (pid: number) => boolean): void {
    const part = readFrom(position);
    // Another process may be in the middle of a line, which is read the next time.
    const end = part.lastIndexOf(LINE_END) + 1;
    position += end;
    for (const line of linesIn(part.toString("utf8", 0, end))) {
      take(line, isOfThisRun(line.pid));
    }
  }

  // A process that ended before this one began may belong to this run, or to an earlier run whose engine had the same address.
  readOn(onceForValue(isAlive));
  return () => {
    readOn(() => true);
    return heard;
  };
}

/** The first line break ends a line that a full disk may have cut. */
const textOf = (line: RunLine): string => `\n${JSON.stringify(line)}\n`;

const LINE_END = 0x0a;

// --- the folder on the disk

function folderOnDisk(): RunFolder {
  const path = join(tmpdir(), `agent-platform-${process.getuid?.() ?? userInfo().username}`);
  let ino: number | undefined;
  return {
    path,
    make(name) {
      const why = refusalOf(path);
      if (why !== undefined) {
        return why;
      }
      prune(path);
      if (isGivenUp(path, name)) {
        return LOST;
      }
      const file = join(path, name);
      // A process that declares nothing also has to know whether the others can write.
      appendFileSync(file, "", { mode: 0o600 });
      ({ ino } = statSync(file));
      return undefined;
    },
    append: (name, text) => append(join(path, name), ino, text),
    readFrom: (name, position) => readFrom(join(path, name), ino, position),
    giveUp: (name) => giveUp(path, name),
  };
}

/** Each step helps without the others. The process that gives the file up clears nothing in any case. */
function giveUp(folder: string, name: string): void {
  for (const step of [
    () => mkdirSync(folder, { recursive: true, mode: 0o700 }),
    () => appendFileSync(join(folder, `${name}${MARK}${process.pid}`), "", { mode: 0o600 }),
    () => rmSync(join(folder, name), { force: true }),
  ]) {
    try {
      step();
    } catch {
      // For example, the folder was replaced by a file.
    }
  }
}

const MARK = ".lost-";

/** Has a process of this run given up the file? One that has ended may belong to an earlier run with the same address. */
const isGivenUp = (folder: string, name: string): boolean =>
  readdirSync(folder).some(
    (one) => one.startsWith(name + MARK) && isAlive(Number(one.slice(name.length + MARK.length))),
  );

function append(file: string, ino: number | undefined, text: string): void {
  const descriptor = openSync(file, constants.O_WRONLY | constants.O_APPEND);
  try {
    if (fstatSync(descriptor).ino !== ino) {
      throw new FileReplaced();
    }
    appendFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

const NOTHING = Buffer.alloc(0);

function readFrom(file: string, ino: number | undefined, from: number): Buffer {
  const { size, ino: found } = statSync(file);
  if (found !== ino || size < from) {
    throw new FileReplaced();
  }
  if (size === from) {
    return NOTHING;
  }
  const part = Buffer.alloc(size - from);
  const descriptor = openSync(file, "r");
  try {
    return part.subarray(0, readSync(descriptor, part, 0, part.length, from));
  } finally {
    closeSync(descriptor);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The process that runs this code. */
export const thisProcess: RunProcess = { pid: process.pid, isAlive, runFolder: folderOnDisk };
