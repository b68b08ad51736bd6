import { createHash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  constants,
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
import * as messages from "../../core/messages";
import { onceForValue } from "../../core/once";
import { type Declarer, ResourceError } from "../../resources/lifecycle";
import type { Door } from "./neighbours";

/**
 * The private file that the processes of a run share: a line each for a number that a provider process declares, for the resource that
 * does, for where the process listens, for a failure, for a number that the program declares, and for a create that comes and begins.
 */

/** Of the key of a number. What stands in its place for something else is shorter or longer. */
export const KEY_LENGTH = 24;
const FAILED = "failed";
const DOOR = "listens";
const WHO = "@";
const PROGRAM = "=";
const AWAITED = "+";
const BEGUN = "-";

const toWord = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const fromWord = (word: string): string => Buffer.from(word, "base64url").toString();

export const failed = (): string => `${process.pid} ${FAILED}\n`;
/** Of the numbers of a create. Where a resource moves to another provider, the process of the old one deletes. */
export const awaits = (key: string): string => `${process.pid} ${AWAITED}${key}\n`;
export const begins = (key: string): string => `${process.pid} ${BEGUN}${key}\n`;
export const listens = (door: Door): string => `${process.pid} ${DOOR} ${toWord(door)}\n`;

/** Of one resource, which holds a number by the key `held` where the engine has it. */
export const declaresInProgram = (keys: readonly string[], held: string): string =>
  keys.map((key) => `${process.pid} ${PROGRAM}${key} ${held}\n`).join("");

/** The lines of numbers, and before them one that says which resource declares them, where the edge knows. */
export function declares(keys: readonly string[], by: Declarer | undefined): string {
  if (by === undefined) {
    return keys.map((key) => `${process.pid} ${key}\n`).join("");
  }
  const tag = createHash("sha256").update(JSON.stringify(by)).digest("base64url").slice(0, 12);
  const lines = keys.map((key) => `${process.pid} ${key} ${tag}\n`);
  return [`${process.pid} ${WHO}${tag} ${toWord(by)}\n`, ...lines].join("");
}

/** What has been written so far. */
interface Read {
  /** The process that declared the number of this key last. */
  writerOf(key: string): number | undefined;
  /** Where a process listens. */
  doorOf(pid: number): Door | undefined;
  /** Who declared it first, as far as anyone said. */
  firstOf(key: string): Declarer | undefined;
  /**
   * Does a resource declare it that no provider process was asked for? Unknown where they were asked for none, as in a destroy that runs
   * the program.
   */
  isLeftOut(key: string): boolean;
  readonly awaitsCreate: boolean;
  readonly hasFailed: boolean;
  /** Has another process written anything? */
  readonly hasOthers: boolean;
}

export type Shared = { folder: string; why: string } | { folder: string; file: string; read: () => Read };

/** What the processes of a run share, or why they cannot: then nothing may be cleared, for another one may declare it. */
export function openShared(engineAddress: string): Shared {
  const folder = join(tmpdir(), `agent-platform-${process.getuid?.() ?? userInfo().username}`);
  try {
    const why = refusalOf(folder);
    if (why !== undefined) {
      return { folder, why };
    }
    const file = join(folder, createHash("sha256").update(engineAddress).digest("hex").slice(0, 16));
    // Also a process that declares nothing finds out here whether the others could.
    appendFileSync(file, "", { mode: 0o600 });
    return { folder, file, read: readerOf(file) };
  } catch (error) {
    return { folder, why: reasonOf(error) };
  }
}

export function orRefuse<T>({ folder }: Shared, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ResourceError(messages.unknownDeclarations(reasonOf(error), folder));
  }
}

const reasonOf = (error: unknown): string =>
  `cannot be used (${error instanceof Error && "code" in error ? String(error.code) : "unexpected error"})`;

/**
 * Only where the folder is ours alone: another user must be able neither to read nor to plant a declaration. It is named by the
 * user's id, for in a container that id may have no name.
 */
function refusalOf(folder: string): string | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { mode, uid } = lstatSync(folder);
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o077) !== 0)) {
    return uid === process.getuid() ? `has mode ${(mode & 0o777).toString(8)}` : "belongs to another user";
  }
  prune(folder);
  return undefined;
}

const AN_HOUR_MS = 3_600_000;
const A_DAY_MS = 24 * AN_HOUR_MS;

