import { relative } from "node:path";
import { projectFileFrom, projectOfFile } from "../../provider/edge/projectFile";
import { UsageError } from "../errors";
import type { Io } from "../io";

/** The project of a command: where Pulumi finds it, and as Pulumi reads it. */

export const NO_PROJECT = "There is no Pulumi.yaml here or above. Run this in the folder of the program.";

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
