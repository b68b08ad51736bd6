import { series } from "../base/text";
import { type Message, messageOf, NO_REMEDY } from "../words/message";
import { NAMESPACE, type SettingKey, type UnknownSetting } from "./keys";

/**
 * Says that these arguments or settings must not be secret. Reviewers need to see them in the preview, and operators
 * need to see them in messages.
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
