import { ifKnown, isUnknown, type Previewed } from "../base/engine";
import { same } from "../base/json";
import { isTypo } from "../base/spelling";
import type { Guards } from "../config/settings";
import type { PreviewedNumbers } from "../routing/group";
import { isNewAbort, sameCalls, stableSplit } from "../routing/rollout";
import type { Routing } from "../routing/routing";
import {
  exceeds,
  isEmpty,
  parseAgentKey,
  percentages,
  type Split,
  shift,
  sumsTo,
  TOLERANCE,
  total,
} from "../routing/split";
import type { Rollout } from "../routing/types";
import type { RollbackTarget } from "../run/plan";
import {
  type JudgedSplit,
  judgeFreeze,
  type Losses,
  type StepProblem,
  type Unapproved,
  type Violation,
} from "../run/violation";
import {
  appliedRoutings,
  appliedSplits,
  isSplitConfirmed,
  NEW,
  type NumbersState,
  outboundKey,
  possibleSplits,
  rollbackTarget,
} from "./state";

/** Applies the guards to a new resource, which has no earlier split to compare its split with. */
export const judgeNew = (inputs: PreviewedNumbers, guards: Guards): Violation[] => [
  ...judgeChange(NEW, inputs, guards),
  ...judgeFreeze(guards),
];

/**
 * Applies all guards except `maxRemove` and `freeze` to a change. A split or an outbound agent isn't judged again if it
 * is the one that was last applied to the numbers.
 */
export function judgeChange(olds: NumbersState, news: PreviewedNumbers, guards: Guards): Violation[] {
  const rollbackTo = rollbackTarget(olds, news);
  if (isTrustedAbort(olds, news, guards, rollbackTo)) {
    return [];
  }
  const outbound = judgeOutbound(news, appliedRoutings(olds).map(outboundKey), guards);
  // If all calls return to the saved stable agent, judge only the outbound agent. The stable agent was judged when the
  // rollout first named it.
  if (rollbackTo === "stable") {
    return outbound;
  }
  const applied = appliedSplits(olds);
  const isKept = applied.length > 0 && applied.every((before) => same(before, news.inboundAgents));
  const befores = possibleSplits(olds).filter((split) => !isUnknown(split));
  // If the change returns to the previous split, only the `steps` guard judges it. The other guards judged that split
  // when it was applied.
  const isSplitToJudge = rollbackTo === undefined && !isKept;
  const targets = splitsToJudge(news, befores, ifKnown(olds.rollout), isSplitToJudge);
  // `maxShift` doesn't apply to a rollout if `steps` is set, because `steps` already limits how far each change may
  // raise the percentage.
  const maxShift = guards.steps !== undefined && ifKnown(news.rollout) !== undefined ? undefined : guards.maxShift;
  const ofSplits = targets.flatMap((target) => [
    ...judgeShift(target, befores, maxShift),
    ...judgeTotal(target, guards),
    ...judgeVersions(target.path, Object.keys(target.after), guards),
    ...judgeApproval(target, befores, guards),
  ]);
  return [
    ...judgeSteps(olds, news, guards),
    // The new split and the stable agent may break the same guard. Report only the first violation of each guard.
    ...ofSplits.filter(({ guard }, index) => ofSplits.findIndex((violation) => violation.guard === guard) === index),
    ...outbound,
  ];
}

/**
 * Whether the change is a new abort that may skip the guards. It may if it sends all calls to the saved stable agent,
 * or to an approved agent that `aborted.to` names. Numbers that join a rollout after its abort are judged, because their
 * earlier split had nothing to do with the rollout.
 */
function isTrustedAbort(
  { rollout: last }: NumbersState,
  { rollout, inboundAgents: split }: PreviewedNumbers,
  { approvedAgents = [] }: Guards,
  rollbackTo: RollbackTarget | undefined,
): boolean {
  if (!isNewAbort(last, rollout) || split === undefined || isUnknown(split)) {
    return false;
  }
  const { name, aborted: { to = "" } = {} } = ifKnown(rollout) ?? {};
  // An abort that sends all calls to the saved candidate is really a promotion, so it must not skip the guards.
  const isApproved = last?.name === name && approvedAgents.includes(to) && to !== last?.candidate;
  return rollbackTo === "stable" || (isApproved && sameCalls(split, { [to]: 100 }));
}

/**
 * Returns why a rollout's percentage breaks the `steps` guard, or undefined if it doesn't. An ongoing rollout may
 * always return to 0%, even if `steps` doesn't list 0.
 */
