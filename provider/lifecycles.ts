import { numberAssignment, numberGroup } from "./numbers/lifecycle";
import { communityVoice, smsChat } from "./posts/kinds";
import type { ResourceKind } from "./stack/platform";

/** The lifecycle of each kind of resource. */
export const LIFECYCLES = {
  NumberAssignment: numberAssignment,
  NumberGroup: numberGroup,
  CommunityVoice: communityVoice,
  SmsChat: smsChat,
} as const satisfies Record<ResourceKind, unknown>;
