import { PROVIDER, type ResourceKind } from "../core/platform/kinds";
import { NAMED_FIELDS } from "../core/routing/fields";

/** The arguments whose values an output may repeat. It repeats the argument with its own name in any case: `itself` is no other one. */
export type SecretSources<Argument = string> = readonly Argument[] | "all" | "itself";

/** A table of outputs that may repeat the same arguments. */
const comesFrom = <const Name extends string, const Of extends SecretSources>(sources: Of, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, sources])) as Readonly<Record<Name, Of>>;

const OF_NUMBERS = {
  ...comesFrom("itself", [...NAMED_FIELDS, "rollout", "since", "endpoint"]),
  // A split may follow from a rollout.
  inboundAgents: ["rollout"],
  previousInboundAgents: ["inboundAgents", "rollout"],
} as const;

/**
 * Every output of each kind of resource, with the arguments that it may repeat. If an argument has the name of the output, the output is
 * secret if that argument is. Any other output is secret if one of the arguments that it may repeat is secret.
 */
export const OUTPUTS = {
  // The base number of an extension is a part of it.
  NumberAssignment: { number: "itself", platformIds: ["number"], ...OF_NUMBERS },
  NumberGroup: { ...comesFrom("itself", ["numbers"]), ...OF_NUMBERS },
  CommunityVoice: {
    ...comesFrom("itself", ["workspaceId", "voiceProvider", "providerVoiceId", "voiceName", "publicUserId"]),
    ...comesFrom("itself", ["voiceId", "endpoint"]),
    ...comesFrom("all", ["name", "gender", "language", "accent", "description", "provider", "tags"]),
    ...comesFrom("all", ["previewUrl", "playbackOverrideUrl", "createdAt", "updatedAt"]),
  },
  SmsChat: {
    ...comesFrom("itself", ["workspaceId", "agentId", "fromNumber", "toNumber", "metadata", "serviceDynamicVariables"]),
    ...comesFrom("itself", ["sendKey", "chatId", "endpoint"]),
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
  secretArguments: "itself",
  unresolved: "itself",
  [PROVIDER]: "itself",
  ...NOTES_ON_NUMBERS,
};
