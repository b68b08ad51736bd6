import type { Problem } from "../common/schemas";
import type { SettingProblem } from "../config/readSettings";
import { type Settings, TOKEN_SOURCES } from "../config/settings";
import { secretText } from "../platform/kinds";
import { existsOnce } from "../routing/group";
import { inBrackets, type Message, messageOf, RULES_SAY_IT } from "./message";
import { wrongSettings } from "./program";

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

export const settingRefused = ({ code, text }: Pick<SettingProblem, "code" | "text">): Message =>
  code === "AGP-015" ? wrongSettings([text]) : messageOf(code, undefined, text);

export const tokenMissing = ({ tokenSource }: Pick<Settings, "tokenSource">): Message =>
  messageOf(
    "AGP-013",
    undefined,
    `the access token is not set: it was looked for in ${TOKEN_SOURCES[tokenSource]}. Nothing was sent.`,
  );

/** @param rule what is wrong with the address of the proxy, and how to write it */
export const clientRefused = (rule: string): Message => wrongSettings([`Nothing was sent. ${rule}`]);

/** @param owners the two resources, such as `NumberAssignment "support"` */
export function declaredTwice(number: string, owners: readonly [string, string]): Message {
  const noun = existsOnce(number) ? "number" : "extension";
  return messageOf("AGP-003", undefined, `${noun} ${number} is declared twice: by ${owners.join(" and by ")}.`);
}
