import { series } from "../base/text";
import { type Message, messageOf, NO_REMEDY } from "../words/message";
import { NAMESPACE, type SettingKey, type UnknownSetting } from "./keys";
import { isOfNumbers, postedAs, type ResourceKind } from "./kinds";

/**
 * Says that these arguments or settings must not be secret, because reviewers need to see them in the preview and
 * operators in messages.
 * @param names the secret arguments or settings, at least one
 */
export function secretText(names: readonly string[]): string {
  const [verb, pronoun] = names.length === 1 ? ["is", "it"] : ["are", "them"];
  return `${series(names)} ${verb} secret, so reviewers could not see ${pronoun}. Write ${pronoun} in plain text.`;
}

export const secretSettings = (keys: readonly SettingKey[]): Message =>
  wrongSettings([secretText(keys.map((key) => `${NAMESPACE}:${key}`))]);

/** @param texts a sentence for each problem, such as `agent-platform:maxShift must be a number from 0 to 100.` */
export const wrongSettings = (texts: readonly string[]): Message => messageOf("AGP-015", undefined, texts, NO_REMEDY);

/** The message about keys in a stack's config that are not settings. */
export function noSuchSettings(unknown: readonly UnknownSetting[]): Message {
  const names = unknown.map(({ key }) => key);
  const status =
    names.length === 1
      ? "is not a setting of this provider and would have no effect"
      : "are not settings of this provider and would have no effect";
  const remedies = unknown.map(({ key, meant }) => {
    const hint = meant === undefined ? "To remove" : `Did you mean ${meant}? If so, set it. To remove`;
    return `${hint} ${key}, run \`pulumi config rm ${key}\`.`;
  });
  return messageOf("AGP-015", undefined, `${series(names)} ${status}.`, remedies.join("\n"));
}

/**
 * The message about guards that were set in the project's own namespace, where they have no effect (for example, by
 * `pulumi config set maxShift 20`).
 */
export function guardsOfProject(project: string, keys: readonly string[]): Message {
  const [settings, projectKeys] = [NAMESPACE, project].map((namespace) =>
    series(keys.map((key) => `${namespace}:${key}`)),
  );
  const verb = keys.length === 1 ? "does not set a guard" : "do not set guards";
  return messageOf(
    "AGP-015",
    undefined,
    `${projectKeys} ${verb}, because guards are in the namespace ${NAMESPACE}.`,
    `Set ${settings} instead, unless your program itself reads ${projectKeys}.`,
  );
}

export const explicitProviderRefused = (name: string): Message =>
  messageOf(
    "AGP-001",
    undefined,
    `The explicit provider "${name}" is not allowed, because a stack uses only the account in its config.`,
    "To use a second account, create a second stack.",
  );

export const optionReadsNothing = (label: string, kind: ResourceKind, option: "import" | "id", id: string): Message =>
  messageOf(
    "AGP-007",
    label,
    `the resource option \`${option}\` cannot be used, because it would read the resource by its id, and the API has no read endpoint.`,
    isOfNumbers(kind)
      ? "To import numbers, write an import file with `npx pulumi-agent-platform takeover --import`, then run `pulumi import --file`."
      : `To record the existing ${postedAs(kind).noun}, use \`adopt: ${JSON.stringify(id)}\` instead, which sends nothing.`,
  );

/**
 * Refuses a delete because the folder for marks can't be used. Marks are files that tell a run's processes whether the
 * program has failed, and whether another process has checked resources. Without them, a delete doesn't know whether
 * this process has seen everything that the program declares.
 */
export const unknownProgram = (why: string, folder: string): Message =>
  messageOf(
    "AGP-076",
    undefined,
    `No number is cleared and no chat is ended, because this run does not know what the program declares. The provider keeps that information in the folder ${folder}, which ${why}.`,
  );
