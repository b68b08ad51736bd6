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

// Watch for failures of the user's program as soon as it imports this package, because an inline program (Automation
// API) may fail before it constructs its first resource.
watchProgram();
