import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, extname, join, relative, resolve } from "node:path";
import { parse } from "yaml";
import { isObject } from "../../../provider/core/common/equality";
import { UsageError } from "../../errors";
import { codeOf, exists, type Io, readExactly, readText } from "../../io";
import { stackAlone } from "../../rollout/after";

/** A file whose text is edited: the config file of a stack. */
export interface TextFile {
  /** Without symbolic links: the file that a link leads to is replaced, and the link stays. */
  readonly path: string;
  /** The path from the operator's working directory. */
  readonly shown: string;
  readonly text: string;
}

/** What the project's file says of the project, and its own config, which is the same for every stack. */
export interface ProjectFile {
  /** The path from the operator's working directory. */
  readonly shown: string;
  /** The folder of the stacks' config files. */
  readonly folder: string;
  /** The ending of the project's file. Pulumi takes it for the stacks' files as well. */
  readonly ending: string;
  readonly config: Readonly<Record<string, unknown>>;
}

export async function readProject(io: Io): Promise<ProjectFile> {
  const file = projectFile(io.cwd);
  if (file === undefined) {
    throw new UsageError("There is no Pulumi.yaml here or above. Run this in the folder of the program.");
  }
  const shown = relative(io.cwd, file);
  const ending = extname(file);
  if (ending === ".json") {
    throw new UsageError(`${shown} is JSON. This command edits YAML alone: write the project as Pulumi.yaml.`);
  }
  const read = parsed(await readText(file, io), shown);
  const { config, stackConfigDir } = isObject(read) ? read : {};
  return {
    shown,
    folder: resolve(dirname(file), typeof stackConfigDir === "string" ? stackConfigDir : ""),
    ending,
    config: isObject(config) ? config : {},
  };
}

/** The names of a project's file, in the order in which Pulumi looks for them in a folder, before it looks in the one above. */
const PROJECT_FILES = ["Pulumi.json", "Pulumi.yaml", "Pulumi.yml"];

function projectFile(folder: string): string | undefined {
  const found = PROJECT_FILES.map((name) => join(folder, name)).find(exists);
  const above = dirname(folder);
  return found !== undefined || above === folder ? found : projectFile(above);
}

function parsed(text: string, shown: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError(`${shown} is not YAML: ${String(error).split("\n")[0]}`);
  }
}

/** The one file that Pulumi reads for the stack: a file with the other ending is not read, although it may be there. */
export function readStackFile({ folder, ending }: ProjectFile, stack: string, io: Io): TextFile {
  return readForEdit(relative(io.cwd, join(folder, `Pulumi.${stackAlone(stack)}${ending}`)), io);
}

export function readForEdit(shown: string, io: Io): TextFile {
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