/**
 * Nobody tells a provider process that its run is over, so each one removes what earlier runs left: their addresses come back, and what
 * they declared would then stand in the way of a delete.
 */
function prune(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    try {
      const age = Date.now() - statSync(file).mtimeMs;
      if (age > A_DAY_MS || (age > AN_HOUR_MS && isLeft(file))) {
        rmSync(file);
      }
    } catch {
      // Another process is at the same, and was first.
    }
  }
}

/** Written by processes that have all ended. A file without a line may be that of a process that only deletes. */
function isLeft(file: string): boolean {
  const writers = new Set(readFileSync(file, "latin1").match(/^\d+/gm));
  return writers.size > 0 && ![...writers].some((pid) => isAlive(Number(pid)));
}

/**
 * Asked once for each number that is cleared and each resource that is checked, so only what was added since the last question is read.
 * A process that has ended may have declared in this run, or in an earlier one whose address came back: who can say? Its numbers are left
 * alone in this run, and nothing else is believed of one that had ended before this one began.
 */
function readerOf(file: string): () => Read {
  const writers = new Map<string, number>();
  const firsts = new Map<string, string | undefined>();
  const declarers = new Map<string, Declarer>();
  const doors = new Map<number, Door>();
  const inProgram = new Map<string, string>();
  const awaited = new Set<string>();
  const state = { hasFailed: false, hasOthers: false };
  let position = 0;
  let begun = "";

  function take(line: string, isOfThisRun: (pid: number) => boolean): void {
    const [text = "", key = "", more = ""] = line.split(" ");
    const pid = Number(text);
    if (key.startsWith(PROGRAM)) {
      // Its process ends before the first delete.
      inProgram.set(key.slice(PROGRAM.length), more);
      return;
    }
    // By its length alone: it may begin with any sign.
    const isNumber = key.length === KEY_LENGTH;
    if (isNumber) {
      writers.set(key, pid);
    }
    if (!isOfThisRun(pid)) {
      return;
    }
    state.hasOthers ||= pid !== process.pid;
    if (!isNumber) {
      takeOther(pid, key, more);
    } else if (!firsts.has(key)) {
      firsts.set(key, more);
    }
  }

  function takeOther(pid: number, key: string, more: string): void {
    if (key === FAILED) {
      state.hasFailed = true;
    } else if (key === DOOR) {
      doors.set(pid, JSON.parse(fromWord(more)));
    } else if (key.startsWith(AWAITED)) {
      awaited.add(`${pid} ${key.slice(AWAITED.length)}`);
    } else if (key.startsWith(BEGUN)) {
      awaited.delete(`${pid} ${key.slice(BEGUN.length)}`);
    } else if (key.startsWith(WHO)) {
      declarers.set(key.slice(WHO.length), JSON.parse(fromWord(more)));
    }
  }

  function readOn(isOfThisRun: (pid: number) => boolean): void {
    const { size } = statSync(file);
    if (size <= position) {
      return;
    }
    const part = readPart(file, position, size);
    position += part.length;
    const lines = (begun + part).split("\n");
    // Another process may be in the middle of a line.
    begun = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") {
        take(line, isOfThisRun);
      }
    }
  }

  // A process has written up to 100,000 lines.
  readOn(onceForValue(isAlive));
  const firstOf = (key: string) => declarers.get(firsts.get(key) ?? "");
  const isLeftOut = (key: string) => firsts.size > 0 && inProgram.has(key) && !writers.has(inProgram.get(key) ?? "");
  return () => {
    readOn(() => true);
    return {
      writerOf: (key) => writers.get(key),
      doorOf: (pid) => doors.get(pid),
      awaitsCreate: awaited.size > 0,
      firstOf,
      isLeftOut,
      ...state,
    };
  };
}

/**
 * The file is there since the process began: one that got lost must not be begun anew, without what the others declared. Another process
 * may have ended in the middle of a line, as a full disk has it: none of this one's is to be the rest of that.
 */
export function append(file: string, text: string): void {
  const descriptor = openSync(file, constants.O_WRONLY | constants.O_APPEND);
  try {
    appendFileSync(descriptor, `\n${text}`);
  } finally {
    closeSync(descriptor);
  }
}

function readPart(file: string, from: number, to: number): string {
  const part = Buffer.alloc(to - from);
  const descriptor = openSync(file, "r");
  try {
    return part.toString("latin1", 0, readSync(descriptor, part, 0, part.length, from));
  } finally {
    closeSync(descriptor);
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
