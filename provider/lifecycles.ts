import type { hiddenShape } from "./base/schemas";
import type { RoutingArgs } from "./numberAssignment";
import type { numbersShape } from "./numbers/check";
import { numberAssignment, numberGroup } from "./numbers/lifecycle";
import { communityVoice, smsChat } from "./posts/kinds";
import type { Holds, SameKeys } from "./routing/fields";
import type { ResourceKind } from "./stack/platform";

/** The lifecycle of each kind of resource. */
export const LIFECYCLES = {
  NumberAssignment: numberAssignment,
  NumberGroup: numberGroup,
  CommunityVoice: communityVoice,
  SmsChat: smsChat,
} as const satisfies Record<ResourceKind, unknown>;

/** A program can write every argument that the schemas take, and no other. */
export type ArgsAreWhole = Holds<SameKeys<RoutingArgs, Omit<typeof numbersShape, keyof typeof hiddenShape>>>;
