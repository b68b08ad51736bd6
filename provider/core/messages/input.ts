import type { Code } from "../codes";
import type { Problem } from "../schemas";
import type { Settings } from "../settings";
import { type Message, say } from "./message";

// --- input, judged at preview

/** Path and rule, never the value: the engine prints a reason as it is, and the value may be secret. */
export const invalid = ({ path, rule }: Problem, code: Code = "AGP-001"): Message =>
  say(code, undefined, path === "" ? `${rule}.` : `${path} ${rule}.`);

export const workspaceMissing = (): Message =>
  invalid({ path: "workspaceId", rule: "must be given, here or as agent-platform:workspaceId" });

export const inboundAgentsMissing = (): Message =>
  say(
    "AGP-002",
    undefined,
    "inboundAgents was set and is now missing. Restore it, or set `inboundAgents: []` to unassign all agents.",
  );

/** A total has no stricter value than the stack's; a limit may be lower. */
export const loosens = (path: "weightTotal" | "maxShift", limit: number): Message =>
  say(
    "AGP-026",
    undefined,
    path === "weightTotal"
      ? `weightTotal must equal the stack's guard agent-platform:weightTotal (${limit}). Set it to ${limit}, or remove the argument.`
      : `maxShift must not exceed the stack's guard agent-platform:maxShift (${limit}). Lower it, or remove the argument.`,
  );

export const insecureWebhook = (who: string): Message =>
  say(
    "AGP-067",
    who,
    `inboundWebhookUrl uses http, so what the platform sends there can be read on the way. Use https.`,
  );

// --- settings

/** The token of the environment may be another account's: an explicit provider never takes it. */
export function tokenMissing({ tokenSource, providerName }: Pick<Settings, "tokenSource" | "providerName">): Message {
  const [whose, remedy] =
    providerName === undefined
      ? ["", "Set AGENT_PLATFORM_ACCESS_TOKEN, or run `pulumi config set --secret agent-platform:accessToken`."]
      : [
          ` of the provider "${providerName}"`,
          "Set it there. An explicit provider does not use AGENT_PLATFORM_ACCESS_TOKEN.",
        ];
  const what = `the access token${whose} is not set (looked for in ${tokenSource})`;
  return say("AGP-013", undefined, `${what}. ${remedy} Nothing was sent.`);
}

export const clientRefused = (sentence: string): Message => say("AGP-016", undefined, `${sentence} Nothing was sent.`);
