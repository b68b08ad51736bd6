import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { isObject } from "../core/common/equality";
import { KINDS, type ResourceKind } from "../core/platform/kinds";
import { documentsIn, type Project, programFolderOf } from "./projectFile";

/**
 * What a program in YAML says in its file. Pulumi leaves some of it out and says nothing: the engine then deletes such a resource, and a number
 * or an agent without a value is not in its map. So the settings of the provider and each delete ask the file.
 */

/** A resource of this package in the file. */
export interface WrittenResource {
  readonly kind: ResourceKind;
  readonly name: string;
  /** Why Pulumi leaves it or a part of it out, and what to do; undefined if it does not, as far as this is known. */
  readonly leftOut: string | undefined;
}

/** In the order in which Pulumi looks for the program. */
const PROGRAM_FILES = ["Main.json", "Main.yaml", "Pulumi.yaml"];

/** @param config the keys of the stack's config, with their namespace */
export function writtenIn(project: Project, config: readonly string[]): WrittenResource[] {
  const file = PROGRAM_FILES.map((name) => join(programFolderOf(project), name)).find(existsSync);
  if (project.language !== "yaml" || file === undefined) {
    return [];
  }
  const keys = [...config, ...Object.keys(project.config)].map((key) => key.replace(`${project.name}:`, ""));
  return documentsIn(file).flatMap((content, index) => {
    const resources = isObject(content) && isObject(content.resources) ? Object.entries(content.resources) : [];
    // Pulumi stops there, and takes neither it nor what comes after it.
    const end = resources.findIndex(([, one]) => isObject(one) && /^[^:]+$/.test(String(one.type ?? ":")));
    const [last = ""] = resources[end] ?? [];
    return resources.flatMap(([name, one], place): WrittenResource[] => {
      const leftOut =
        (index > 0 ? `it is in another document of ${basename(file)}: move it into the first one` : undefined) ??
        (keys.includes(name) ? "it has the name of a key of the config: rename the resource or the key" : undefined) ??
        (end >= 0 && place >= end
          ? `the type of "${last}" has no package: write it, as in agent-platform:NumberGroup`
          : undefined) ??
        blankIn(one);
      const kind = kindWritten(one);
      return kind === undefined ? [] : [{ kind, name, leftOut }];
    });
  });
}

/** Without its label a number would lose its agents; without the weight of one agent, another one may get all calls. */
function blankIn(resource: unknown): string | undefined {
  const properties = isObject(resource) && isObject(resource.properties) ? resource.properties : {};
  const [blank] = ["numbers", "inboundAgents"].flatMap((argument) => {
    const map = properties[argument];
    return Object.entries(isObject(map) ? map : {}).flatMap(([key, value]) =>
      value === null ? [`${argument}.${key}`] : [],
    );
  });
  return blank && `${blank} has no value: write one, or remove the key`;
}

/** What `get` reads is not declared, and so never deleted. */
function kindWritten(resource: unknown): ResourceKind | undefined {
  const type = isObject(resource) && resource.get === undefined ? String(resource.type) : "";
  const [, kind] = /^(?:agent-platform:(?:index:)?)?(\w+)$/.exec(type) ?? [];
  return KINDS.find((one) => one === kind);
}

/** `"numbers": it has the name of a key of the config: …`, for each resource that Pulumi leaves out. */
export const leftOutOf = (written: readonly WrittenResource[]): string[] =>
  written.flatMap(({ name, leftOut }) => (leftOut === undefined ? [] : [`"${name}": ${leftOut}`]));
