import type { Code } from "../codes";
import type { Problem } from "../schemas";
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

export const tokenMissing = (source: string): Message =>
  say(
    "AGP-013",
    undefined,
    `the access token is not set (looked for in ${source}). Set AGENT_PLATFORM_ACCESS_TOKEN, or run ` +
      "`pulumi config set --secret agent-platform:accessToken`. Nothing was sent.",
  );

export const clientRefused = (sentence: string): Message => say("AGP-016", undefined, `${sentence} Nothing was sent.`);
