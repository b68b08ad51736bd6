import { PROVIDER, type ResourceKind } from "../core/kinds";

/** The arguments whose values an output may repeat, beside the argument with its own name. */
export type SecretSources<Argument = string> = readonly Argument[] | "all" | "none";

/** A table of outputs that may repeat the same arguments. */
const comesFrom = <const Name extends string, const Of extends SecretSources>(sources: Of, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, sources])) as Readonly<Record<Name, Of>>;

const OF_NUMBERS = {
  ...comesFrom("none", [
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
  // A split may follow from a rollout.
  inboundAgents: ["rollout"],
  previousInboundAgents: ["inboundAgents", "rollout"],
} as const;

/**
 * Every output of each kind of resource, with the arguments that it may repeat. If an argument has the name of the output, the output is
 * secret if that argument is. Any other output is secret if one of the arguments that it may repeat is secret.
 */
export const OUTPUTS = {
  NumberAssignment: { ...comesFrom("none", ["number", "platformIds"]), ...OF_NUMBERS },
  NumberGroup: { ...comesFrom("none", ["numbers", "overrides"]), ...OF_NUMBERS },
  CommunityVoice: {
    ...comesFrom("none", ["workspaceId", "voiceProvider", "providerVoiceId", "voiceName", "publicUserId"]),
    ...comesFrom("none", ["voiceId", "endpoint"]),
    ...comesFrom("all", ["name", "gender", "language", "accent", "description", "provider", "tags"]),
    ...comesFrom("all", ["previewUrl", "playbackOverrideUrl", "createdAt", "updatedAt"]),
  },
  SmsChat: {
    ...comesFrom("none", ["workspaceId", "agentId", "fromNumber", "toNumber", "metadata", "serviceDynamicVariables"]),
    ...comesFrom("none", ["sendKey", "chatId", "endpoint"]),
    ...comesFrom("all", ["version", "status", "type", "customAttributes", "startedAt", "endedAt", "transcript"]),
    ...comesFrom("all", ["messages", "chatCost", "chatAnalysis"]),
    ...comesFrom("all", ["collectedDynamicVariables", "overrideDynamicVariables"]),
  },
} as const satisfies Record<ResourceKind, Readonly<Record<string, SecretSources>>>;

/** What the state of numbers has beside the outputs: what was not applied, and what a revert may return to. */
export const NOTES_ON_NUMBERS = { unapplied: "all", previous: "all" } as const satisfies Readonly<
  Record<string, SecretSources>
>;

/** What the state of any kind may have beside the outputs. */
export const NOTES: Readonly<Record<string, SecretSources>> = {
  providerName: "none",
  secretArguments: "none",
  unresolved: "none",
  [PROVIDER]: "none",
  ...NOTES_ON_NUMBERS,
};
