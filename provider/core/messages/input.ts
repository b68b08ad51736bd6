import type { Problem } from "../common/schemas";
import { NAMESPACE, type SettingKey, type Settings, TOKEN_SOURCES, type UnknownSetting } from "../config/settings";
import { isSecretText } from "../platform/kinds";
import { existsOnce } from "../routing/group";
import { type Message, named, say } from "./message";

// --- input, judged at preview

export const invalid = ({ path, rule }: Problem): Message =>
  say(rule.startsWith(NO_SPLIT) ? "AGP-002" : "AGP-001", undefined, path === "" ? `${rule}.` : `${path} ${rule}.`);

/** @param who the resource without its number, which may be what is secret */
export const secretRefused = (who: string, names: readonly string[]): Message =>
  say("AGP-001", who, isSecretText(names));

export const workspaceMissing = (): Message =>
  invalid({ path: "workspaceId", rule: "must be given, here or as agent-platform:workspaceId" });

const NO_SPLIT = "Nothing says who answers";

/** @param numbers those of a group; a single number is in the label of its resource */
export const splitMissing = (numbers: readonly string[]): string =>
  `${NO_SPLIT}${numbers.length === 0 ? "" : named(numbers)}: both arguments are missing or blank`;

export const BOTH_SPLITS =
  "Write rollout or inboundAgents, not both; to keep a rollout as it is saved, name rollout in ignoreChanges";

// --- settings

export const secretSettings = (keys: readonly SettingKey[]): Message =>
  say("AGP-015", undefined, isSecretText(keys.map((key) => `${NAMESPACE}:${key}`)));

export const tokenMissing = ({ tokenSource }: Pick<Settings, "tokenSource">): Message =>
  say(
    "AGP-013",
    undefined,
    `the access token is not set (looked for in ${TOKEN_SOURCES[tokenSource]}). Nothing was sent.`,
  );

/** @param name its name, if it is known */
export const explicitProviderRefused = (name: string): Message =>
  say(
    "AGP-001",
    undefined,
    `the explicit provider "${name}" is refused, because a stack has one account, that of its config: put a second account in a second stack.`,
  );

export const clientRefused = (sentence: string): Message => say("AGP-015", undefined, `${sentence} Nothing was sent.`);

// --- messages that mostly the program prints, before the engine has heard of a resource

/** @param holders the two resources, such as `NumberAssignment "support"` */
export function declaredTwice(number: string, holders: readonly [string, string]): Message {
  const noun = existsOnce(number) ? "number" : "extension";
  return say("AGP-003", undefined, `${noun} ${number} is declared twice: by ${holders.join(" and by ")}.`);
}

/** @param texts each with its file, if it is known */
export const wrongSettings = (texts: readonly string[]): Message => say("AGP-015", undefined, ...texts);

/** Keys of a stack's config. */
export function noSuchSettings(unknown: readonly UnknownSetting[]): Message {
  const lines = unknown.map(({ key, meant }) => {
    const hint = meant === undefined ? "Run" : `Did you mean ${NAMESPACE}:${meant}? Set that, and run`;
    return `${NAMESPACE}:${key} is not a setting, and nothing reads it. ${hint} \`pulumi config rm ${NAMESPACE}:${key}\`.`;
  });
  return say("AGP-015", undefined, lines.join("\n"));
}

/** A library has this package, and the folder in which the provider's process looks for it has not. */
export const notInProject = (folder: string): Message =>
  say("AGP-016", undefined, `pulumi-agent-platform is not in ${folder}.`);

/** Keys of the project's own namespace with the name of a guard. */
export const guardsOfProject = (project: string, keys: readonly string[]): Message =>
  say(
    "AGP-015",
    undefined,
    ...keys.map(
      (key) =>
        `${project}:${key} guards nothing: the setting is ${NAMESPACE}:${key}. Set that, unless your program reads ${project}:${key} itself.`,
    ),
  );

/** The text of `refusedForMistakes`. A report leaves it out, because it shows the mistakes. */
export const REFUSED_FOR_MISTAKES = / refused because of the (?:mistake|\d+ mistakes) above\. Nothing was sent\.$/;

/** The program has logged each mistake as an error of its own. */
export const refusedForMistakes = (count: number): Message =>
  say(
    "AGP-001",
    undefined,
    `refused because of ${count === 1 ? "the mistake" : `the ${count} mistakes`} above. Nothing was sent.`,
  );
