import { same } from "../common/equality";
import { isUnknown } from "../common/schemas";
import type { Guards, Settings } from "../config/settings";
import { type NumbersInputs, removable } from "../routing/group";
import { type Rollout, type StepProblem, sameCalls, stableSplit, stepAtStart, stepProblem } from "../routing/rollout";
import type { Routing } from "../routing/routing";
import { exceeds, isEmpty, parseAgentKey, percentages, type Split, shift, sumsTo, total } from "../routing/split";
import { notApproved, type Unapproved } from "./approved";
import { appliedSplits, isReturn, isSplitConfirmed, type NumbersState, outboundKey, possibleSplits } from "./state";

/** What the guards of a stack and of a program refuse, as data. messages/ has the words. */

export type Violation =
  | { readonly guard: "weightTotal"; readonly path: string; split: Split; sum: number; total: number }
  | ({ readonly guard: "maxShift"; shift: number; max: number; before: Split } & Target)
  | { readonly guard: "requireVersions"; readonly path: string; agents: readonly string[] }
  | {
      readonly guard: "maxUnapproved";
      readonly path: string;
      /** Those that are not approved, each with the approved agent that was probably meant. */
      agents: readonly Unapproved[];
      /** What they would receive of a split, and receive now; undefined for outbound agents, which have no weight. */
      share: { readonly percentage: number; readonly from: number; readonly max: number } | undefined;
      /** The file that lists the approved agents. */
      readonly file?: string | undefined;
    }
  | ({ readonly guard: "steps"; readonly path: "rollout" } & StepProblem)
  | {
      readonly guard: "maxRemove";
      leaving: readonly string[];
      max: number;
      /** How many numbers of the whole run lose their agents; undefined if one group is judged. */
      inRun?: number;
    }
  | { readonly guard: "freeze"; reason: string };

interface Judged extends Routing {
  readonly rollout?: Rollout | undefined;
}

// --- which guard is judged when

/** A new resource is judged as a whole. From no agent nothing shifts, so maxShift does not apply. */
export function judgeNew(inputs: Judged, settings: Settings): Violation[] {
  const split = known(inputs.inboundAgents);
  const { guards } = settings;
  const rollout = knownRollout(inputs);
  return [
    ...stepViolations(guards.steps && rollout && stepAtStart(rollout, guards.steps)),
    ...withStable(split === undefined ? [] : judgeSplit(split, [], guards), stableSplit(rollout), [], guards),
    ...judgeOutbound(inputs, undefined, guards),
    ...judgeFreeze(settings),
  ];
}

/**
 * Judges a change by what it does to calls. What stays the same is not judged again. A revert to the split that was applied before, and a
 * return to the stable agent of the rollout, pass every guard but a freeze. Only the guard steps also judges a revert, because the revert
 * of an abort gives the candidate calls again.
 */
export function judgeChange(olds: NumbersState, news: NumbersInputs, { guards }: Settings): Violation[] {
  const outbound = judgeOutbound(news, outboundKey(olds), guards);
  if (isReturn(olds, news)) {
    return outbound;
  }
  const split = known(news.inboundAgents);
  const applied = appliedSplits(olds).filter((one) => !isUnknown(one));
  const splits = possibleSplits(olds).filter((one) => !isUnknown(one));
  const isRevert = split === undefined || same(olds.previousInboundAgents, split);
  const isJudged = !isRevert && (applied.length === 0 || applied.some((before) => !same(before, split)));
  const steps = judgeSteps(olds, news, guards);
  const stable = newStable(olds, news, splits);
  return [
    ...(steps ?? []),
    // The guard steps judges how far a rollout goes, so maxShift does not.
    ...(steps === undefined ? judgeShifts(splits, movesTo(news, isJudged, stable), guards) : []),
    ...withStable(isJudged ? judgeSplit(split, splits, guards) : [], stable, splits, guards),
    ...outbound,
  ];
}

// --- rollouts

const knownRollout = ({ rollout }: Judged): Rollout | undefined => (isUnknown(rollout) ? undefined : rollout);

