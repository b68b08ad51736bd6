import { dirname } from "node:path";
import { isObject } from "../core/common/equality";
import { partsOf } from "../core/common/urn";
import { NAMESPACE } from "../core/config/settings";
import { freezeText } from "../edge/settings";
import { type Project, projectFileFrom, readProject, readYaml, stackFileOf } from "./projectFile";

/**
 * The freeze in the stack's config file. For a delete without a program, such as `pulumi destroy`, the engine configures a dynamic provider with
 * the settings of the last run, and it passes the config on to plugins alone. Undefined if the file is not found: `--config-file` names another.
 */
export function freezeInFile(urn: string, folder = process.cwd()): string | undefined {
  const { stack, project: name } = partsOf(urn);
  const project = projectNamed(name, folder);
  if (project === undefined) {
    return undefined;
  }
  const ofStack = orNothing(() => readYaml(stackFileOf(project, stack)).config);
  return freezeIn(ofStack) ?? freezeIn(project.config);
}

/** The project of this name, here or above. The folder that `main` names may have a project of its own. */
function projectNamed(name: string, folder: string): Project | undefined {
  const file = projectFileFrom(folder);
  if (file === undefined) {
    return undefined;
  }
  const project = orNothing(() => readProject(file));
  if (project?.name === name) {
    return project;
  }
  const above = dirname(dirname(file));
  return above === dirname(file) ? undefined : projectNamed(name, above);
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
