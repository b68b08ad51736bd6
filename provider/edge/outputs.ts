import type { ResourceKind } from "../core/platform/kinds";
import { NAMED_FIELDS } from "../core/routing/fields";

const named = <const Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, undefined])) as Readonly<Record<Name, undefined>>;

const OF_NUMBERS = named(
  ...NAMED_FIELDS,
  ...(["inboundAgents", "previousInboundAgents", "rollout", "since", "endpoint"] as const),
);

/** What the responses to the two POSTs say. */
const OF_VOICES = named(
  ...(["name", "gender", "language", "accent", "description", "provider", "tags"] as const),
  ...(["previewUrl", "playbackOverrideUrl", "createdAt", "updatedAt"] as const),
);
const OF_CHATS = named(
  ...(["version", "status", "type", "customAttributes", "startedAt", "endedAt", "transcript", "messages"] as const),
  ...(["chatCost", "chatAnalysis", "collectedDynamicVariables", "overrideDynamicVariables"] as const),
);

/** Every output of each kind of resource, as a class gives them to the SDK: without values. */
export const OUTPUTS = {
  NumberAssignment: { ...named("number", "platformIds"), ...OF_NUMBERS },
  NumberGroup: { ...named("numbers"), ...OF_NUMBERS },
  CommunityVoice: {
    ...named("workspaceId", "voiceProvider", "providerVoiceId", "voiceName", "publicUserId", "voiceId", "endpoint"),
    ...OF_VOICES,
  },
  SmsChat: {
    ...named("workspaceId", "agentId", "fromNumber", "toNumber", "metadata", "serviceDynamicVariables", "sendKey"),
    ...named("chatId", "endpoint"),
    ...OF_CHATS,
  },
} as const satisfies Record<ResourceKind, Readonly<Record<string, undefined>>>;

/**
 * What is saved beside the arguments and is secret if one of them is, because it may repeat that argument. Numbers keep in `unapplied` the
 * URL of a webhook, the one secret of a routing.
 */
export const REPEATING: Readonly<Record<ResourceKind, readonly string[]>> = {
  NumberAssignment: ["unapplied"],
  NumberGroup: ["unapplied"],
  CommunityVoice: Object.keys(OF_VOICES),
  SmsChat: Object.keys(OF_CHATS),
};
