import { join, relative } from "node:path";
import type { Settings } from "../../../provider/core/config/settings";
import { codeOf, counted, violationText } from "../../../provider/core/messages";
import { capped } from "../../lists";
import type { ProjectFile } from "../../pulumi/projectFile";
import { settingsIn } from "../../pulumi/settingsFile";
import { stacksIn } from "../../pulumi/stackNames";
import type { PlannedResource } from "./grouped";
import { argsOf, checked, type ProgramOptions } from "./program";

/** The numbers join a project that is there, and its guards do not know the agents that callers have already. */

const MOST_LINES = 5;

/**
 * What the guards of a project's stacks would refuse in the first preview; empty if nothing.
 * @param stack the one that is named; without it all
 */
export function blockedText(
  folder: string,
  project: ProjectFile,
  stack: string | undefined,
  holders: readonly PlannedResource[],
  options: ProgramOptions,
): string {
  const stacks = stack === undefined ? stacksIn(project.folder, project.ending) : [stack];
  const files = stacks.map((one) => join(project.folder, `Pulumi.${one}${project.ending}`)).sort();
  return files.map((file) => blockedBy(relative(folder, file), settingsIn(folder, file), holders, options)).join("");
}

function blockedBy(
  file: string,
  settings: Settings | undefined,
  holders: readonly PlannedResource[],
  options: ProgramOptions,
): string {
  const lines = settings === undefined ? [] : holders.flatMap((holder) => violationsOf(holder, settings, options));
  if (lines.length === 0) {
    return "";
  }
  const shown = capped(lines, MOST_LINES, (more) => `and ${counted(more, "more thing")}`);
  const list = shown.map((line) => `  ${line}\n`).join("");
  return `The guards of ${file} block the first preview:\n\n${list}\nCallers have these routings already, so let the guards allow them in the same change.\n`;
}

function violationsOf(holder: PlannedResource, settings: Settings, options: ProgramOptions): string[] {
  const { violations } = checked(holder, Object.fromEntries(argsOf(holder, options)), settings);
  return violations.map((violation) => `${codeOf(violation)} ${holder.name}: ${violationText(violation)}`);
}
