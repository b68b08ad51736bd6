/** The arguments whose values an output may repeat under its own name: these, all of them, or none. */
export type Echoed = readonly string[] | "all" | "none";

/**
 * Every output of each kind of resource. An output of the same name as an argument is secret where the argument is; of another
 * name, where one of the arguments is that it may repeat.
 */
export const OUTPUTS = {
  NumberAssignment: {
    number: "none",
    accountSid: "none",
    workspaceId: "none",
    outboundAgentId: "none",
    outboundAgentVersion: "none",
    inboundAgents: "none",
    inboundWebhookUrl: "none",
    isTimeRoutingEnabled: "none",
    previousInboundAgents: ["inboundAgents"],
    platformIds: "none",
    endpoint: "none",
  },
  NumberGroup: {
    numbers: "none",
    overrides: "none",
    accountSid: "none",
    workspaceId: "none",
    outboundAgentId: "none",
    outboundAgentVersion: "none",
    inboundAgents: "none",
    inboundWebhookUrl: "none",
    isTimeRoutingEnabled: "none",
    previousInboundAgents: ["inboundAgents"],
    endpoint: "none",
  },
  CommunityVoice: {
    workspaceId: "none",
    voiceProvider: "none",
    providerVoiceId: "none",
    voiceName: "none",
    publicUserId: "none",
    voiceId: "none",
    name: "all",
    gender: "all",
    language: "all",
    accent: "all",
    description: "all",
    provider: "all",
    previewUrl: "all",
    playbackOverrideUrl: "all",
    tags: "all",
    createdAt: "all",
    updatedAt: "all",
    endpoint: "none",
  },
  SmsChat: {
    workspaceId: "none",
    agentId: "none",
    fromNumber: "none",
    toNumber: "none",
    metadata: "none",
    serviceDynamicVariables: "none",
    sendKey: "none",
    chatId: "none",
    version: "all",
    status: "all",
    type: "all",
    customAttributes: "all",
    startedAt: "all",
    endedAt: "all",
    transcript: "all",
    messages: "all",
    chatCost: "all",
    chatAnalysis: "all",
    collectedDynamicVariables: "all",
    overrideDynamicVariables: "all",
    endpoint: "none",
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