function stepProblem(to: Rollout, olds: NumbersState, steps: readonly number[]): StepProblem | undefined {
  const { candidate = "", percent = 0 } = to;
  if (percent !== 0 && !steps.includes(percent)) {
    return { why: "noStep", percent, steps };
  }
  const calls = Object.entries(percentages(olds.inboundAgents ?? {})).filter(([, percentage]) => percentage > 0);
  const current = Object.fromEntries(calls);
  const agents = Object.keys(current);
  // A new rollout may start only if its stable agent already receives all calls.
  if (!isOngoing(to, olds.rollout, agents) && agents.some((agent) => agent !== to.stable)) {
    return { why: "notStable", stable: to.stable, percentages: current };
  }
  const from = current[candidate] ?? 0;
  // A number whose last request failed may still give the candidate a lower percentage. The change counts as a rise if
  // it is one for any number that has agents.
  const splits = possibleSplits(olds).filter((split) => !isEmpty(split));
  const least = Math.min(from, ...splits.map((split) => percentages(split)[candidate] ?? 0));
  const isUp = percent > least + TOLERANCE;
  // A resource that has no agents yet, such as a new one, may join a rollout at any step.
  if (!isUp || agents.length === 0) {
    return undefined;
  }
  // The percentage may rise only to the next step, and only once every number is known to have the current percentage.
  if (!isSplitConfirmed(olds)) {
    return { why: "unconfirmed", from };
  }
  const skipped = steps.filter((step) => step > from + TOLERANCE && step < percent);
  return skipped.length === 0 ? undefined : { why: "skips", from, to: percent, skipped };
}

/**
 * Whether the rollout was already under way when the state was saved. Without a saved rollout, a saved split between
 * its two agents also counts.
 */
function isOngoing(
  { stable, candidate, percent = 0 }: Rollout,
  last: Rollout | undefined,
  agents: readonly string[],
): boolean {
  return last === undefined
    ? agents.every((agent) => agent === stable || agent === candidate) && agents.includes(stable)
    : last.stable === stable && (percent === 0 || last.candidate === candidate);
}

/** Applies the `steps` guard. An unchanged rollout isn't judged, because the run can only resend its current split. */
function judgeSteps(olds: NumbersState, news: PreviewedNumbers, { steps }: Guards): Violation[] {
  const rollout = ifKnown(news.rollout);
  if (rollout === undefined || steps === undefined || same(olds.rollout, rollout)) {
    return [];
  }
  const problem = stepProblem(rollout, olds, steps);
  return problem === undefined ? [] : [{ guard: "steps", path: "rollout", name: rollout.name, ...problem }];
}

/**
 * Returns the splits to judge. A new stable agent is judged as if it received all calls, because a later abort may send
 * all calls to it without another check.
 */
function splitsToJudge(
  { inboundAgents, rollout }: PreviewedNumbers,
  befores: readonly Split[],
  last: Rollout | undefined,
  isSplitToJudge: boolean,
): JudgedSplit[] {
  const after = ifKnown(inboundAgents);
  const stable = stableSplit(ifKnown(rollout));
  const givesAllCalls = (split: Split | undefined) =>
    stable !== undefined && split !== undefined && sameCalls(split, stable);
  // Don't judge the stable agent again if it was already stable or already receives all calls. If the new split sends
  // it all calls, judging that split is enough.
  const isKnown =
    givesAllCalls(stableSplit(last)) || givesAllCalls(after) || (befores.length > 0 && befores.every(givesAllCalls));
  return [
    ...(isSplitToJudge && after !== undefined ? [{ path: "inboundAgents" as const, after }] : []),
    ...(stable === undefined || isKnown ? [] : [{ path: "rollout.stable" as const, after: stable }]),
  ];
}

/**
 * Applies `maxShift` to the largest shift of any number. Numbers without agents are ignored, because no call moves away
 * from an agent.
 */
function judgeShift(target: JudgedSplit, befores: readonly Split[], max: number | undefined): Violation[] {
  const [furthest] = befores
    .filter((before) => !isEmpty(before))
    .map((before) => ({ before, shift: shift(before, target.after) }))
    .sort((a, b) => b.shift - a.shift);
  return max === undefined || furthest === undefined || !exceeds(furthest.shift, max)
    ? []
    : [{ guard: "maxShift", ...target, ...furthest, max }];
}

/**
 * Checks that the weights add up to `weightTotal`. The split for `rollout.stable` is exempt, because the provider
 * builds it itself, always with a weight of 100.
 */
