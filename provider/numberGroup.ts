import type * as pulumi from "@pulumi/pulumi";
import type { Input } from "@pulumi/pulumi";
import { defineResource, type ResourceClass } from "./engine/defineResource";
import { whenKnown, withMissing } from "./engine/inputs";
import { ROUTING_OUTPUTS, type RoutingArgs, type RoutingOutputs, routed } from "./numberAssignment";
import { canonicalNumbers } from "./routing/group";

/** The arguments of a {@link NumberGroup}: one routing for many numbers (interface 4.1, once for each number). */
export interface NumberGroupArgs extends RoutingArgs {
  /**
   * The numbers of the group, as a list or as a map from number to label. Labels are shown in messages and never sent.
   * At most 10,000 numbers; an empty list is refused.
   * @change update if numbers only join: they get the routing at once. If a number leaves, the group is replaced: the
   * others keep their routing, and at the end of the run the number that left is cleared, unless another resource
   * declares it by then. The number keeps its agents if an earlier run has set the resource option `retainOnDelete:
   * true`, and it cannot leave if that run has set `protect: true`
   */
  readonly numbers: Input<Input<string>[] | Record<string, Input<string>>>;
}

/**
 * One routing for many numbers: one resource, one diff, and a PUT for each number that changes. If a number fails, the
 * others are still sent, and the next run sends only the missing ones. The group's ID is chosen at creation and never
 * changes.
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
    // If the numbers are known, combine them into one string, because an output of a list would need a promise for each
    // number.
    numbers: whenKnown<unknown, unknown>(args.numbers, (numbers) => canonicalNumbers(withMissing(numbers))),
  }),
);
