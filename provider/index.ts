/** The agents of phone numbers as code: resources, an explicit provider, helpers, and the client without Pulumi. */
export { createClient } from "./client/client";
export { InvalidOptionsError, InvalidRequestError, PlatformError, unwrap } from "./client/errors";
export type { AttemptLog, ClientOptions, ClientRuntime } from "./client/options";
export type * from "./core/platform/operations";
export { AgentPlatform, type AgentPlatformArgs } from "./pulumi/platformProvider";
export {
  type AbortedRollout,
  CommunityVoice,
  NumberAssignment,
  NumberGroup,
  type NumberOverride,
  type ResolvedRollout,
  SmsChat,
} from "./pulumi/resources";
export { split } from "./pulumi/splits";
export type {
  AbortedRolloutArgs,
  CommunityVoiceArgs,
  FallbackRoutingArgs,
  InboundAgentArgs,
  NamedRolloutArgs,
  NumberAssignmentArgs,
  NumberGroupArgs,
  NumberOverrideArgs,
  PromoteGatesArgs,
  RolloutArgs,
  RoutingArgs,
  SmsChatArgs,
} from "./resources/args";