const stepViolations = (problem: StepProblem | undefined): Extract<Violation, { guard: "steps" }>[] =>
  problem === undefined ? [] : [{ guard: "steps", path: "rollout", ...problem }];

/** Undefined if there is nothing to judge. A rollout that is only sent again, because it was not applied, is not judged. */
function judgeSteps(olds: NumbersState, news: Judged, { steps }: Guards) {
  const rollout = knownRollout(news);
  if (rollout === undefined || steps === undefined || same(olds.rollout, rollout)) {
    return undefined;
  }
  const at = {
    last: knownRollout(olds),
    splits: [olds.inboundAgents ?? {}, ...possibleSplits(olds)].filter((one) => !isUnknown(one)),
    wanted: known(olds.inboundAgents),
    isConfirmed: isSplitConfirmed(olds),
  };
  return stepViolations(stepProblem(rollout, at, steps));
}

interface Target {
  readonly path: "inboundAgents" | "rollout.stable";
  readonly after: Split;
}

/**
 * The split in which the stable agent of a rollout has all calls, if the last rollout named another one and it has not had all calls. An
 * abort gives them to it, and no guard judges an abort. So the guards judge the agent when it is named.
 */
function newStable(olds: NumbersState, news: Judged, splits: readonly Split[]): Split | undefined {
  const stable = stableSplit(knownRollout(news));
  const has = (split: Split | undefined) => stable !== undefined && split !== undefined && sameCalls(split, stable);
  const isKnown = has(stableSplit(knownRollout(olds))) || has(olds.previousInboundAgents);
  return isKnown || (splits.length > 0 && splits.every(has)) ? undefined : stable;
}

/** The splits that maxShift judges: the one of the change, and the one of a new stable agent. */
const movesTo = ({ inboundAgents }: Judged, isChanged: boolean, stable: Split | undefined): Target[] => [
  ...(isChanged && inboundAgents ? [{ path: "inboundAgents" as const, after: inboundAgents }] : []),
  ...(stable ? [{ path: "rollout.stable" as const, after: stable }] : []),
];

/** What is refused of a split, and what else of its new stable agent. */
function withStable(
  ofSplit: readonly Violation[],
  stable: Split | undefined = {},
  befores: readonly Split[],
  guards: Guards,
): Violation[] {
  const isSaid = ({ guard }: Violation) => ofSplit.some((one) => one.guard === guard);
  const ofStable = [
    ...judgeVersions("rollout.stable", Object.keys(stable), guards),
    ...judgeApproval("rollout.stable", stable, befores, guards),
  ];
  return [...ofSplit, ...ofStable.filter((one) => !isSaid(one))];
}

/** While the stack is frozen, nothing may be sent. */
export const judgeFreeze = ({ guards: { freeze } }: Settings): Violation[] =>
  freeze === undefined ? [] : [{ guard: "freeze", reason: freeze }];

/** A mistake in a list of numbers must not unassign a whole group. `of` is how many numbers there were. */
export function judgeRemoval(leaving: readonly string[], of: number, { guards: { maxRemove } }: Settings): Violation[] {
  const max = removable(of, maxRemove);
  return leaving.length <= max ? [] : [{ guard: "maxRemove", leaving, max }];
}

/**
 * Judges all numbers of one run that lose their agents: numbers that leave groups, those of deleted groups, and deleted single numbers, if no
 * other resource declares them. Only a limit that the stack sets counts: the default is for one group, because a program may end a whole
 * group. `before` is how many numbers have lost their agents in this run already.
 */
export function judgeRunRemoval(
  leaving: readonly string[],
  before: number,
  { guards: { maxRemove: max } }: Settings,
): Violation[] {
  const inRun = before + leaving.length;
  return max === undefined || leaving.length === 0 || inRun <= max ? [] : [{ guard: "maxRemove", leaving, max, inRun }];
}

// --- splits

const judgeSplit = (after: Split, befores: readonly Split[], guards: Guards): Violation[] => [
  ...judgeTotal("inboundAgents", after, guards.weightTotal),
  ...judgeVersions("inboundAgents", Object.keys(after), guards),
  ...judgeApproval("inboundAgents", after, befores, guards),
];

