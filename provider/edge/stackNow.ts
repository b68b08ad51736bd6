import { basename } from "node:path";
import { isObject } from "../core/common/equality";
import { partsOf } from "../core/common/urn";
import type { SettingProblem } from "../core/config/readSettings";
import { NAMESPACE } from "../core/config/settings";
import { type Project, projectFileFrom, projectOfFile, readYaml, stackFileOf } from "./projectFile";
import { freezeText } from "./session";

/**
 * The stack as its files say now. For a delete without a program, such as `pulumi destroy`, the engine configures a dynamic provider with the
 * settings of the last run.
 */
export interface StackNow {
  /** The freeze in the stack's config file. Undefined also if the file is not found: `--config-file` names another. */
  readonly freeze?: string | undefined;
}

export function stackNow(urn: string, folder = process.cwd()): StackNow {
  const project = projectOfUrn(urn, folder);
  if (project === undefined) {
    return {};
  }
  const { stack } = partsOf(urn);
  const ofStack = orNothing(() => readYaml(stackFileOf(project, stack)).config);
  return { freeze: freezeOfConfig(ofStack) ?? freezeOfConfig(project.config) };
}

function projectOfUrn(urn: string, folder: string): Project | undefined {
  const file = projectFileFrom(folder);
  const project = file && orNothing(() => projectOfFile(file));
  return project && project.name === partsOf(urn).project ? project : undefined;
}

/** What is wrong with a setting, after the name of its file. @param urn of anything in the stack */
export function withFile({ key, text }: SettingProblem, urn: string): string {
  const file = key === undefined ? undefined : fileWithKey(`${NAMESPACE}:${key}`, urn);
  return file === undefined ? text : `${file}: ${text}`;
}

/** The name of the file that has a key of the stack's config. Undefined if none is found to have it: `--config-file` names another. */
export function fileWithKey(key: string, urn: string, folder = process.cwd()): string | undefined {
  const project = projectOfUrn(urn, folder);
  const has = (config: unknown) => isObject(config) && key in config;
  if (project === undefined) {
    return undefined;
  }
  const ofStack = stackFileOf(project, partsOf(urn).stack);
  const isInStack = has(orNothing(() => readYaml(ofStack))?.config);
  const file = isInStack ? ofStack : project.file;
  return isInStack || has(project.config) ? basename(file) : undefined;
}

/** What cannot be read says nothing, because a delete must not fail by it. */
function orNothing<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function freezeOfConfig(config: unknown): string | undefined {
  const entry = isObject(config) ? config[`${NAMESPACE}:freeze`] : undefined;
  if (isObject(entry)) {
    return "secure" in entry ? "the reason is encrypted" : freezeText(entry.value);
  }
  return freezeText(entry);
}
