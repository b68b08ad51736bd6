import { isObject } from "../../provider/core/common/equality";
import { isOfNumbers } from "../../provider/core/platform/kinds";
import { numberOf, stateIn } from "../pulumi/coreState";
import { numbersHeld } from "../pulumi/numbersHeld";
import type { StackState } from "../pulumi/stackExport";
import type { Unapplied } from "./words";

/** How many numbers of a rollout the state has as not applied; undefined if no resource has the rollout. */
export function unappliedIn({ resources }: StackState, rollout: string): Unapplied | undefined {
  const own = resources.filter(
    ({ kind, isLeftover, outputs }) =>
      isOfNumbers(kind) && !isLeftover && isObject(outputs.rollout) && outputs.rollout.name === rollout,
  );
  const counts = own.map((saved) => {
    const [numbers, state] = [numbersHeld(saved), stateIn(saved.kind, saved.outputs)];
    return { all: numbers.length, count: numbers.filter((number) => numberOf(number, state).unapplied).length };
  });
  return counts.length === 0
    ? undefined
    : { all: sum(counts.map(({ all }) => all)), count: sum(counts.map(({ count }) => count)) };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
