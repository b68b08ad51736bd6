import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { stackFileOf } from "../../../provider/pulumi/projectFile";
import { UsageError } from "../../errors";
import { codeOf, type Io, readExactly } from "../../io";
import type { ProjectFile } from "../../pulumi/projectFile";
import { stackAlone } from "../../rollout/after";

/** A file whose text is edited: the config file of a stack. */
export interface TextFile {
  /** Without symbolic links: the file that a link leads to is replaced, and the link stays. */
  readonly path: string;
  /** The path from the operator's working directory. */
  readonly shown: string;
  readonly text: string;
}

/** The one file that Pulumi reads for the stack: a file with the other ending is not read, although it may be there. */
export function readStackFile(project: ProjectFile, stack: string, io: Io): TextFile {
  return readForEdit(relative(io.cwd, stackFileOf(project, stackAlone(stack))), io);
}

function readForEdit(shown: string, io: Io): TextFile {
  const text = readExactly(shown, io);
  return { path: realpathSync(resolve(io.cwd, shown)), shown, text };
}

/**
 * Replaces the file by a rename, so that no reader sees half of it, and neither a full disk nor a kill leaves half of it. False if another
 * process has written it since.
 */
export function replaceFile({ path, shown, text }: TextFile, next: string): boolean {
  const { mode } = statSync(path);
  // The mode decides, because a rename only needs the permission of the folder, and root may write every file.
  if ((mode & 0o222) === 0) {
    throw new UsageError(`${shown} is read-only. Nothing was changed.`);
  }
  const beside = `${path}.${process.pid}.new`;
  try {
    writeFileSync(beside, next, { flag: "wx", mode: mode & 0o777, flush: true });
    const isUnchanged = readFileSync(path, "utf8") === text;
    if (isUnchanged) {
      renameSync(beside, path);
    }
    return isUnchanged;
  } catch (error) {
    throw new UsageError(`${shown} cannot be written (${codeOf(error)}). Nothing was changed.`);
  } finally {
    rmSync(beside, { force: true });
  }
}

/** The lines that differ, as a review shows them: the lines that go before those that come. */
export function lineDiff(before: string, after: string): string {
  const [old, now] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  const isSame = (index: number, from: number) => old.at(from + index) === now.at(from + index);
  const most = Math.min(old.length, now.length);
  let first = 0;
  while (first < most && isSame(first, 0)) {
    first += 1;
  }
  let last = 0;
  while (last < most - first && isSame(-1 - last, 0)) {
    last += 1;
  }
  return changedLines(old.slice(first, old.length - last), now.slice(first, now.length - last)).join("\n");
}

/** The longest common lines stay; what is between them goes or comes. An edit is a few lines long. */
function changedLines(old: readonly string[], now: readonly string[]): string[] {
  const [line, ...rest] = now;
  const isKnown = (one: string) => old.some((other) => fieldOf(other) === fieldOf(one));
  if (line === undefined || !now.some(isKnown)) {
    return [...old.map((one) => `-${one}`), ...now.map((one) => `+${one}`)];
  }
  const place = old.indexOf(line);
  if (place >= 0) {
    return [...old.slice(0, place).map((one) => `-${one}`), ...changedLines(old.slice(place + 1), rest)];
  }
  const field = fieldOf(line);
  const replaced = old.findIndex((one) => fieldOf(one) === field);
  const gone = old.slice(0, replaced + 1).map((one) => `-${one}`);
  return [...gone, `+${line}`, ...changedLines(old.slice(replaced + 1), rest)];
}

const fieldOf = (line: string | undefined): string => /^ *[^:]*/.exec(line ?? "")?.[0] ?? "";
