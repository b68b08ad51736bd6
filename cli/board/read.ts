import { toldChanges } from "../history/words";
import { type KnownStack, valuesOf } from "../pulumi/stacks";
import type { Finding } from "../stack/findings";
import { savedNumbers } from "../stack/numbers";
import { inStages } from "../stack/rollout";
import { rolloutCards, rolloutsUndeclared } from "./stages";

/** Makes the data of the page from what the Pulumi CLI printed of each stack. Nothing is asked of the platform. */

export type Board = ReturnType<typeof boardOf>;

export type NumberRow = Board["numbers"][number];

/** @param attention what `doctor` finds */
export function boardOf(project: string, given: readonly KnownStack[], attention: readonly Finding[], madeAt: Date) {
  const stacks = inStages(
    given.map((one) => ({ ...one, stack: one.state.stack, settings: one.config, config: valuesOf(one.config) })),
  );
  const changes = stacks
    .flatMap(({ stack, state, runs }) => toldChanges(stack, state, runs))
    .toSorted((one, other) => other.at.getTime() - one.at.getTime());
  return {
    project,
    madeAt,
    stacks: stacks.map(({ stack }) => stack),
    attention,
    rollouts: rolloutCards(stacks, changes, madeAt),
    undeclared: rolloutsUndeclared(stacks),
    /** The newest first. */
    changes,
    numbers: stacks.flatMap(({ stack, state }) =>
      savedNumbers(state).flatMap((one) => (one.isReplaced ? [] : [{ ...one, stack }])),
    ),
  };
}