function judgeTotal({ path, after: split }: JudgedSplit, { weightTotal: expected }: Guards): Violation[] {
  return expected === undefined || path === "rollout.stable" || isEmpty(split) || sumsTo(split, expected)
    ? []
    : [{ guard: "weightTotal", path, split, sum: total(split), total: expected }];
}

function judgeVersions(path: string, agents: readonly string[], { requireVersions }: Guards): Violation[] {
  const unversioned = requireVersions ? agents.filter((key) => parseAgentKey(key).agentVersion === undefined) : [];
  return unversioned.length === 0 ? [] : [{ guard: "requireVersions", path, agents: unversioned }];
}

function judgeApproval({ path, after }: JudgedSplit, befores: readonly Split[], guards: Guards): Violation[] {
  const { agents, percentage } = unapprovedCalls(after, guards);
  const isOver = exceeds(percentage, guards.maxUnapproved);
  const refused = isOver ? agents : agents.filter(({ suggestion }) => suggestion !== undefined);
  if (refused.length === 0 || isTakenBack(refused, after, befores)) {
    return [];
  }
  const from = befores[0] === undefined ? 0 : unapprovedCalls(befores[0], guards).percentage;
  const share = isOver ? { percentage, from, max: guards.maxUnapproved } : undefined;
  return [{ guard: "maxUnapproved", path, agents: refused, share }];
}

function unapprovedCalls(split: Split, guards: Guards) {
  const percents = percentages(split);
  const receivers = Object.keys(percents).filter((agent) => (percents[agent] ?? 0) > 0);
  const agents = unapprovedAgents(receivers, guards);
  const percentage = agents.reduce((sum, { agent }) => sum + (percents[agent] ?? 0), 0);
  return { agents, percentage };
}

/**
 * Whether none of these unapproved agents gets a higher percentage than before. Such a split is accepted, so that an
 * agent can be phased out in several steps.
 */
function isTakenBack(agents: readonly Unapproved[], after: Split, befores: readonly Split[]): boolean {
  const planned = percentages(after);
  const isNoMore = (current: Record<string, number>) =>
    agents.every(({ agent }) => !exceeds(planned[agent] ?? 0, current[agent] ?? 0));
  return befores.length > 0 && befores.map(percentages).every(isNoMore);
}

/**
 * Applies `requireVersions` and `maxUnapproved` to the outbound agent. It makes all outbound calls, so it must be
 * approved unless `maxUnapproved` is 100.
 * @param applied the outbound agents that were last applied; if all of them equal the new one, it isn't judged again
 */
function judgeOutbound(
  inputs: Previewed<Routing>,
  applied: readonly (string | undefined)[],
  guards: Guards,
): Violation[] {
  const path = "outboundAgentId";
  const key = outboundKey(inputs);
  const isKept = applied.length > 0 && applied.every((agent) => agent === key);
  const keys = key === undefined || isKept ? [] : [key];
  const agents = unapprovedAgents(keys, guards).filter(
    ({ suggestion }) => suggestion !== undefined || guards.maxUnapproved < 100,
  );
  const refused: Violation = { guard: "maxUnapproved", path, agents, share: undefined };
  return [...judgeVersions(path, keys, guards), ...(agents.length === 0 ? [] : [refused])];
}

/**
 * Returns the agents that `approvedAgents` doesn't list. If an agent's ID looks like a typo of an approved agent's ID,
 * suggests the approved ID.
 */
function unapprovedAgents(keys: readonly string[], { approvedAgents }: Guards): Unapproved[] {
  const ids = (approvedAgents ?? []).map((key) => parseAgentKey(key).agentId);
  const refused = approvedAgents === undefined ? [] : keys.filter((key) => !approvedAgents.includes(key));
  return refused.map((agent) => {
    const { agentId } = parseAgentKey(agent);
    return { agent, suggestion: ids.includes(agentId) ? undefined : ids.find((id) => isTypo(agentId, id)) };
  });
}

/**
 * Applies `maxRemove`, which limits how many numbers may lose their agents in a run. The default is 5% of all declared
 * and lost numbers, but at least one number.
 */
export function judgeLosses(
  { lost, inRun }: Losses,
  declared: number,
  { maxRemove }: Guards,
): Extract<Violation, { guard: "maxRemove" }>[] {
  const max = maxRemove ?? Math.max(1, Math.floor((declared + inRun) * 0.05));
  return lost.length === 0 || inRun <= max ? [] : [{ guard: "maxRemove", lost, inRun, max }];
}
