import type { Problem } from "../common/schemas";
import type { SettingProblem } from "../config/readSettings";
import { NAMESPACE, type SettingKey, type Settings, TOKEN_SOURCES, type UnknownSetting } from "../config/settings";
import { secretText } from "../platform/kinds";
import { existsOnce } from "../routing/group";
import { inBrackets, type Message, messageOf, RULES_SAY_IT } from "./message";

// --- input, judged at preview

export function invalid({ path, rule, code }: Problem): Message {
  const text = path === "" ? `${rule}.` : `${path} ${rule}.`;
  return code === undefined ? messageOf("AGP-001", undefined, text, RULES_SAY_IT) : messageOf(code, undefined, text);
}

/** @param who the resource without its number, which may be what is secret */
export const secretRefused = (who: string, names: readonly string[]): Message =>
  messageOf("AGP-001", who, secretText(names), RULES_SAY_IT);

export const workspaceMissing = (): Message =>
  invalid({ path: "workspaceId", rule: "must be given, here or as agent-platform:workspaceId" });

/** @param numbers those of a group; a single number is in the label of its resource */
export const splitMissing = (numbers: readonly string[]): string =>
  `Nothing says who answers${numbers.length === 0 ? "" : inBrackets(numbers)}: both arguments are missing or blank`;

export const BOTH_SPLITS =
  "Write rollout or inboundAgents, not both; to keep a rollout as it is saved, name rollout in ignoreChanges";

// --- settings

export const secretSettings = (keys: readonly SettingKey[]): Message =>
  wrongSettings([secretText(keys.map((key) => `${NAMESPACE}:${key}`))]);

/** @param texts each with its file, if it is known */
export const wrongSettings = (texts: readonly string[]): Message =>
  messageOf("AGP-015", undefined, texts, RULES_SAY_IT);

export const settingRefused = ({ code, text }: Pick<SettingProblem, "code" | "text">): Message =>
  code === "AGP-015" ? wrongSettings([text]) : messageOf(code, undefined, text);

export const tokenMissing = ({ tokenSource }: Pick<Settings, "tokenSource">): Message =>
  messageOf(
    "AGP-013",
    undefined,
    `the access token is not set: it was looked for in ${TOKEN_SOURCES[tokenSource]}. Nothing was sent.`,
  );

/** @param name its name, if it is known */
export const explicitProviderRefused = (name: string): Message =>
  messageOf(
    "AGP-001",
    undefined,
    `the explicit provider "${name}" is refused, because a stack has one account, that of its config.`,
    "Put a second account in a second stack.",
  );

/** @param rule what is wrong with the address of the proxy, and how to write it */
export const clientRefused = (rule: string): Message => wrongSettings([`Nothing was sent. ${rule}`]);

// --- messages that mostly the program prints, before the engine has heard of a resource

/** @param owners the two resources, such as `NumberAssignment "support"` */
export function declaredTwice(number: string, owners: readonly [string, string]): Message {
  const noun = existsOnce(number) ? "number" : "extension";
  return messageOf("AGP-003", undefined, `${noun} ${number} is declared twice: by ${owners.join(" and by ")}.`);
}

/** Keys of a stack's config. */
export function noSuchSettings(unknown: readonly UnknownSetting[]): Message {
  const names = unknown.map(({ key }) => `${NAMESPACE}:${key}`);
  const [be, them] = names.length === 1 ? ["is not a setting", "it"] : ["are no settings", "them"];
  const remedies = unknown.map(({ key, meant }) => {
    const hint = meant === undefined ? "Run" : `Did you mean ${NAMESPACE}:${meant}? Set that, and run`;
    return `${hint} \`pulumi config rm ${NAMESPACE}:${key}\`.`;
  });
  return messageOf("AGP-015", undefined, `${names.join(", ")} ${be}, and nothing reads ${them}.`, remedies.join("\n"));
}

/** Keys of the project's own namespace with the name of a guard. */
export function guardsOfProject(project: string, keys: readonly string[]): Message {
  const lines = keys.map((key) => `${project}:${key} guards nothing: the setting is ${NAMESPACE}:${key}.`);
  const [all, own] = [NAMESPACE, project].map((namespace) => keys.map((key) => `${namespace}:${key}`).join(", "));
  return messageOf("AGP-015", undefined, lines, `Set ${all}, unless your program reads ${own} itself.`);
}

/** The program has logged each mistake as an error of its own. */
export const refusedForMistakes = (count: number): Message =>
  messageOf(
    "AGP-001",
    undefined,
    `refused because of ${count === 1 ? "the mistake" : `the ${count} mistakes`} above. Nothing was sent.`,
    `Fix ${count === 1 ? "that" : "these"}, then rerun.`,
  );
