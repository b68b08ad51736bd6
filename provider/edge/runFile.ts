import { hash } from "node:crypto";
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
import { parseJson } from "../core/json";
import * as messages from "../core/messages";
import { onceForValue } from "../core/once";
import { type Heard, newHeard, type Sentence, type Told } from "../resources/heard";
import { ResourceError } from "../resources/lifecycle";
import type { RunFile } from "../resources/run";

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
  return {
    keyOf,
    tell: (told) => take({ pid: process.pid, ...told }, true),
    heard: () => heard,
    refuseIfUnusable() {},
    isAlive,
  };
}

/** @param isProgram does this process run the program? Then it ends before the first delete */
export function openRunFile(engineAddress: string, isProgram = false): RunFile {
  const folder = join(tmpdir(), `agent-platform-${process.getuid?.() ?? userInfo().username}`);
  const refusal = (why: string) => new ResourceError(messages.unknownDeclarations(why, folder));
  const opened = open(folder, engineAddress);
  if ("why" in opened) {
    const alone = unsharedRun();
    return {
      ...alone,
      refuseIfUnusable() {
        throw refusal(opened.why);
      },
    };
  }
  const { file } = opened;
  const orRefuse = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw refusal(reasonOf(error));
    }
  };
  const read = orRefuse(() => readerOf(file));
  return {
    keyOf,
    // A process that cannot tell the others what it declares must stop, because they would clear its numbers.
    tell: (told: Told) =>
      orRefuse(() => append(file, { pid: process.pid, ...(isProgram && { isProgram }), ...told } satisfies Sentence)),
    heard: () => orRefuse(read),
    refuseIfUnusable() {},
    isAlive,
  };
}

/** The file, or why it cannot be used: then nothing may be cleared, because another process may declare it. */
function open(folder: string, engineAddress: string): { readonly why: string } | { readonly file: string } {
  try {
    const why = refusalOf(folder);
    if (why !== undefined) {
      return { why };
    }
    prune(folder);
    const file = join(folder, hash("sha256", engineAddress).slice(0, 16));
    // A process that declares nothing also has to know whether the others can write.
    appendFileSync(file, "", { mode: 0o600 });
    return { file };
  } catch (error) {
    return { why: reasonOf(error) };
  }
}

const reasonOf = (error: unknown): string =>
  `cannot be used (${error instanceof Error && "code" in error ? String(error.code) : "unexpected error"})`;

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
  const writers = new Set(sentencesIn(readFileSync(file, "utf8")).map(({ pid }) => pid));
  return writers.size > 0 && ![...writers].some(isAlive);
}

/** The lines that can be read: a full disk may have cut one. */
const sentencesIn = (text: string): Sentence[] =>
  text.split("\n").flatMap((line) => {
    const sentence = line === "" ? undefined : (parseJson(line) as Sentence | undefined);
    return typeof sentence?.pid === "number" ? [sentence] : [];
  });

/** Returns what the file says. Each call reads only what was added since the last one, because a delete asks once for each number. */
function readerOf(file: string): () => Heard {
  const { take, heard } = newHeard();
  let position = 0;

  function readOn(isOfThisRun: (pid: number) => boolean): void {
    const { size } = statSync(file);
    if (size <= position) {
      return;
    }
    const part = readPart(file, position, size);
    // Another process may be in the middle of a line, which is read the next time.
    const end = part.lastIndexOf(LINE_END) + 1;
    position += end;
    for (const sentence of sentencesIn(part.toString("utf8", 0, end))) {
      take(sentence, isOfThisRun(sentence.pid));
    }
  }

  // A process that ended before this one began may belong to this run, or to an earlier run whose engine had the same address.
  readOn(onceForValue(isAlive));
  return () => {
    readOn(() => true);
    return heard;
  };
}

/** The file must exist: a new one would lack what the others declared. The first line break ends a line that a full disk may have cut. */
function append(file: string, sentence: Sentence): void {
  const descriptor = openSync(file, constants.O_WRONLY | constants.O_APPEND);
  try {
    appendFileSync(descriptor, `\n${JSON.stringify(sentence)}\n`);
  } finally {
    closeSync(descriptor);
  }
}

const LINE_END = 0x0a;

function readPart(file: string, from: number, to: number): Buffer {
  const part = Buffer.alloc(to - from);
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
