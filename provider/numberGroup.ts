import type * as pulumi from "@pulumi/pulumi";
import type { Input } from "@pulumi/pulumi";
import { defineResource, type ResourceClass } from "./engine/defineResource";
import { whenKnown, withMissing } from "./engine/inputs";
import { ROUTING_OUTPUTS, type RoutingArgs, type RoutingOutputs, routed } from "./numberAssignment";
import { canonicalNumbers } from "./routing/group";

/**
 * The arguments of a {@link NumberGroup}: one routing, which is sent in a separate request for each number (interface
 * 4.1).
 */
export interface NumberGroupArgs extends RoutingArgs {
  /**
   * The numbers of the group, as a list or as a map from number to label. Labels are shown in the preview's diff and in
   * the report, and are never sent. At most 10,000 numbers; an empty list is refused.
   * @change update if numbers are only added; they receive the routing at once. If a number is removed, the group is
   * replaced: the other numbers keep their routing, and the removed number is cleared at the end of the run, unless
   * another resource declares it by then. If an earlier run has set the resource option `retainOnDelete: true`, a
   * removed number keeps its agents; if an earlier run has set `protect: true`, no number can be removed
   */
  readonly numbers: Input<Input<string>[] | Record<string, Input<string>>>;
}

/**
 * One routing for many numbers: one resource, one diff, and one PUT for each number that changes. If the PUT for one
 * number fails, the provider goes on with the other numbers, unless too many fail (docs/many-numbers.md). The next run
 * sends a PUT only for the numbers that may not have the routing yet. The group's ID is generated at creation and stays
 * the same when numbers are added or removed.
 */
export interface NumberGroup extends RoutingOutputs {
  /** The sorted numbers, one per line, each followed by a tab and its label if it has one. */
  readonly numbers: pulumi.Output<string>;
}

export const NumberGroup: ResourceClass<NumberGroupArgs, NumberGroup> = defineResource(
  "NumberGroup",
  { ...ROUTING_OUTPUTS, numbers: undefined },
  (args) => ({
    ...routed(args),
    // Combine plain numbers into one string before the SDK handles them, because the SDK would create a promise for
    // each entry of a list, and a group may have 10,000.
    numbers: whenKnown<unknown, unknown>(args.numbers, (numbers) => canonicalNumbers(withMissing(numbers))),
  }),
);
