/** The agents of phone numbers as code: resources, an explicit provider, helpers, and the client without Pulumi. */
export { createClient } from "./client/client";
export { InvalidOptionsError, InvalidRequestError, PlatformError, unwrap } from "./client/errors";
export type { AttemptLog, ClientOptions, ClientRuntime } from "./client/options";
export type * from "./core/operations";
export { AgentPlatform, type AgentPlatformArgs } from "./pulumi/platformProvider";
export {
  CommunityVoice,
  NumberAssignment,
  NumberGroup,
  type NumberOverride,
  type Rollout,
  SmsChat,
} from "./pulumi/resources";
export { split } from "./pulumi/splits";
export type {
  CommunityVoiceArgs,
  FallbackRoutingArgs,
  InboundAgentArgs,
  NumberAssignmentArgs,
  NumberGroupArgs,
  NumberOverrideArgs,
  RolloutArgs,
  RoutingArgs,
  SmsChatArgs,
} from "./resources/args";
