import { isObject } from "../core/common/equality";
import { partsOf } from "../core/common/urn";
import { NAMESPACE } from "../core/config/settings";
import { freezeText } from "../edge/session";
import { projectFileFrom, readProject, readYaml, stackFileOf } from "./projectFile";

/**
 * The freeze in the stack's config file. For a delete without a program, such as `pulumi destroy`, the engine configures a dynamic provider with
 * the settings of the last run, and it passes the config on to plugins alone. Undefined if the file is not found: `--config-file` names another.
 */
export function freezeInFile(urn: string, folder = process.cwd()): string | undefined {
  const { stack, project: name } = partsOf(urn);
  const file = projectFileFrom(folder);
  const project = file && orNothing(() => readProject(file));
  if (!project || project.name !== name) {
    return undefined;
  }
  const ofStack = orNothing(() => readYaml(stackFileOf(project, stack)).config);
  return freezeIn(ofStack) ?? freezeIn(project.config);
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
