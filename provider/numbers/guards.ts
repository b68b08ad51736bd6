import { ifKnown, isUnknown, type Previewed } from "../base/engine";
import { same } from "../base/json";
import { isTypo } from "../base/spelling";
import type { Guards, Settings } from "../config/settings";
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

/** A new resource has no earlier split to move from. */
export const judgeNew = (inputs: PreviewedNumbers, settings: Settings): Violation[] => [
  ...judgeChange(NEW, inputs, settings),
  ...judgeFreeze(settings),
];

/**
 * Judges a change by its effect on calls. Unchanged values aren't judged again.
 *
 * - A new abort to the saved stable agent, or to an approved one, passes every guard here.
 * - For a return to the stable split, only its outbound agent is judged.
 * - Any other change is judged by all guards. For a return to the previous split, only `steps` judges the split,
 * because a rollout rises in steps whatever came before.
 */
export function judgeChange(olds: NumbersState, news: PreviewedNumbers, { guards }: Settings): Violation[] {
  const rollbackTo = rollbackTarget(olds, news);
  if (isTrustedAbort(olds, news, guards, rollbackTo)) {
    return [];
  }
  const outbound = judgeOutbound(news, appliedRoutings(olds).map(outboundKey), guards);
  if (rollbackTo === "stable") {
    return outbound;
  }
  const applied = appliedSplits(olds);
  const isKept = applied.length > 0 && applied.every((before) => same(before, news.inboundAgents));
  const befores = possibleSplits(olds).filter((split) => !isUnknown(split));
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
 * Is it a new abort that can be trusted? It must give all calls to the saved stable agent, which was judged when it was
 * named, or to the agent in `aborted.to`. That field alone isn't trusted, because a promotion could be disguised as an
 * abort; the agent must be approved and must not be the candidate.
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
  const isApproved = approvedAgents.includes(to) && to !== last?.candidate;
  return rollbackTo === "stable" || (isApproved && sameCalls(split, { [to]: 100 }));
}

/**
 * Three rules: the percentage must be a step; another rollout may start only if its stable agent has all calls, as it
 * does at 0% and 100% of the last one; and a percentage may rise only to the next step, once every number has the
 * current one. Going down to 0% is always allowed, and a new number may join a rollout at any step.
 */
function stepProblem(to: Rollout, olds: NumbersState, steps: readonly number[]): StepProblem | undefined {
  const { candidate = "", percent = 0 } = to;
  if (percent !== 0 && !steps.includes(percent)) {
    return { why: "noStep", percent, steps };
  }
  const calls = Object.entries(percentages(olds.inboundAgents ?? {})).filter(([, percentage]) => percentage > 0);
  const current = Object.fromEntries(calls);
  const agents = Object.keys(current);
  if (!isOngoing(to, olds.rollout, agents) && agents.some((agent) => agent !== to.stable)) {
    return { why: "notStable", stable: to.stable, percentages: current };
  }
  const from = current[candidate] ?? 0;
  // If the requested percentage was refused, callers may have less. Numbers without agents have no callers.
  const splits = possibleSplits(olds).filter((split) => !isEmpty(split));
  const least = Math.min(from, ...splits.map((split) => percentages(split)[candidate] ?? 0));
  const isUp = percent > least + TOLERANCE;
  if (!isUp || agents.length === 0) {
    return undefined;
  }
  if (!isSplitConfirmed(olds)) {
    return { why: "unconfirmed", from };
  }
  const skipped = steps.filter((step) => step > from + TOLERANCE && step < percent);
  return skipped.length === 0 ? undefined : { why: "skips", from, to: percent, skipped };
}

/**
 * Whether this continues the last rollout. If there was no earlier rollout, a manual split between the same two agents
 * counts as part of this one.
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

/** If the rollout is unchanged, the run only resends what was not applied, so steps has nothing to judge. */
function judgeSteps(olds: NumbersState, news: PreviewedNumbers, { steps }: Guards): Violation[] {
  const rollout = ifKnown(news.rollout);
  if (rollout === undefined || steps === undefined || same(olds.rollout, rollout)) {
    return [];
  }
  const problem = stepProblem(rollout, olds, steps);
  return problem === undefined ? [] : [{ guard: "steps", path: "rollout", name: rollout.name, ...problem }];
}

/**
 * The splits to judge: the new split if it changes calls, and the split of a new stable agent. An abort gives all calls
 * to that agent without being judged, so the agent is judged when it is named, unless it already has all calls.
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
  const isKnown =
    givesAllCalls(stableSplit(last)) || givesAllCalls(after) || (befores.length > 0 && befores.every(givesAllCalls));
  return [
    ...(isChanged && after !== undefined ? [{ path: "inboundAgents" as const, after }] : []),
    ...(stable === undefined || isKnown ? [] : [{ path: "rollout.stable" as const, after: stable }]),
  ];
}

/** The largest shift from any split that callers may have today. If no agent was assigned before, the shift is zero. */
function judgeShift(target: JudgedSplit, befores: readonly Split[], max: number | undefined): Violation[] {
  const [furthest] = befores
    .filter((before) => !isEmpty(before))
    .map((before) => ({ before, shift: shift(before, target.after) }))
    .sort((a, b) => b.shift - a.shift);
  return max === undefined || furthest === undefined || !exceeds(furthest.shift, max)
    ? []
    : [{ guard: "maxShift", ...target, ...furthest, max }];
}

/** The stable agent's split is always in percent, whatever the weights must add up to. */
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
 * An agent that lost its approval may be reduced in steps, but never above its percentage in any split that callers may
 * be routed by today.
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
 * The agents that aren't approved, with the approved ID that was probably meant. A new version of an approved ID isn't
 * a typo.
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
 * Judges all of a run's losses together, once the whole program is known, because a mistake in the program must not
 * unassign the numbers it no longer names. By default, a run may lose one number, or 5% of all numbers it declares or
 * loses.
 */
export function judgeLosses(
  { lost, inRun }: Losses,
  declared: number,
  { guards: { maxRemove } }: Settings,
): Extract<Violation, { guard: "maxRemove" }>[] {
  const max = maxRemove ?? Math.max(1, Math.floor((declared + inRun) * 0.05));
  return lost.length === 0 || inRun <= max ? [] : [{ guard: "maxRemove", lost, inRun, max }];
}
