import { sectionLink } from "./interface";

/** Where the interface has what an argument or an output carries; what is not here is ours and never sent. */
export type Sections = Readonly<Record<string, string>>;

const ASSIGNMENT: Sections = {
  accountSid: "4.1 `accountSid`",
  workspaceId: "4.1 `workspaceId`",
  outboundAgentId: "4.1 `outboundAgentId`",
  outboundAgentVersion: "4.1 `outboundAgentVersion`",
  inboundAgents: "4.1 `inboundAgents`",
  inboundWebhookUrl: "4.1 `inboundWebhookUrl`",
  isTimeRoutingEnabled: "4.1 `isTimeRoutingEnabled`",
  extraFields: "4.1, as they are",
};

const named = (section: string, names: readonly string[]): Sections =>
  Object.fromEntries(names.map((name) => [name, `${section} \`${name}\``]));

export const SECTIONS: Readonly<Record<string, Sections>> = {
  NumberAssignment: { number: "4.1 path", ...ASSIGNMENT, platformIds: "2.2" },
  NumberGroup: { numbers: "4.1 path", overrides: "4.1", ...ASSIGNMENT },
  CommunityVoice: {
    ...named("4.3", ["workspaceId", "voiceProvider", "providerVoiceId", "voiceName", "publicUserId"]),
    actorType: "4.3 header",
    providerScope: "4.3 header",
    workspaceContext: "4.3 header",
    ...named("2.5", ["voiceId", "name", "gender", "language", "accent", "description", "provider", "previewUrl"]),
    ...named("2.5", ["playbackOverrideUrl", "tags", "createdAt", "updatedAt"]),
  },
  SmsChat: {
    workspaceId: "4.2 `workspaceId`",
    agentId: "4.2 `agent_id`",
    fromNumber: "4.2 `from_number`",
    toNumber: "4.2 `to_number`",
    metadata: "4.2 `metadata`",
    serviceDynamicVariables: "4.2 `service_dynamic_variables`",
    ...named("2.4", ["chatId", "version", "status", "type", "customAttributes", "startedAt", "endedAt", "transcript"]),
    ...named("2.4", ["messages", "chatCost", "chatAnalysis", "collectedDynamicVariables", "overrideDynamicVariables"]),
  },
  InboundAgentArgs: {
    agentId: "2.1 `agent_id`",
    agentVersion: "2.1 `agent_version`",
    weight: "2.1 `weight`",
  },
  FallbackRoutingArgs: ASSIGNMENT,
  NumberOverrideArgs: ASSIGNMENT,
  PlatformIds: {
    id: "2.2 `id`",
    phoneNumberSid: "2.2 `phone_number_sid`",
    applicationSid: "2.2 `application_sid`",
    baseNumber: "2.2 `base_number`",
  },
};

export const sectionOf = (declaration: string, field: string): string =>
  (SECTIONS[declaration]?.[field] ?? "ours").replace(/^\d\.\d/, (section) => sectionLink(section, "../interface.md"));
