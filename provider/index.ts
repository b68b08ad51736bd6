import { watchProgram } from "./engine/program";

export { CommunityVoice, type CommunityVoiceArgs } from "./communityVoice";
export {
  type InboundAgentArgs,
  NumberAssignment,
  type NumberAssignmentArgs,
  type RoutingArgs,
  split,
} from "./numberAssignment";
export { NumberGroup, type NumberGroupArgs } from "./numberGroup";
export { SmsChat, type SmsChatArgs } from "./smsChat";

// Watch the program as soon as it imports this package, because an inline program may fail before it constructs a
// resource.
watchProgram();
