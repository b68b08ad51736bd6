import { PROVIDER } from "../core/dynamicState";
import type { ResourceKind } from "../core/urn";

/** The arguments that an output may repeat, beside the argument of its own name: these, all, or none. */
export type Echoed<Argument = string> = readonly Argument[] | "all" | "no other";

/** Outputs that may repeat the same arguments. */
const echoing = <const Name extends string, const Of extends Echoed>(echoed: Of, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, echoed])) as Readonly<Record<Name, Of>>;

const ROUTED = {
  ...echoing("no other", [
    "accountSid",
    "workspaceId",
    "outboundAgentId",
    "outboundAgentVersion",
    "rollout",
    "inboundWebhookUrl",
    "isTimeRoutingEnabled",
    "since",
    "endpoint",
  ]),
  // A rollout becomes a split.
  inboundAgents: ["rollout"],
  previousInboundAgents: ["inboundAgents", "rollout"],
} as const;

/**
 * Every output of each kind of resource. An output with the name of an argument is secret if that argument is. Any other output is
 * secret if one of the arguments is that it may repeat.
 */
export const OUTPUTS = {
  NumberAssignment: { ...echoing("no other", ["number", "platformIds"]), ...ROUTED },
  NumberGroup: { ...echoing("no other", ["numbers", "overrides"]), ...ROUTED },
  CommunityVoice: {
    ...echoing("no other", ["workspaceId", "voiceProvider", "providerVoiceId", "voiceName", "publicUserId"]),
    ...echoing("no other", ["voiceId", "endpoint"]),
    ...echoing("all", ["name", "gender", "language", "accent", "description", "provider", "tags"]),
    ...echoing("all", ["previewUrl", "playbackOverrideUrl", "createdAt", "updatedAt"]),
  },
  SmsChat: {
    ...echoing("no other", ["workspaceId", "agentId", "fromNumber", "toNumber", "metadata", "serviceDynamicVariables"]),
    ...echoing("no other", ["sendKey", "chatId", "endpoint"]),
    ...echoing("all", ["version", "status", "type", "customAttributes", "startedAt", "endedAt", "transcript"]),
    ...echoing("all", ["messages", "chatCost", "chatAnalysis"]),
    ...echoing("all", ["collectedDynamicVariables", "overrideDynamicVariables"]),
  },
} as const satisfies Record<ResourceKind, Readonly<Record<string, Echoed>>>;

/** Notes in the state: on numbers that were not applied, and on what a revert may return to. */
export const NOTES_ON_NUMBERS = { unapplied: "all", previous: "all" } as const satisfies Readonly<
  Record<string, Echoed>
>;

/** What is saved beside the outputs. */
export const NOTES: Readonly<Record<string, Echoed>> = {
  providerName: "no other",
  secretArguments: "no other",
  unresolved: "no other",
  [PROVIDER]: "no other",
  ...NOTES_ON_NUMBERS,
};