function judgeTotal(path: string, split: Split, expected: number | undefined): Violation[] {
  return expected === undefined || isEmpty(split) || sumsTo(split, expected)
    ? []
    : [{ guard: "weightTotal", path, split, sum: total(split), total: expected }];
}

function judgeVersions(path: string, agents: readonly string[], { requireVersions }: Guards): Violation[] {
  const without = requireVersions ? agents.filter((key) => parseAgentKey(key).agentVersion === undefined) : [];
  return without.length === 0 ? [] : [{ guard: "requireVersions", path, agents: without }];
}

function judgeApproval(path: string, after: Split, befores: readonly Split[], guards: Guards): Violation[] {
  const { agents, percentage, isOver } = unapprovedIn(after, guards);
  if (!isOver || isTakenBack(agents, after, befores)) {
    return [];
  }
  const from = befores[0] === undefined ? 0 : unapprovedIn(befores[0], guards).percentage;
  const share = { percentage, from, max: guards.maxUnapproved };
  return [{ guard: "maxUnapproved", path, agents, share, file: guards.approvedFile }];
}

/** The agents of a split that are not approved, and the percentage that they receive together. */
function unapprovedIn(split: Split, guards: Guards) {
  const parts = percentages(split);
  const calling = Object.keys(parts).filter((agent) => (parts[agent] ?? 0) > 0);
  const agents = notApprovedOf(calling, guards);
  const percentage = agents.reduce((sum, { agent }) => sum + (parts[agent] ?? 0), 0);
  return { agents, percentage, isOver: exceeds(percentage, guards.maxUnapproved) };
}

/** An agent that lost its approval may be reduced in steps. It may get no more than it has in each split that callers may have today. */
function isTakenBack(agents: readonly Unapproved[], after: Split, befores: readonly Split[]): boolean {
  const given = percentages(after);
  const isNoMore = (had: Record<string, number>) =>
    agents.every(({ agent }) => !exceeds(given[agent] ?? 0, had[agent] ?? 0));
  return befores.length > 0 && befores.map(percentages).every(isNoMore);
}

/** The largest shift, over all splits that callers may have today. From no agent nothing shifts: no call changes its agent. */
function judgeShifts(befores: readonly Split[], targets: readonly Target[], { maxShift: max }: Guards): Violation[] {
  const shifts = befores
    .filter((one) => !isEmpty(one))
    .flatMap((before) => targets.map((target) => ({ ...target, before, shift: shift(before, target.after) })));
  const furthest = shifts.sort((a, b) => b.shift - a.shift)[0];
  if (max === undefined || furthest === undefined || !exceeds(furthest.shift, max)) {
    return [];
  }
  return [{ guard: "maxShift", ...furthest, max }];
}

// --- agents outside of splits

/**
 * An outbound agent makes every outbound call of its numbers: it must be approved, unless unapproved agents may get 100 %.
 * @param present the agent that the numbers have already: it is not judged again
 */
function judgeOutbound(inputs: Judged, present: string | undefined, guards: Guards): Violation[] {
  const path = "outboundAgentId";
  const keys = [outboundKey(inputs)].filter((key) => key !== undefined && key !== present) as string[];
  const agents = guards.maxUnapproved >= 100 ? [] : notApprovedOf(keys, guards);
  const refused: Violation = { guard: "maxUnapproved", path, agents, share: undefined, file: guards.approvedFile };
  return [...judgeVersions(path, keys, guards), ...(agents.length === 0 ? [] : [refused])];
}

/** Those that are not on the list of approved agents. Without a list there are none. */
const notApprovedOf = (agents: readonly string[], { approvedAgents: all }: Guards): Unapproved[] =>
  all === undefined ? [] : agents.filter((agent) => !all.includes(agent)).map((agent) => notApproved(agent, all));

const known = <T>(value: T | undefined): T | undefined => (isUnknown(value) ? undefined : value);
