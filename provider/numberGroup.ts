import type * as pulumi from "@pulumi/pulumi";
import type { Input } from "@pulumi/pulumi";
import { defineResource, type ResourceClass } from "./engine/defineResource";
import { whenKnown, withMissing } from "./engine/inputs";
import { ROUTING_OUTPUTS, type RoutingArgs, type RoutingOutputs, routed } from "./numberAssignment";
import { canonicalNumbers } from "./routing/group";

/** The arguments of a {@link NumberGroup}: one routing, many numbers (interface 4.1, once for each number). */
export interface NumberGroupArgs extends RoutingArgs {
  /**
   * The numbers, as a list, or as a map from number to a label that is shown and never sent. At most 10,000; an empty list is refused.
   * @change update: a number that joins gets the routing at once. A number that leaves replaces the group: the others keep their
   * routing, and at the end of the run the one that left is cleared, unless another resource declares it by then; with the resource option `retainOnDelete: true` of an earlier run it keeps its agents, with `protect: true` it cannot leave
   */
  readonly numbers: Input<Input<string>[] | Record<string, Input<string>>>;
}

/**
 * One routing over many numbers: one resource, one diff, and a PUT for each number that changes. Its id is chosen at
 * creation and then stable. Numbers that fail do not stop the others; the next run sends only what is missing.
 */
export interface NumberGroup extends RoutingOutputs {
  /** The numbers, sorted, one a line, with their labels behind a tab. */
  readonly numbers: pulumi.Output<string>;
}

export const NumberGroup: ResourceClass<NumberGroupArgs, NumberGroup> = defineResource(
  "NumberGroup",
  { ...ROUTING_OUTPUTS, numbers: undefined },
  (args) => ({
    ...routed(args),
    // One text at once if the numbers are known, because an output of a list would need a promise for each number.
    numbers: whenKnown<unknown, unknown>(args.numbers, (numbers) => canonicalNumbers(withMissing(numbers))),
  }),
);
