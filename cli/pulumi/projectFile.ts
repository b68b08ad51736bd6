import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, join, relative, resolve } from "node:path";
import { isObject } from "../../provider/core/common/equality";
import { UsageError } from "../errors";
import type { Io } from "../io";

/** The project of a command: where Pulumi finds it, and as Pulumi reads it. */

export const NO_PROJECT = "There is no Pulumi.yaml here or above. Run this in the folder of the program.";

/** In the order in which Pulumi looks for them. */
const PROJECT_FILES = ["Pulumi.json", "Pulumi.yaml", "Pulumi.yml"];

/** The project's file in this folder. */
export const projectFileIn = (folder: string): string | undefined =>
  PROJECT_FILES.map((name) => join(folder, name)).find(existsSync);

/** The project's file in this folder or in the next one above. */
export function projectFileFrom(folder: string): string | undefined {
  const above = dirname(folder);
  return projectFileIn(folder) ?? (above === folder ? undefined : projectFileFrom(above));
}

export type ProjectFile = ReturnType<typeof projectHere>;

export function projectHere({ cwd }: Pick<Io, "cwd">) {
  const file = projectFileFrom(cwd);
  if (file === undefined) {
    throw new UsageError(NO_PROJECT);
  }
  /** The path from the operator's working directory. */
  const shown = relative(cwd, file);
  if (file.endsWith(".json")) {
    throw new UsageError(`${shown} is JSON. The commands read YAML alone: write the project as Pulumi.yaml.`);
  }
  try {
    return { ...projectOfFile(file), shown };
  } catch (error) {
    throw new UsageError(`${shown} is not YAML: ${String(error).split("\n")[0]}`);
  }
}

/** What a project's file says, as Pulumi reads it. */
function projectOfFile(file: string) {
  const { config, stackConfigDir } = readYaml(file);
  // `config: <folder>` is the older form of `stackConfigDir`.
  const configFolder = [config, stackConfigDir].find((value) => typeof value === "string") ?? "";
  return {
    file,
    configFolder: resolve(dirname(file), configFolder as string),
    /** The ending of the project's file. Pulumi takes it for the stacks' files as well. */
    ending: extname(file),
    /** The config that all stacks have. */
    config: isObject(config) ? config : {},
  };
}

/** The content of a file's first document, which is the one that Pulumi reads; an error if it cannot be read, or is not YAML. */
function readYaml(file: string): Readonly<Record<string, unknown>> {
  // Loaded only here, because most commands read no file of Pulumi.
  const { parseAllDocuments } = require("yaml") as typeof import("yaml");
  const [document] = parseAllDocuments(readFileSync(file, "utf8"), { merge: true });
  const [error] = document?.errors ?? [];
  if (error !== undefined) {
    throw error;
  }
  const read: unknown = document?.toJS();
  return isObject(read) ? read : {};
}

export const stackFileOf = ({ configFolder, ending }: ProjectFile, stack: string): string =>
  join(configFolder, `Pulumi.${stack}${ending}`);
