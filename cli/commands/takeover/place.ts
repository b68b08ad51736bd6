import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { isObject } from "../../../provider/core/common/equality";
import { parseJson } from "../../../provider/core/common/json";
import { programFolderOf, projectFileFrom, projectFileIn } from "../../../provider/pulumi/projectFile";
import { UsageError } from "../../errors";
import { type ProjectFile, readProject } from "../../pulumi/projectFile";

/** Asks what a project runs. A program that nothing runs would be worse than none: the next `up` deletes what an import has recorded. */

export const ELSEWHERE = "choose an empty folder, and copy from there what you need";

/** The project to which the folder belongs: its own, or one above that runs its program in this folder. */
export function projectOf(folder: string): ProjectFile | undefined {
  if (projectFileFrom(folder) === undefined) {
    return undefined;
  }
  const isOwn = projectFileIn(folder) !== undefined;
  const project = readProject({ cwd: folder });
  return isOwn || programFolderOf(project) === folder ? project : undefined;
}

/** The file in TypeScript that Pulumi runs in this project, whether it is there or not. */
export function programFile(project: ProjectFile): string {
  const { language, runtimeOptions, shown } = project;
  if (language !== "nodejs" || runtimeOptions.typescript === false) {
    const runs = language === "nodejs" ? "JavaScript alone" : `the runtime ${language}`;
    throw new UsageError(`${shown} runs ${runs}, not TypeScript. Nothing was written; ${ELSEWHERE}.`);
  }
  const file = entryOf(project);
  if (!file.endsWith(".ts")) {
    const runs = relative(dirname(project.file), file);
    throw new UsageError(`This project runs ${runs}, not a file in TypeScript. Nothing was written; ${ELSEWHERE}.`);
  }
  return file;
}

/** The engine asks Pulumi.yaml first, then package.json. If they name no file that is there, Node looks for an index. */
function entryOf(project: ProjectFile): string {
  const folder = programFolderOf(project);
  if (folder !== project.main) {
    return project.main;
  }
  const { file, exports, main } = manifestOf(folder);
  if (exports !== undefined) {
    return file;
  }
  if (typeof main !== "string") {
    return indexIn(folder);
  }
  const named = resolve(dirname(file), main);
  // `npm init` writes `index.js`, whether there is one or not.
  if (!existsSync(named) && /^(?:\.\/)?index(?:\.js)?$/.test(main)) {
    return indexIn(folder);
  }
  return isFolder(named) ? indexIn(named) : named;
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Node takes the other endings before `.ts`. */
const indexIn = (folder: string): string =>
  ["index.js", "index.mjs", "index.json", "index.node"].map((name) => join(folder, name)).find(existsSync) ??
  join(folder, "index.ts");

/** The next package.json, in this folder or above. */
function manifestOf(folder: string): { readonly file: string; readonly exports?: unknown; readonly main?: unknown } {
  const file = join(folder, "package.json");
  if (existsSync(file)) {
    const read = parseJson(readFileSync(file, "utf8"));
    return { ...(isObject(read) ? read : {}), file };
  }
  return dirname(folder) === folder ? { file } : manifestOf(dirname(folder));
}
