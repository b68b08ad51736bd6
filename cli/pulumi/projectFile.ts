import { relative } from "node:path";
import { isObject } from "../../provider/core/common/equality";
import {
  type Project,
  programFolderOf,
  projectFileFrom,
  readProject as readFile,
} from "../../provider/pulumi/projectFile";
import { UsageError } from "../errors";
import type { Io } from "../io";

export { projectFileIn } from "../../provider/pulumi/projectFile";

/** The project of a command: where Pulumi finds it, and as Pulumi reads it. */

/** The folder from which the provider reads files: that of the program. Without a project that can be read, the working directory. */
export function programFolder(cwd: string): string {
  try {
    return programFolderOf(readFile(projectFileFrom(cwd) ?? ""));
  } catch {
    return cwd;
  }
}

export type ProjectFile = ReturnType<typeof readProject>;

export function readProject({ cwd }: Pick<Io, "cwd">) {
  const file = projectFileFrom(cwd);
  if (file === undefined) {
    throw new UsageError("There is no Pulumi.yaml here or above. Run this in the folder of the program.");
  }
  /** The path from the operator's working directory. */
  const shown = relative(cwd, file);
  if (file.endsWith(".json")) {
    throw new UsageError(`${shown} is JSON. The commands read YAML alone: write the project as Pulumi.yaml.`);
  }
  try {
    return { ...readFile(file), shown };
  } catch (error) {
    throw new UsageError(`${shown} is not YAML: ${String(error).split("\n")[0]}`);
  }
}

/**
 * The resources that Pulumi leaves out of the program in YAML of this folder, in silence: those that have the name of a key of the config.
 * None if the program is in another language, or cannot be read.
 * @param keys the keys of the stack's config, as `pulumi config --json` prints them
 */
export function droppedResources(folder: string, keys: readonly string[]): string[] {
  try {
    return droppedOf(readFile(projectFileFrom(folder) ?? ""), keys);
  } catch {
    return [];
  }
}

/** The project's file is the program if its language is YAML. */
function droppedOf({ language, name, config, content }: Project, keys: readonly string[]): string[] {
  if (language !== "yaml") {
    return [];
  }
  const declared = [config, content.configuration].flatMap(namesIn);
  const taken = new Set([...declared, ...keys].map((key) => key.replace(`${name}:`, "")));
  return namesIn(content.resources).filter((resource) => taken.has(resource));
}

const namesIn = (section: unknown): string[] => (isObject(section) ? Object.keys(section) : []);
