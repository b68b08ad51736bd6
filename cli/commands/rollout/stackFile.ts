import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parse } from "yaml";
import { isObject } from "../../../provider/core/equality";
import { UsageError } from "../../errors";
import { codeOf, exists, type Io, readExactly, readText } from "../../io";
import { projectFileIn } from "../../pulumi/projectFile";

/** The config file of a stack. */
export interface StackFile {
  /** Without symbolic links: the file that a link leads to is replaced, and the link stays. */
  readonly path: string;
  /** The path from the operator's working directory. */
  readonly shown: string;
  readonly text: string;
}

/** What `Pulumi.yaml` says of the project, and its own config, which is the same for every stack. */
export interface ProjectFile {
  readonly folder: string;
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
}

export async function readProject(io: Io): Promise<ProjectFile> {
  const file = projectFile(io.cwd);
  if (file === undefined) {
    throw new UsageError("There is no Pulumi.yaml here or above. Run this in the folder of the program.");
  }
  const shown = relative(io.cwd, file);
  const read = parsed(await readText(file, io), shown);
  const { name, config, stackConfigDir } = isObject(read) ? read : {};
  return {
    folder: resolve(dirname(file), typeof stackConfigDir === "string" ? stackConfigDir : ""),
    name: typeof name === "string" ? name : "",
    config: isObject(config) ? config : {},
  };
}

function projectFile(folder: string): string | undefined {
  const found = projectFileIn(folder);
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

/** The name of the file has the last part of the stack's name `organization/project/prod`. */
export function readStackFile(project: ProjectFile, stack: string, io: Io): StackFile {
  const base = `Pulumi.${stack.split("/").at(-1)}`;
  const names = [`${base}.yaml`, `${base}.yml`].map((name) => join(project.folder, name));
  const path = names.find(exists) ?? join(project.folder, `${base}.yaml`);
  const shown = relative(io.cwd, path);
  return { path: exists(path) ? realpathSync(path) : path, shown, text: readExactly(shown, io) };
}

/** Replaces the file by a rename, so that no reader sees half of it, and neither a full disk nor a kill leaves half of it. False if another process has written it since. */
export function replaceFile({ path, shown, text }: StackFile, next: string): boolean {
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

/** The lines that differ, as a review shows them. An edit changes lines and adds some, and takes none away. */
export function lineDiff(before: string, after: string): string {
  const [old, now] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  const lines: string[] = [];
  let left = 0;
  for (const [right, line] of now.entries()) {
    // An added line moves the rest down by one. A changed line moves nothing.
    const isAdded = now.length - right > old.length - left && fieldOf(old[left]) !== fieldOf(line);
    if (old[left] !== line) {
      lines.push(...(isAdded ? [] : [`-${old[left]}`]), `+${line}`);
    }
    left += isAdded ? 0 : 1;
  }
  return lines.join("\n");
}

const fieldOf = (line: string | undefined): string => /^ *[^:]*/.exec(line ?? "")?.[0] ?? "";
