import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { isObject } from "../core/common/equality";

/** The one reader of Pulumi's files: the project's file, and the config files of its stacks. */

export type Yaml = Readonly<Record<string, unknown>>;

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

/** The content of a file's first document, which is the one that Pulumi reads; an error if it cannot be read, or is not YAML. JSON is YAML. */
function readYaml(file: string): Yaml {
  // Loaded only here, because most runs and most commands read no file of Pulumi.
  const { parseAllDocuments } = require("yaml") as typeof import("yaml");
  const [document] = parseAllDocuments(readFileSync(file, "utf8"), { merge: true });
  const [error] = document?.errors ?? [];
  if (error !== undefined) {
    throw error;
  }
  const read: unknown = document?.toJS();
  return isObject(read) ? read : {};
}

export type Project = ReturnType<typeof projectOfFile>;

/** What a project's file says, as Pulumi reads it. */
export function projectOfFile(file: string) {
  const content = readYaml(file);
  const { name, runtime, main, config, stackConfigDir } = content;
  const folder = dirname(file);
  // `config: <folder>` is the older form of `stackConfigDir`.
  const configFolder = [config, stackConfigDir].find((value) => typeof value === "string") ?? "";
  return {
    file,
    content,
    name,
    runtimeOptions: isObject(runtime) && isObject(runtime.options) ? runtime.options : {},
    /** The file or the folder that `main` names; without it, the project's folder. */
    main: typeof main === "string" ? resolve(folder, main) : folder,
    configFolder: resolve(folder, configFolder as string),
    /** The ending of the project's file. Pulumi takes it for the stacks' files as well. */
    ending: extname(file),
    /** The config that all stacks have. */
    config: isObject(config) ? config : {},
  };
}

/** The folder in which Pulumi runs the program. */
export const programFolderOf = ({ main }: Pick<Project, "main">): string =>
  statSync(main, { throwIfNoEntry: false })?.isDirectory() || extname(main) === "" ? main : dirname(main);

export const stackFileOf = (
  { configFolder, ending }: Pick<Project, "configFolder" | "ending">,
  stack: string,
): string => join(configFolder, `Pulumi.${stack}${ending}`);
