import { memoizeByObject } from "../../provider/base/json";
import { series } from "../../provider/base/text";
import { unappliedOf, uncertainSplits } from "../../provider/numbers/state";
import { sameCalls } from "../../provider/routing/rollout";
import { percentages, type Split } from "../../provider/routing/split";
import { counted, shortList } from "../../provider/words/message";
import { groupBy } from "../lists";
import { type SavedResource, type StackState, stateIn } from "../pulumi/state";
import {
  isHidden,
  knownSplit,
  type MaybeHidden,
  numbersIn,
  percentagesIn,
  percentagesText,
  SECRET,
  splitIn,
} from "../pulumi/values";
import { openOperations, replacedResources } from "./resources";

/** Works out from a saved state which agents callers may reach. */

/**
 * Some numbers of a resource, and every split that may be in effect for them. The declared split may not have been
 * applied.
 */
export interface Callers {
  readonly numbers: readonly string[];
  /**
   * The last split that was applied, and those of later requests with an unknown outcome. Each number has one of these
   * splits. `undefined` stands for the possibility that no saved resource has ever set one.
   */
  readonly current: readonly MaybeHidden<Split>[];
  /** The split that the last run declared, if these numbers may lack it. Undefined if they are known to have it. */
  readonly wanted: MaybeHidden<Split>;
}

/**
 * Groups a saved resource's numbers by the splits that may be in effect, including any that a stopped run may have
 * sent. If the resource may not have set a split on a number yet, the number may still have the split of the replaced
 * resource that declared it before.
 */
export function callersOf(saved: SavedResource, state: StackState): Callers[] {
  const perNumber = possibleSplits(saved, state).map(({ current, ...one }) => {
    const before = (current.includes(undefined) && formerSplits(state).get(numberKey(one))) || [undefined];
    return { ...one, current: distinct(current.flatMap((split) => (split === undefined ? before : [split]))) };
  });
  return groupBy(perNumber, ({ current, wanted }) => JSON.stringify([current, wanted])).map((alike) => {
    const [{ current, wanted }] = alike;
    return { numbers: alike.map(({ number }) => number), current, wanted };
  });
}

/** Returns the agents in the splits that this resource or a stopped run may have sent to the resource's numbers. */
export const agentsSent = (saved: SavedResource, state: StackState): string[] => [
  ...new Set(possibleSplits(saved, state).flatMap(({ current }) => current.flatMap(agentsIn))),
];

const agentsIn = (split: MaybeHidden<Split>): string[] => Object.keys(knownSplit(split) ?? {});

/** The splits of replaced resources, by number. Cached, because the state's other resources look them up as well. */
const formerSplits = memoizeByObject((state: StackState) => {
  const former = replacedResources(state).flatMap((replaced) => possibleSplits(replaced, state));
  return new Map(
    groupBy(former, numberKey).map((alike) => [numberKey(alike[0]), alike.flatMap(({ current }) => current)]),
  );
});

const numberKey = ({ endpoint, number }: { readonly endpoint?: string | undefined; readonly number: string }) =>
  JSON.stringify([endpoint, number]);

/** Returns the splits that this resource or a stopped run may have sent to each of the resource's numbers. */
function possibleSplits({ urn, outputs }: SavedResource, state: StackState) {
  const saved = stateIn(outputs);
  const { inboundAgents: declared } = saved as { inboundAgents?: MaybeHidden<Split> };
  const unapplied = unappliedOf(saved);
  const sent = openOperations(state).map((step) => ({
    split: step.operation === "deleting" ? {} : splitIn(step.inputs.inboundAgents),
    isOfResource: step.urn === urn,
    numbers: new Set(numbersIn(step.inputs)),
  }));
  return numbersIn(outputs).map((number) => {
    const missed = unapplied.get(number);
    const known = missed === undefined ? [declared] : [missed.applied?.inboundAgents, ...uncertainSplits(missed)];
    const steps = sent.filter((step) => step.isOfResource || step.numbers.has(number));
    const current = distinct([...known, ...steps.map(({ split }) => split)]);
    const last = steps.at(-1)?.split ?? declared;
    const isCertain = current.every((split) => isSameSplit(split, last));
    return { number, endpoint: saved.endpoint, current, wanted: isCertain ? undefined : last };
  });
}

const distinct = (splits: readonly MaybeHidden<Split>[]): MaybeHidden<Split>[] =>
  splits.filter((split, index) => splits.findIndex((earlier) => isSameSplit(earlier, split)) === index);

