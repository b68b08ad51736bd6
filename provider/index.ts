/** The agents of phone numbers as code: resources, an explicit provider, helpers, and the client without Pulumi. */
export { createClient } from "./client/client";
export { InvalidOptionsError, InvalidRequestError, PlatformError, unwrap } from "./client/errors";
export type { AttemptLog, ClientOptions } from "./client/options";
export type { ClientRuntime } from "./client/runtime";
export type { AgentRef } from "./core/agents";
export type * from "./core/operations";
export { AgentPlatform, type AgentPlatformArgs } from "./pulumi/instance";
export { CommunityVoice, NumberAssignment, NumberGroup, type NumberOverride, SmsChat } from "./pulumi/resources";
export { canary, split } from "./pulumi/splits";
export type { PlatformIds } from "./resources/assignment";
export type { CommunityVoiceArgs } from "./resources/communityVoice";
export type { NumberAssignmentArgs } from "./resources/numberAssignment";
export type { NumberGroupArgs, NumberOverrideArgs } from "./resources/numberGroup";
export type { FallbackRoutingArgs, InboundAgentArgs, RoutingArgs } from "./resources/routingArgs";
export type { SmsChatArgs } from "./resources/smsChat";
