import type { PostedKind } from "../../provider/config/kinds";
import { urnOf } from "./providerCalls";

export const VOICE = {
  workspaceId: 42,
  voiceProvider: "p",
  providerVoiceId: "v",
  voiceName: "Nova",
  publicUserId: "u",
};
export const CHAT = { workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15550000001", toNumber: "+15550009999" };

export const voice = { ...VOICE, __urn: urnOf("communityVoice", "nova") };
export const chat = { ...CHAT, __urn: urnOf("smsChat", "welcome") };

/**
 * All arguments except `adopt` and `retryUnresolved`. The voice's last three are sent as headers, which requires
 * `CONTEXT`.
 */
export const POSTED_ARGS = {
  CommunityVoice: { ...VOICE, actorType: "end_user", providerScope: "s", workspaceContext: "w" },
  SmsChat: { ...CHAT, metadata: { a: [null, { b: "é\n" }] }, serviceDynamicVariables: { n: [1] }, sendKey: "1" },
} satisfies Readonly<Record<PostedKind, object>>;

export const CONTEXT = {
  voiceHeaders: { actorType: "x-actor", providerScope: "x-scope", workspaceContext: "x-context" },
};
