import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { projectFileIn } from "./projectFile";

/**
 * The resources that Pulumi leaves out of the program in YAML in this folder, in silence: those that have the name of a key of the config.
 * None if the program is in another language, or cannot be read.
 * @param keys the keys of the stack's config, as `pulumi config --json` prints them
 */
export function droppedResources(folder: string, keys: readonly string[]): string[] {
  try {
    return droppedOf(readFileSync(projectFileIn(folder) ?? "", "utf8"), keys);
  } catch {
    return [];
  }
}

/** @param text of a Pulumi.yaml, which is the program if its runtime is YAML */
export function droppedOf(text: string, keys: readonly string[] = []): string[] {
  const { name, runtime, config, configuration, resources } = (parse(text) ?? {}) as Readonly<Record<string, unknown>>;
  const language = typeof runtime === "object" && runtime !== null && "name" in runtime ? runtime.name : runtime;
  if (language !== "yaml") {
    return [];
  }
  const declared = [config, configuration].flatMap(namesIn);
  const taken = new Set([...declared, ...keys].map((key) => key.replace(`${name}:`, "")));
  return namesIn(resources).filter((resource) => taken.has(resource));
}

const namesIn = (section: unknown): string[] =>
  typeof section === "object" && section !== null ? Object.keys(section) : [];
