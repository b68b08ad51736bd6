/** The arguments whose values an output may repeat under its own name: these, all of them, or none. */
export type Echoed = readonly string[] | "all" | "none";

/** Outputs that may all repeat the same. */
const echoing = <const Name extends string, const Of extends Echoed>(echoed: Of, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, echoed])) as Readonly<Record<Name, Of>>;

const ROUTED = {
  ...echoing("none", [
    "accountSid",
    "workspaceId",
    "outboundAgentId",
    "outboundAgentVersion",
    "inboundAgents",
    "inboundWebhookUrl",
    "isTimeRoutingEnabled",
    "endpoint",
  ]),
  previousInboundAgents: ["inboundAgents"],
} as const;

/**
 * Every output of each kind of resource. An output of the same name as an argument is secret where the argument is; of another
 * name, where one of the arguments is that it may repeat.
 */
export const OUTPUTS = {
  NumberAssignment: { ...echoing("none", ["number", "platformIds"]), ...ROUTED },
  NumberGroup: { ...echoing("none", ["numbers", "overrides"]), ...ROUTED },
  CommunityVoice: {
    ...echoing("none", ["workspaceId", "voiceProvider", "providerVoiceId", "voiceName", "publicUserId"]),
    ...echoing("none", ["voiceId", "endpoint"]),
    ...echoing("all", ["name", "gender", "language", "accent", "description", "provider", "tags"]),
    ...echoing("all", ["previewUrl", "playbackOverrideUrl", "createdAt", "updatedAt"]),
  },
  SmsChat: {
    ...echoing("none", ["workspaceId", "agentId", "fromNumber", "toNumber", "metadata", "serviceDynamicVariables"]),
    ...echoing("none", ["sendKey", "chatId", "endpoint"]),
    ...echoing("all", ["version", "status", "type", "customAttributes", "startedAt", "endedAt", "transcript"]),
    ...echoing("all", ["messages", "chatCost", "chatAnalysis"]),
    ...echoing("all", ["collectedDynamicVariables", "overrideDynamicVariables"]),
  },
} as const satisfies Record<string, Readonly<Record<string, Echoed>>>;

/** What is remembered of numbers that were not applied, and of what a change may go back to. */
export const NOTES_ON_NUMBERS = { unapplied: "all", previous: "all" } as const satisfies Readonly<
  Record<string, Echoed>
>;

/** What is saved beside the outputs. */
export const NOTES: Readonly<Record<string, Echoed>> = {
  account: "none",
  secretArguments: "none",
  unresolved: "none",
  ...NOTES_ON_NUMBERS,
};

export type ResourceKind = keyof typeof OUTPUTS;
