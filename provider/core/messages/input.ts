import { type Code, remedyOf } from "../common/codes";
import type { Problem } from "../common/schemas";
import { NAMESPACE, type Settings } from "../config/settings";
import { SECRET_ROLLOUTS } from "../routing/rollouts";
import { type Message, say } from "./message";

// --- input, judged at preview

/** It names the path and the rule. It shows a value only if `found` has one: the engine prints a reason as it is. */
export function invalid({ path, rule, found }: Problem, code: Code = "AGP-001"): Message {
  const what = found === undefined ? rule : `${rule}; found ${found}`;
  return say(code, undefined, path === "" ? `${what}.` : `${path} ${what}.`);
}

export const workspaceMissing = (): Message =>
  invalid({ path: "workspaceId", rule: "must be given, here or as agent-platform:workspaceId" });

export const splitMissing = (argument: "inboundAgents" | "rollout"): Message =>
  say("AGP-002", undefined, `${argument} was set and is now missing. ${remedyOf("AGP-002")}`);

export const BOTH_SPLITS = "Write rollout or inboundAgents, not both";

export const rolloutIgnored = (who: string): Message =>
  say(
    "AGP-028",
    who,
    "rollout is not applied, because `ignoreChanges` keeps the saved inboundAgents. Remove inboundAgents from `ignoreChanges`.",
  );

export const insecureWebhook = (who: string): Message =>
  say(
    "AGP-067",
    who,
    `inboundWebhookUrl uses http, so what the platform sends there can be read on the way. Use https.`,
  );

/** It does not show the value, which may be secret. `who` is undefined if the settings give the account to all resources. */
export const oddAccount = (who: string | undefined): Message =>
  say(
    "AGP-067",
    who,
    `${who === undefined ? `${NAMESPACE}:` : ""}accountSid does not have the form of a UUID, as the API describes it. It is sent as it is: check it.`,
  );

// --- settings

/** A promotion or an abort must be readable in the reviewed diff. */
export const secretRollouts = (): Message => say("AGP-015", undefined, SECRET_ROLLOUTS);

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
    "AGP-080",
    who,
    `was saved by the explicit provider "${name}", and ${ONE_ACCOUNT}. Forget it here with \`pulumi state delete\`, which sends nothing.`,
  );

export const clientRefused = (sentence: string): Message => say("AGP-016", undefined, `${sentence} Nothing was sent.`);
