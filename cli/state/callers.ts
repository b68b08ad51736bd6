import { unappliedOf, uncertainSplits } from "../../provider/numbers/state";
import { sameCalls } from "../../provider/routing/rollout";
import { percentages, type Split } from "../../provider/routing/split";
import { counted, shortList } from "../../provider/words/message";
import { groupBy } from "../lists";
import { type SavedResource, type StackState, stateIn } from "../pulumi/state";
import { knownSplit, type MaybeHidden, numbersIn, percentagesIn, percentagesText, splitIn } from "../pulumi/values";
import { openSteps } from "./resources";

/** Which agents callers may reach, as far as a saved state can tell. */

/**
 * What callers of these numbers reach. Every command that reports percentages takes them from here, never from what is
 * only asked for.
 */
export interface Callers {
  readonly numbers: readonly string[];
  /**
   * The splits that were applied last or that later requests may have left. A single split applies to every number.
   * With several, each number has one of them, but we don't know which. An undefined split means the number has nothing
   * from this resource.
   */
  readonly have: readonly MaybeHidden<Split>[];
  /** The split the last run asked for; undefined if the numbers certainly have it. */
  readonly wanted: MaybeHidden<Split>;
}

/**
 * What callers of a saved resource reach, grouping the numbers that have the same splits, in state order. Numbers whose
 * last change was not applied have the previous split (`applied`), or may have what a request with an unknown outcome
 * left (`maybe`). If a run was stopped, its numbers may have what that run sent.
 */
export function callersOf({ urn, outputs }: SavedResource, state: StackState): Callers[] {
  const saved = stateIn(outputs);
  const { inboundAgents: wanted } = saved as { inboundAgents?: MaybeHidden<Split> };
  const unapplied = unappliedOf(saved);
  const sent = openSteps(state).map((step) => ({
    split: step.operation === "deleting" ? {} : splitIn(step.inputs.inboundAgents),
    isOfResource: step.urn === urn,
    numbers: new Set(numbersIn(step.inputs)),
  }));
  const each = numbersIn(outputs).map((number) => {
    const missed = unapplied.get(number);
    const known = missed === undefined ? [wanted] : [missed.applied?.inboundAgents, ...uncertainSplits(missed)];
    const steps = sent.filter((step) => step.isOfResource || step.numbers.has(number));
    const have = [...known, ...steps.map(({ split }) => split)].filter(
      (split, index, splits) => splits.findIndex((earlier) => isSameSplit(earlier, split)) === index,
    );
    const last = steps.at(-1)?.split ?? wanted;
    const isCertain = have.every((split) => isSameSplit(split, last));
    return { number, have, wanted: isCertain ? undefined : last };
  });
  return groupBy(each, ({ have, wanted }) => JSON.stringify([have, wanted])).map((alike) => {
    const [{ have, wanted }] = alike;
    return { numbers: alike.map(({ number }) => number), have, wanted };
  });
}

/** Does each agent get the same share of calls, whatever unit the weights use? */
const isSameSplit = (left: MaybeHidden<Split>, right: MaybeHidden<Split>): boolean =>
  typeof left === "object" && typeof right === "object" ? sameCalls(left, right) : left === right;

/** Whether the numbers certainly have this split, according to the state. */
export const haveSplit = ({ have }: Pick<Callers, "have">, split: Split): boolean =>
  have.every((one) => isSameSplit(one, split));

/** `agent_front@12 90%, agent_front@13 10%`; alternatives are joined with `or`. */
export const haveText = ({ have }: Pick<Callers, "have">): string =>
  have.map((split) => percentagesText(percentagesIn(split), "nothing of this resource")).join(" or ");

/** The agents callers reach or may reach, each with its highest possible percentage, in descending order. */
export function agentsHad(callers: readonly Callers[]): { readonly agent: string; readonly percent: number }[] {
  const agents = callers.flatMap(({ have }) => have).flatMap((split) => Object.keys(knownSplit(split) ?? {}));
  return [...new Set(agents)]
    .map((agent) => ({ agent, percent: Math.max(...percentagesOf(agent, callers).map((percent = 0) => percent)) }))
    .filter(({ percent }) => percent > 0)
    .toSorted((one, other) => other.percent - one.percent);
}

/** The percentages that an agent has or may have, each once; undefined for one that is secret. */
export const percentagesOf = (agent: string, callers: readonly Callers[]): (number | undefined)[] => [
  ...new Set(
    callers
      .flatMap(({ have }) => have)
      .map((split) => knownSplit(split ?? {}))
      .map((split) => split && (percentages(split)[agent] ?? 0)),
  ),
];

/** `2 of 3 numbers of NumberGroup "support" have agent_front@12 100%: +15550000001, +15550000002`. */
export function hasText({ numbers, have }: Pick<Callers, "numbers" | "have">, total: number, who: string): string {
  const isWhole = numbers.length === total;
  const [was, has] = isWhole || numbers.length === 1 ? ["was", "has"] : ["were", "have"];
  const subject = isWhole ? who : `${numbers.length} of ${counted(total, "number")} of ${who}`;
  const isUnsent = have.every((split) => split === undefined);
  const text = isUnsent
    ? `${was} ${have.length === 0 ? "not" : "never"} applied`
    : `${have.length > 1 ? "may have" : has} ${haveText({ have })}`;
  return `${subject} ${text}${isWhole ? "" : `: ${shortList(numbers)}`}`;
}
