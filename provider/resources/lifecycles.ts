import type { ResourceKind } from "../core/platform/kinds";
import { communityVoice } from "./communityVoice";
import { numberAssignment } from "./numberAssignment";
import { numberGroup } from "./numberGroup";
import { smsChat } from "./smsChat";

/** The lifecycle of each kind of resource. */
export const LIFECYCLES = {
  NumberAssignment: numberAssignment,
  NumberGroup: numberGroup,
  CommunityVoice: communityVoice,
  SmsChat: smsChat,
} as const satisfies Record<ResourceKind, unknown>;
