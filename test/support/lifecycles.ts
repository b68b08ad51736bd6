import type { ResourceKind } from "../../provider/config/kinds";
import type { RoutingArgs } from "../../provider/numberAssignment";
import type { numbersShape } from "../../provider/numbers/check";
import { numberAssignment, numberGroup } from "../../provider/numbers/lifecycle";
import { communityVoice, smsChat } from "../../provider/posts/kinds";
import type { hiddenShape } from "../../provider/run/resource";

/** The lifecycle of each kind of resource, the same as in handlers.ts. */
export const LIFECYCLES = {
  NumberAssignment: numberAssignment,
  NumberGroup: numberGroup,
  CommunityVoice: communityVoice,
  SmsChat: smsChat,
} as const satisfies Record<ResourceKind, unknown>;

/** `true` if both types have the same keys. Otherwise, the keys that one of them lacks. */
type SameKeys<A, B> = [Exclude<keyof A, keyof B> | Exclude<keyof B, keyof A>] extends [never]
  ? true
  : { missing: Exclude<keyof A, keyof B> | Exclude<keyof B, keyof A> };

/** Compiles only if the claim is `true`. */
type Holds<Claim extends true> = Claim;

/** Compiles only if a program can set exactly the arguments that the schema accepts. */
export type ArgsAreWhole = Holds<SameKeys<RoutingArgs, Omit<typeof numbersShape, keyof typeof hiddenShape>>>;
