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

/** Judges a new resource, which has no earlier split to compare with. */
export const judgeNew = (inputs: PreviewedNumbers, guards: Guards): Violation[] => [
  ...judgeChange(NEW, inputs, guards),
  ...judgeFreeze(guards),
];

/** Returns the violations of a change that affects calls. Values that were applied before aren't judged again. */
export function judgeChange(olds: NumbersState, news: PreviewedNumbers, guards: Guards): Violation[] {
  const rollbackTo = rollbackTarget(olds, news);
  if (isTrustedAbort(olds, news, guards, rollbackTo)) {
    return [];
  }
  const outbound = judgeOutbound(news, appliedRoutings(olds).map(outboundKey), guards);
  // The stable agent was judged when it was named, so only a new outbound agent is judged here.
  if (rollbackTo === "stable") {
    return outbound;
  }
  const applied = appliedSplits(olds);
  const isKept = applied.length > 0 && applied.every((before) => same(before, news.inboundAgents));
  const befores = possibleSplits(olds).filter((split) => !isUnknown(split));
  // A rollback to the previous split is judged only by `steps`, because that split was judged when it was applied.
  const isSplitToJudge = rollbackTo === undefined && !isKept;
  const targets = splitsToJudge(news, befores, ifKnown(olds.rollout), isSplitToJudge);
  // `steps` already limits how far a rollout goes, so maxShift doesn't apply.
  const maxShift = guards.steps !== undefined && ifKnown(news.rollout) !== undefined ? undefined : guards.maxShift;
  const ofSplits = targets.flatMap((target) => [
    ...judgeShift(target, befores, maxShift),
    ...judgeTotal(target, guards),
    ...judgeVersions(target.path, Object.keys(target.after), guards),
    ...judgeApproval(target, befores, guards),
  ]);
  return [
    ...judgeSteps(olds, news, guards),
    // Report only the first violation of each guard.
    ...ofSplits.filter(({ guard }, index) => ofSplits.findIndex((violation) => violation.guard === guard) === index),
    ...outbound,
  ];
}

/**
 * Whether the change is a new abort that the guards let pass. All calls must go to the saved stable agent, or to an
 * approved agent named in `aborted.to`.
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
  const to = ifKnown(rollout)?.aborted?.to ?? "";
  // A promotion written as an abort must not pass, so `aborted.to` can't be the candidate.
  const isApproved = approvedAgents.includes(to) && to !== last?.candidate;
  return rollbackTo === "stable" || (isApproved && sameCalls(split, { [to]: 100 }));
}

/**
 * If a rollout's percentage breaks the `steps` guard, returns the reason. Lowering the percentage to 0% is always
 * allowed.
 */
function stepProblem(to: Rollout, olds: NumbersState, steps: readonly number[]): StepProblem | undefined {
  const { candidate = "", percent = 0 } = to;
  if (percent !== 0 && !steps.includes(percent)) {
    return { why: "noStep", percent, steps };
  }
  const calls = Object.entries(percentages(olds.inboundAgents ?? {})).filter(([, percentage]) => percentage > 0);
  const current = Object.fromEntries(calls);
  const agents = Object.keys(current);
  // A new rollout may start only if its stable agent receives all calls.
  if (!isOngoing(to, olds.rollout, agents) && agents.some((agent) => agent !== to.stable)) {
    return { why: "notStable", stable: to.stable, percentages: current };
  }
  const from = current[candidate] ?? 0;
  // If the platform rejected the last request for a number, its candidate may still be at a lower percentage. Numbers
  // without agents don't count.
  const splits = possibleSplits(olds).filter((split) => !isEmpty(split));
  const least = Math.min(from, ...splits.map((split) => percentages(split)[candidate] ?? 0));
  const isUp = percent > least + TOLERANCE;
  // A new resource may join a rollout at any step.
  if (!isUp || agents.length === 0) {
    return undefined;
  }
  // The percentage may rise only to the next step, and only once every number has the current one.
  if (!isSplitConfirmed(olds)) {
    return { why: "unconfirmed", from };
  }
  const skipped = steps.filter((step) => step > from + TOLERANCE && step < percent);
  return skipped.length === 0 ? undefined : { why: "skips", from, to: percent, skipped };
}

/**
 * Whether a rollout continues the saved one. If no rollout was saved, a manual split between the same two agents counts
 * as part of the new rollout.
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

/** Applies the `steps` guard. An unchanged rollout is not judged, because the run only resends what was not applied. */
function judgeSteps(olds: NumbersState, news: PreviewedNumbers, { steps }: Guards): Violation[] {
  const rollout = ifKnown(news.rollout);
  if (rollout === undefined || steps === undefined || same(olds.rollout, rollout)) {
    return [];
  }
  const problem = stepProblem(rollout, olds, steps);
  return problem === undefined ? [] : [{ guard: "steps", path: "rollout", name: rollout.name, ...problem }];
}

/**
 * Returns the splits that the guards check: the new split and, if the stable agent is new, a split that sends all calls
 * to that agent. The stable agent has to pass as soon as the rollout names it, because a later abort to it isn't
 * checked.
 */
function splitsToJudge(
  { inboundAgents, rollout }: PreviewedNumbers,
  befores: readonly Split[],
  last: Rollout | undefined,
  isChanged: boolean,
): JudgedSplit[] {
  const after = ifKnown(inboundAgents);
  const stable = stableSplit(ifKnown(rollout));
  const givesAllCalls = (split: Split | undefined) =>
    stable !== undefined && split !== undefined && sameCalls(split, stable);
  // Skip the stable agent if it is the saved one, or if it receives all calls before or after the change.
  const isKnown =
    givesAllCalls(stableSplit(last)) || givesAllCalls(after) || (befores.length > 0 && befores.every(givesAllCalls));
  return [
    ...(isChanged && after !== undefined ? [{ path: "inboundAgents" as const, after }] : []),
    ...(stable === undefined || isKnown ? [] : [{ path: "rollout.stable" as const, after: stable }]),
  ];
}

/**
 * Checks the largest shift from any of the splits that may be in effect now. Numbers that had no agents before don't
 * count.
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

/** Checks the sum of the weights. The stable agent's split is skipped, because it is always written in percent. */
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
 * Whether no unapproved agent's percentage rises. This way, users can phase out an agent that is no longer approved in
 * several steps.
 */
function isTakenBack(agents: readonly Unapproved[], after: Split, befores: readonly Split[]): boolean {
  const planned = percentages(after);
  const isNoMore = (current: Record<string, number>) =>
    agents.every(({ agent }) => !exceeds(planned[agent] ?? 0, current[agent] ?? 0));
  return befores.length > 0 && befores.map(percentages).every(isNoMore);
}

/**
 * An outbound agent makes all of its numbers' outbound calls, so it must be approved unless unapproved agents may get
 * 100%.
 * @param applied the agents applied last; an agent that every number already has isn't judged again
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
 * Returns the agents that aren't approved. If an agent's ID looks like a typo of an approved ID, that ID is suggested.
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
 * Refuses a run that would unassign the agents of too many numbers, for example after a mistake in the program. By
 * default, the limit is one number, or 5% of all declared and lost numbers if that is more.
 */
export function judgeLosses(
  { lost, inRun }: Losses,
  declared: number,
  { maxRemove }: Guards,
): Extract<Violation, { guard: "maxRemove" }>[] {
  const max = maxRemove ?? Math.max(1, Math.floor((declared + inRun) * 0.05));
  return lost.length === 0 || inRun <= max ? [] : [{ guard: "maxRemove", lost, inRun, max }];
}
