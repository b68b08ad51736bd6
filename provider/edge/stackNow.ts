import { basename } from "node:path";
import { isObject } from "../core/common/equality";
import { partsOf } from "../core/common/urn";
import type { SettingProblem } from "../core/config/readSettings";
import { NAMESPACE } from "../core/config/settings";
import { type Project, projectFileFrom, projectOfFile, readYaml, stackFileOf } from "./projectFile";
import { freezeText } from "./session";
import { leftOutOf, writtenIn } from "./yamlProgram";

/**
 * The stack as its files say now. For a delete without a program, such as `pulumi destroy`, the engine configures a dynamic provider with the
 * settings of the last run, and it passes the config on to plugins alone.
 */
export interface StackNow {
  /** The freeze in the stack's config file. Undefined also if the file is not found: `--config-file` names another. */
  readonly freeze?: string | undefined;
  /**
   * The language to which the stack has moved since this edge applied the resource. Then the other edge's process knows what the program declares,
   * and this one does not: a delete would clear numbers that stay.
   */
  readonly movedTo?: string | undefined;
  /** What Pulumi leaves out of a program in YAML, and why. */
  readonly leftOut?: readonly string[] | undefined;
  /** Does the file of a program in YAML still name the resource? */
  readonly isWritten?: boolean | undefined;
}

/** The runtimes in a project's file whose programs use the plugin, and the one whose programs use the dynamic provider. */
export const OF_PLUGIN = { yaml: "YAML", python: "Python", go: "Go", dotnet: ".NET", java: "Java" } as const;
export const OF_DYNAMIC_PROVIDER = { nodejs: "TypeScript" } as const;

/** @param others the runtimes of the other edge. An unknown runtime stops no delete, because it may be a new runtime of this edge. */
export const stackReader =
  (others: Readonly<Record<string, string>>) =>
  (urn: string, folder = process.cwd()): StackNow => {
    const project = projectOfUrn(urn, folder);
    if (project === undefined) {
      return {};
    }
    const { stack, kind, name } = partsOf(urn);
    const ofStack = orNothing(() => readYaml(stackFileOf(project, stack)).config);
    const written = orNothing(() => writtenIn(project, Object.keys(isObject(ofStack) ? ofStack : {}))) ?? [];
    return {
      freeze: freezeOfConfig(ofStack) ?? freezeOfConfig(project.config),
      movedTo: others[String(project.language)],
      leftOut: leftOutOf(written),
      isWritten: written.some((one) => one.kind === kind && one.name === name),
    };
  };

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
