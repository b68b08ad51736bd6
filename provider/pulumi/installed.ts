import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { notInProject, render } from "../core/messages";
import { programFolderOf, projectFileIn, projectOfFile } from "../edge/projectFile";
import { programError } from "./mistakes";
import { isOwnProgram, oncePerRun } from "./programRun";

/** The provider's process starts in the same folder as the program's. Most programs load this file before they go to another one. */
const STARTED_IN = process.cwd();

/**
 * Throws if the provider's process will not find this package. It looks in the program's folder, and with pnpm a library finds packages that the
 * program's folder does not have. What cannot be known is not judged: where the provider of an inline program will run, and what Yarn's
 * Plug'n'Play finds.
 */
export const refuseMissingPackage = oncePerRun((): true => {
  const isKnown = isOwnProgram() && process.versions.pnp === undefined;
  if (isKnown && !findsHandlers(STARTED_IN) && !programFolder().some(findsHandlers)) {
    throw programError(render(notInProject(STARTED_IN)));
  }
  return true;
});

/** As the project's file says it, if the CLI has told the program where that is. */
function programFolder(): string[] {
  const root = pulumi.getRootDirectory();
  const file = isAbsolute(root) ? projectFileIn(root) : undefined;
  return file === undefined ? [] : [programFolderOf(projectOfFile(file))];
}

function findsHandlers(folder: string): boolean {
  try {
    createRequire(join(folder, "index.js")).resolve("pulumi-agent-platform/handlers");
    return true;
  } catch {
    return false;
  }
}
