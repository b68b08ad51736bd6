import { readFileSync } from "node:fs";
import { dirname, extname, join, relative, resolve } from "node:path";
import { isObject } from "../../provider/core/common/equality";
import { UsageError } from "../errors";
import { exists, type Io, readText } from "../io";

/** In the order in which Pulumi looks for them. */
const PROJECT_FILES = ["Pulumi.json", "Pulumi.yaml", "Pulumi.yml"];

/** The file of the Pulumi project in a folder. */
export const projectFileIn = (folder: string): string | undefined =>
  PROJECT_FILES.map((name) => join(folder, name)).find(exists);

/** The provider reads files from the folder of the program: `main` of the project's file. */
export function programFolder(cwd: string): string {
  try {
    const main = /^[{\s]*"?main"?:\s*["']?([^"'\n#,}]+)/m
      .exec(readFileSync(projectFileIn(cwd) ?? "", "utf8"))?.[1]
      ?.trim();
    return main === undefined ? cwd : resolve(cwd, main.endsWith("/") ? main : main.replace(/[^/]*\.[cm]?[jt]s$/, ""));
  } catch {
    return cwd;
  }
}

/** What the project's file says of the project, and its own config, which is the same for every stack. */
export type ProjectFile = Awaited<ReturnType<typeof readProject>>;

export async function readProject(io: Io) {
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
    /** The path from the operator's working directory. */
    shown,
    /** The folder of the stacks' config files. */
    folder: resolve(dirname(file), typeof stackConfigDir === "string" ? stackConfigDir : ""),
    /** The ending of the project's file. Pulumi takes it for the stacks' files as well. */
    ending,
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
    // Loaded only here, because most calls read no project.
    const { parse } = require("yaml") as typeof import("yaml");
    return parse(text);
  } catch (error) {
    throw new UsageError(`${shown} is not YAML: ${String(error).split("\n")[0]}`);
  }
}
