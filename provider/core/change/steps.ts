import { callsIn, type Rollout, TOLERANCE } from "../routing/rollout";
import { isEmpty } from "../routing/split";
import { isSplitConfirmed, type NumbersState, possibleSplits } from "./state";

/** The guard `steps`: why it refuses a rollout. Percentages are of the calls. */
export type StepProblem =
  | { readonly why: "noStep"; readonly percent: number; readonly steps: readonly number[] }
  | { readonly why: "skips"; readonly from: number; readonly to: number; readonly skipped: readonly number[] }
  | { readonly why: "unconfirmed"; readonly from: number }
  | { readonly why: "underWay"; readonly agent: string; readonly has: number };

/** The percentage is a step. A new number may join a rollout at any of them. */
export const stepAtStart = ({ percent = 0 }: Rollout, steps: readonly number[]): StepProblem | undefined =>
  percent === 0 || steps.includes(percent) ? undefined : { why: "noStep", percent, steps };

/**
 * Three rules: the percentage is a step; another rollout starts only if its stable agent has all calls, which is so at 0 and at 100 of the
 * last one; up only to the next step, from one that every number has. Down to 0 always.
 */
export function stepProblem(to: Rollout, olds: NumbersState, steps: readonly number[]): StepProblem | undefined {
  const { candidate = "", percent = 0 } = to;
  const had = callsIn(olds.inboundAgents ?? {});
  const from = had[candidate] ?? 0;
  const other = isOngoing(to, olds.rollout, Object.keys(had))
    ? undefined
    : Object.keys(had).find((agent) => agent !== to.stable);
  // If the wanted percentage was refused, callers may have less.
  const isUp = percent > Math.min(from, ...partsOf(candidate, olds)) + TOLERANCE && Object.keys(had).length > 0;
  const skipped = steps.filter((step) => step > from + TOLERANCE && step < percent);
  return (
    stepAtStart(to, steps) ??
    (other === undefined ? undefined : { why: "underWay", agent: other, has: had[other] ?? 0 }) ??
    (isUp && !isSplitConfirmed(olds) ? { why: "unconfirmed", from } : undefined) ??
    (isUp && skipped.length > 0 ? { why: "skips", from, to: percent, skipped } : undefined)
  );
}

/** The percentages of the agent that callers may have, but for numbers without agents. */
const partsOf = (agent: string, state: NumbersState): number[] =>
  possibleSplits(state)
    .filter((split) => !isEmpty(split))
    .map((split) => callsIn(split)[agent] ?? 0);

/** Is it the same rollout as the last one? Before the first one, a split by hand of its two agents counts as its own. */
function isOngoing(
  { stable, candidate, percent = 0 }: Rollout,
  last: Rollout | undefined,
  had: readonly string[],
): boolean {
  return last === undefined
    ? had.every((agent) => agent === stable || agent === candidate) && had.includes(stable)
    : last.stable === stable && (percent === 0 || last.candidate === candidate);
}
