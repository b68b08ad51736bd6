import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { stackFileOf } from "../../../provider/pulumi/projectFile";
import { UsageError } from "../../errors";
import { codeOf, type Io, readExactly } from "../../io";
import type { ProjectFile } from "../../pulumi/projectFile";
import { stackAlone } from "../../rollout/after";

/** The config file of a stack, whose text is edited. */
export interface TextFile {
  /** Without symbolic links: the file that a link leads to is replaced, and the link stays. */
  readonly path: string;
  /** The path from the operator's working directory. */
  readonly shown: string;
  readonly text: string;
}

/** The one file that Pulumi reads for the stack. */
export function readStackFile(project: ProjectFile, stack: string, io: Io): TextFile {
  const shown = relative(io.cwd, stackFileOf(project, stackAlone(stack)));
  const text = readExactly(shown, io);
  return { path: realpathSync(resolve(io.cwd, shown)), shown, text };
}

/** The file as it is now. */
export const reread = (file: TextFile): TextFile => ({ ...file, text: readFileSync(file.path, "utf8") });

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
