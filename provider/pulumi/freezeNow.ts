import { isObject } from "../core/common/equality";
import { partsOf } from "../core/common/urn";
import { NAMESPACE } from "../core/config/settings";
import { freezeText } from "../edge/session";
import { type Project, projectFileFrom, readProject, readYaml, stackFileOf } from "./projectFile";

/**
 * The freeze in the stack's config file. For a delete without a program, such as `pulumi destroy`, the engine configures a dynamic provider with
 * the settings of the last run, and it passes the config on to plugins alone. Undefined if the file is not found: `--config-file` names another.
 */
export function freezeInFile(urn: string, folder = process.cwd()): string | undefined {
  const project = projectOf(urn, folder);
  if (project === undefined) {
    return undefined;
  }
  const ofStack = orNothing(() => readYaml(stackFileOf(project, partsOf(urn).stack)).config);
  return freezeIn(ofStack) ?? freezeIn(project.config);
}

/**
 * Has the stack moved to YAML since a program in TypeScript applied this resource? Then the plugin's process knows what the program declares, and
 * this one does not: a delete would clear numbers that stay.
 */
export const isInYaml = (urn: string, folder = process.cwd()): boolean => projectOf(urn, folder)?.language === "yaml";

function projectOf(urn: string, folder: string): Project | undefined {
  const file = projectFileFrom(folder);
  const project = file && orNothing(() => readProject(file));
  return project && project.name === partsOf(urn).project ? project : undefined;
}

/** What cannot be read says nothing, because a delete must not fail by it. */
function orNothing<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function freezeIn(config: unknown): string | undefined {
  const entry = isObject(config) ? config[`${NAMESPACE}:freeze`] : undefined;
  if (isObject(entry)) {
    return "secure" in entry ? "the reason is encrypted" : freezeText(entry.value);
  }
  return freezeText(entry);
}