/**
 * Whether two splits give each agent the same percentage, even if their weights have different totals, such as 9:1 and
 * 90:10.
 */
const isSameSplit = (left: MaybeHidden<Split>, right: MaybeHidden<Split>): boolean =>
  typeof left === "object" && typeof right === "object" ? sameCalls(left, right) : left === right;

/** Whether the state shows for certain that the numbers have this split. */
export const hasSplit = ({ current }: Pick<Callers, "current">, split: Split): boolean =>
  current.every((possible) => isSameSplit(possible, split));

/**
 * Returns the splits that the numbers may have now, such as `agent_front@12 90%, agent_front@13 10%`. If there are
 * several possible splits, they are joined with `or`.
 */
export const currentText = ({ current }: Pick<Callers, "current">): string =>
  current.map((split) => percentagesText(percentagesIn(split), "no split from this resource")).join(" or ");

/**
 * Returns the agents that callers may reach, each with its highest possible percentage, in descending order of
 * percentage.
 */
export function agentsReached(callers: readonly Callers[]): { readonly agent: string; readonly percent: number }[] {
  const agents = callers.flatMap(({ current }) => current).flatMap(agentsIn);
  return [...new Set(agents)]
    .map((agent) => ({ agent, percent: Math.max(...percentagesOf(agent, callers).map((percent = 0) => percent)) }))
    .filter(({ percent }) => percent > 0)
    .toSorted((left, right) => right.percent - left.percent);
}

/**
 * Returns the distinct percentages that an agent may have on these numbers. `undefined` stands for the percentage in a
 * split that is secret.
 */
export const percentagesOf = (agent: string, callers: readonly Pick<Callers, "current">[]): (number | undefined)[] => [
  ...new Set(
    callers
      .flatMap(({ current }) => current)
      .map((split) => knownSplit(split ?? {}))
      .map((split) => split && (percentages(split)[agent] ?? 0)),
  ),
];

/** The verbs of `splitClause`, such as `sends` and `has`. */
type Verbs = readonly [send: string, have: string];

/** Returns a clause such as `sends 90% of calls to agent_front@12 and 10% to agent_front@13`. */
export function splitClause(split: MaybeHidden<Split>, [send, have]: Verbs): string {
  if (isHidden(split)) {
    return split === SECRET ? `${have} a secret split` : `${have} a split that is known only after apply`;
  }
  if (split === undefined) {
    return `${have} no split from this resource`;
  }
  const agents = Object.entries(percentagesIn(split) ?? {});
  const parts = agents.map(([agent, percent], index) => `${percent}%${index === 0 ? " of calls" : ""} to ${agent}`);
  return parts.length === 0
    ? `${have} no agents (the API does not specify what callers hear)`
    : `${send} ${series(parts)}`;
}

/**
 * Returns a clause such as `sends 100% of calls to agent_front@12`. If several splits are possible, it starts with
 * `may` and joins them with `or`.
 * @param adverb a word such as `still ` that comes before the verb
 */
export function callsText({ current }: Pick<Callers, "current">, isPlural: boolean, adverb = ""): string {
  const verbs: Verbs = isPlural || current.length > 1 ? ["send", "have"] : ["sends", "has"];
  const may = current.length > 1 ? "may " : "";
  return may + adverb + current.map((split) => splitClause(split, verbs)).join(", or ");
}

/**
 * Returns a phrase such as `2 of 3 numbers of NumberGroup "support" send 100% of calls to agent_front@12:
 * +15550000001, +15550000002`.
 * @param adverb a word such as `still ` that comes before the verb
 */
export function callersText(
  { numbers, current }: Pick<Callers, "numbers" | "current">,
  total: number,
  title: string,
  adverb = "",
): string {
  const isWhole = numbers.length === total;
  const isPlural = !isWhole && numbers.length > 1;
  const subject = isWhole ? title : `${numbers.length} of ${counted(total, "number")} of ${title}`;
  const isUnsent = current.every((split) => split === undefined);
  const unsent =
    current.length === 0
      ? "may lack other changes of the last request"
      : `${isPlural ? "have" : "has"} never received a split`;
  const text = isUnsent ? unsent : callsText({ current }, isPlural, adverb);
  return `${subject} ${text}${isWhole ? "" : `: ${shortList(numbers)}`}`;
}
