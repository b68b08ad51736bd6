import { type Message, messageOf, RULES_SAY_IT } from "../words/message";
import { NAMESPACE, type SettingKey, type UnknownSetting } from "./keys";
import { isOfNumbers, type ResourceKind } from "./kinds";

/**
 * Who answers a call is never secret: a reviewer reads it in the preview, and an operator in a message.
 * @param names arguments or settings, at least one
 */
export function secretText(names: readonly string[]): string {
  const [be, them] = names.length === 1 ? ["is", "it"] : ["are", "them"];
  return `${names.join(", ")} ${be} secret, so a reviewer could not see ${them}. Write ${them} in plain text.`;
}

export const secretSettings = (keys: readonly SettingKey[]): Message =>
  wrongSettings([secretText(keys.map((key) => `${NAMESPACE}:${key}`))]);

/** @param texts each with its file, if it is known */
export const wrongSettings = (texts: readonly string[]): Message =>
  messageOf("AGP-015", undefined, texts, RULES_SAY_IT);

/** Keys of a stack's config. */
export function noSuchSettings(unknown: readonly UnknownSetting[]): Message {
  const names = unknown.map(({ key }) => key);
  const [be, them] = names.length === 1 ? ["is not a setting", "it"] : ["are no settings", "them"];
  const remedies = unknown.map(({ key, meant }) => {
    const hint = meant === undefined ? "Run" : `Did you mean ${meant}? Set that, and run`;
    return `${hint} \`pulumi config rm ${key}\`.`;
  });
  return messageOf("AGP-015", undefined, `${names.join(", ")} ${be}, and nothing reads ${them}.`, remedies.join("\n"));
}

/** Keys of the project's own namespace with the name of a guard. */
export function guardsOfProject(project: string, keys: readonly string[]): Message {
  const lines = keys.map((key) => `${project}:${key} guards nothing: the setting is ${NAMESPACE}:${key}.`);
  const [settings, projectKeys] = [NAMESPACE, project].map((namespace) =>
    keys.map((key) => `${namespace}:${key}`).join(", "),
  );
  return messageOf("AGP-015", undefined, lines, `Set ${settings}, unless your program reads ${projectKeys} itself.`);
}

/** @param name its name, if it is known */
export const explicitProviderRefused = (name: string): Message =>
  messageOf(
    "AGP-001",
    undefined,
    `the explicit provider "${name}" is refused, because a stack has one account, that of its config.`,
    "Put a second account in a second stack.",
  );

/** @param option of the resource, which asks the engine to read it */
export const optionReadsNothing = (label: string, kind: ResourceKind, option: "import" | "id", id: string): Message =>
  messageOf(
    "AGP-007",
    label,
    `the resource option \`${option}\` reads a resource by its id, and the API has no read endpoint.`,
    isOfNumbers(kind)
      ? "Write an import file with `npx pulumi-agent-platform takeover --import`, then run `pulumi import --file`."
      : `Declare it with adopt: ${JSON.stringify(id)}. That records it, and sends nothing.`,
  );

/** In this folder the processes of a run tell each other whether the program failed, and who knows what it declares. */
export const unknownProgram = (why: string, folder: string): Message =>
  messageOf(
    "AGP-076",
    undefined,
    `No number is cleared and no chat is ended, because it is not known what the program declares. ${folder} ${why}.`,
  );
