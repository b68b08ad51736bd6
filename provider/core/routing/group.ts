import { onceForEach } from "../common/once";
import type { HiddenInputs } from "../common/schemas";
import type { Endpoint } from "../platform/endpoint";
import { type Members, type NumbersText, toMembers } from "./numberList";
import type { Rollout } from "./rollout";
import type { Routing } from "./routing";

/** Numbers with one routing. A single number is a group of one. */

/** The numbers of a resource: a NumberAssignment has `number`, a NumberGroup has `numbers`. */
export interface Numbers {
  readonly number?: string | undefined;
  readonly numbers?: NumbersText | undefined;
}

/** The inputs of a resource of numbers, as check makes them. */
export interface NumbersInputs extends Numbers, Routing, Endpoint, HiddenInputs {
  /** If the program writes a rollout, `inboundAgents` follows from it. */
  readonly rollout?: Rollout | undefined;
  readonly triggers?: unknown;
  /** Of a state of before: the routing that a delete assigned. */
  readonly onDelete?: unknown;
}

/** Is it a single number? Another number is then another resource. */
export const isSingle = ({ number }: Numbers): boolean => number !== undefined;

/** A state's text is read once: a run asks about each of its numbers. */
export const membersOf = onceForEach(
  ({ number, numbers = "" }: Numbers): Members => (number === undefined ? toMembers(numbers) : new Map([[number, ""]])),
);

/**
 * How many numbers may leave a group in one run. Without the setting: 1 or 5 %, whichever is more. With 5 for every size, half of a small
 * fleet could lose its agents by one mistake.
 */
export const removable = (count: number, maxRemove: number | undefined): number =>
  maxRemove ?? Math.max(1, Math.floor(count * 0.05));
