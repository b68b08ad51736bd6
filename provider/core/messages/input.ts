import { remedyOf } from "../common/codes";
import type { Problem } from "../common/schemas";
import { NAMESPACE, type SettingKey, type Settings } from "../config/settings";
import { isSecretText } from "../platform/plain";
import { type Message, say } from "./message";

// --- input, judged at preview

export const invalid = ({ path, rule }: Problem): Message =>
  say("AGP-001", undefined, path === "" ? `${rule}.` : `${path} ${rule}.`);

/** @param who the resource without its number, which may be what is secret */
export const secretRefused = (who: string, names: readonly string[]): Message =>
  say("AGP-001", who, isSecretText(names));

export const workspaceMissing = (): Message =>
  invalid({ path: "workspaceId", rule: "must be given, here or as agent-platform:workspaceId" });

export const splitMissing = (argument: "inboundAgents" | "rollout"): Message =>
  say("AGP-002", undefined, `${argument} was set and is now missing. ${remedyOf("AGP-002")}`);

export const BOTH_SPLITS =
  "Write rollout or inboundAgents, not both; to keep a rollout as it is saved, name rollout in ignoreChanges";

// --- settings

export const secretSettings = (keys: readonly SettingKey[]): Message =>
  say("AGP-015", undefined, isSecretText(keys.map((key) => `${NAMESPACE}:${key}`)));

export const tokenMissing = ({ tokenSource }: Pick<Settings, "tokenSource">): Message =>
  say(
    "AGP-013",
    undefined,
    `the access token is not set (looked for in ${tokenSource}). Set AGENT_PLATFORM_ACCESS_TOKEN, or run \`pulumi config set --secret agent-platform:accessToken\`. Nothing was sent.`,
  );

/** What an explicit provider is told, wherever it is met. */
const ONE_ACCOUNT = "a stack has one account, that of its config: put a second account in a second stack";

/** @param name its name, if it is known */
export const explicitProviderRefused = (name: string): Message =>
  say("AGP-001", undefined, `the explicit provider "${name}" is refused, because ${ONE_ACCOUNT}.`);

/** A stack that an earlier release made may have the state of a resource of another account. */
export const savedByExplicitProvider = (who: string, name: string): Message =>
  say(
    "AGP-081",
    who,
    `was saved by the explicit provider "${name}", and ${ONE_ACCOUNT}. Forget it here with \`pulumi state delete\`, which sends nothing.`,
  );

export const clientRefused = (sentence: string): Message => say("AGP-015", undefined, `${sentence} Nothing was sent.`);
