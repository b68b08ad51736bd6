import { same } from "./equality";
import { type GroupInputs, type Overrides, removable } from "./group";
import type { OnDelete, Routing } from "./routing";
import { isUnknown } from "./schemas";
import type { Guards, Settings } from "./settings";
import { isEmpty, parseAgentKey, type Split, shares, shift, total } from "./split";
import { appliedSplits, type NumberInputs, type NumbersState, outboundAgents, outboundKeys } from "./state";

/** What the guards of a stack and of a program refuse, in data; messages/ has the words. */

export type Violation =
  | { readonly guard: "weightTotal"; readonly path: string; split: Split; sum: number; total: number }
  | { readonly guard: "maxShift"; readonly path: string; shift: number; max: number; before: Split; after: Split }
  | { readonly guard: "requireVersions"; readonly path: string; agents: readonly string[] }
  | {
      readonly guard: "maxUnapproved";
      readonly path: string;
      agents: readonly string[];
      share: number;
      from: number;
      max: number;
    }
  | { readonly guard: "maxRemove"; leaving: readonly string[]; max: number }
  | { readonly guard: "freeze"; reason: string };

export interface ProgramGuards {
  readonly weightTotal?: number | undefined;
  readonly maxShift?: number | undefined;
}

type Judged = Routing & ProgramGuards & { onDelete?: OnDelete | undefined; overrides?: Overrides | undefined };

// --- which guard is judged when

/** A new resource is judged whole. From no agent at all nothing shifts, so maxShift has nothing to say. */
export function judgeNew(inputs: Judged, settings: Settings): Violation[] {
  const split = known(inputs.inboundAgents);
  return [
    ...(split === undefined ? [] : judgeSplit("inboundAgents", split, [], inputs, settings)),
    ...judgeOutbound(inputs, [], settings),
    ...judgeFallback(inputs.onDelete, undefined, inputs, settings),
    ...judgeFreeze(settings),
  ];
}

/**
 * What a change does to the calls. What stays is not judged again, and neither is the way back: what was applied before the last
 * change is let pass by every guard but a freeze.
 */
export function judgeChange(olds: NumbersState, news: NumberInputs | GroupInputs, settings: Settings): Violation[] {
  const split = known(news.inboundAgents);
  const splits = appliedSplits(olds).filter((one) => !isUnknown(one));
  const isKnown = split === undefined || same(olds.previousInboundAgents, split);
  const isJudged = !isKnown && (splits.length === 0 || splits.some((before) => !same(before, split)));
  return [
    ...(isJudged
      ? [...judgeShifts(splits, split, news, settings), ...judgeSplit("inboundAgents", split, splits, news, settings)]
      : judgeOwnTotal(olds, news, split, settings)),
    ...judgeOutbound(news, [...outboundAgents(olds), ...(olds.previous?.outboundAgents ?? [])], settings),
    ...(same(news.onDelete, olds.previous?.onDelete)
      ? []
      : judgeFallback(news.onDelete, olds.onDelete, news, settings)),
  ];
}

/** While the stack is frozen, whatever would be sent is refused. */
export const judgeFreeze = ({ guards: { freeze } }: Settings): Violation[] =>
  freeze === undefined ? [] : [{ guard: "freeze", reason: freeze }];

/** A slip in a list of numbers must not unassign a whole group. `of` is how many numbers there were. */
export function judgeRemoval(leaving: readonly string[], of: number, { guards: { maxRemove } }: Settings): Violation[] {
  const max = removable(of, maxRemove);
  return leaving.length <= max ? [] : [{ guard: "maxRemove", leaving, max }];
}

// --- splits

function judgeSplit(
  path: string,
  after: Split,
  befores: readonly Split[],
  program: ProgramGuards,
  { guards: stack }: Settings,
): Violation[] {
  return [
    ...judgeTotal(path, after, stack.weightTotal ?? known(program.weightTotal)),
    ...judgeVersions(path, Object.keys(after), stack),
    ...judgeApproval(path, after, befores, stack),
  ];
}

/** A program that states a total for a split that stays has to be right about it. */
function judgeOwnTotal(
  olds: ProgramGuards,
  news: ProgramGuards,
  split: Split | undefined,
  settings: Settings,
): Violation[] {
  const isStated = known(news.weightTotal) !== undefined && olds.weightTotal !== news.weightTotal;
  return isStated && split !== undefined && settings.guards.weightTotal === undefined
    ? judgeTotal("inboundAgents", split, news.weightTotal)
    : [];
}

/** The sum of floats such as 0.7 + 0.2 + 0.1 is not 1: compared with a tolerance relative to the total. */
const SUM_TOLERANCE = 1e-9;

function judgeTotal(path: string, split: Split, expected: number | undefined): Violation[] {
  if (expected === undefined || isEmpty(split)) {
    return [];
  }
  const sum = total(split);
  const isRight = Math.abs(sum - expected) <= SUM_TOLERANCE * Math.max(1, expected);
  return isRight ? [] : [{ guard: "weightTotal", path, split, sum, total: expected }];
}

function judgeVersions(path: string, agents: readonly string[], { requireVersions }: Guards): Violation[] {
  const without = requireVersions ? agents.filter((key) => parseAgentKey(key).agentVersion === undefined) : [];
  return without.length === 0 ? [] : [{ guard: "requireVersions", path, agents: without }];
}

const SHARE_TOLERANCE = 1e-9;

function judgeApproval(path: string, after: Split, befores: readonly Split[], guards: Guards): Violation[] {
  const { agents, share, isOver } = unapprovedIn(after, guards);
  if (!isOver || isTakenBack(agents, after, befores)) {
    return [];
  }
  const from = befores[0] === undefined ? 0 : unapprovedIn(befores[0], guards).share;
  return [{ guard: "maxUnapproved", path, agents, share, from, max: guards.maxUnapproved }];
}

/** The agents that nobody has approved, and what they receive together; none where no list is set. */
export function unapprovedIn(split: Split, { approvedAgents, maxUnapproved }: Guards) {
  const unapproved =
    approvedAgents === undefined
      ? []
      : Object.entries(shares(split)).filter(([key, share]) => share > 0 && !approvedAgents.includes(key));
  const share = unapproved.reduce((sum, [, one]) => sum + one, 0);
  return { agents: unapproved.map(([key]) => key), share, isOver: share > maxUnapproved + SHARE_TOLERANCE };
}

/** An agent that lost its approval may be taken back in steps: none of these gets more than it has, whatever callers meet today. */
function isTakenBack(agents: readonly string[], after: Split, befores: readonly Split[]): boolean {
  const given = shares(after);
  const isNoMore = (had: Record<string, number>) => (agent: string) =>
    (given[agent] ?? 0) <= (had[agent] ?? 0) + SHARE_TOLERANCE;
  return befores.length > 0 && befores.every((before) => agents.every(isNoMore(shares(before))));
}

/** Of the splits that callers meet today, the one that moves furthest. From no agent nothing shifts: nobody's calls change hands. */
function judgeShifts(
  befores: readonly Split[],
  after: Split,
  program: ProgramGuards,
  { guards: stack }: Settings,
): Violation[] {
  const max = tighter(stack.maxShift, known(program.maxShift));
  const shifts = befores.filter((one) => !isEmpty(one)).map((before) => ({ before, shift: shift(before, after) }));
  const furthest = shifts.sort((a, b) => b.shift - a.shift)[0];
  if (max === undefined || furthest === undefined || furthest.shift <= max + SHARE_TOLERANCE) {
    return [];
  }
  return [{ guard: "maxShift", path: "inboundAgents", ...furthest, max, after }];
}

/** The tighter of what the stack and the program allow. */
export const tighter = (stack: number | undefined, program: number | undefined): number | undefined =>
  stack === undefined || program === undefined ? (stack ?? program) : Math.min(stack, program);

// --- agents outside of splits

/** An outbound agent makes every outbound call of its numbers: it holds all of them, or none. */
function judgeOutbound(inputs: Judged, isThere: readonly string[], { guards }: Settings): Violation[] {
  const overrides = Object.values(known(inputs.overrides) ?? {});
  return [
    ...judgeAgents("outboundAgentId", [inputs], isThere, guards),
    ...judgeAgents("overrides", overrides, isThere, guards),
  ];
}

/** What is there already is not judged again. */
function judgeAgents(
  path: string,
  routings: readonly Routing[],
  isThere: readonly string[],
  guards: Guards,
): Violation[] {
  const { approvedAgents, maxUnapproved } = guards;
  const agents = outboundKeys(routings).filter((key) => !isThere.includes(key));
  const unapproved = approvedAgents === undefined ? [] : agents.filter((key) => !approvedAgents.includes(key));
  return [
    ...judgeVersions(path, agents, guards),
    ...(unapproved.length === 0 || maxUnapproved >= 100
      ? []
      : [{ guard: "maxUnapproved" as const, path, agents: unapproved, share: 100, from: 0, max: maxUnapproved }]),
  ];
}

/** What a number falls back to gets every call once the resource is deleted, and no preview of then judges it. */
function judgeFallback(
  after: OnDelete | undefined,
  before: OnDelete | undefined,
  program: ProgramGuards,
  settings: Settings,
): Violation[] {
  const routing = routingIn(after);
  if (routing === undefined || same(after, before)) {
    return [];
  }
  const was = routingIn(before);
  const split = known(routing.inboundAgents);
  const isNewSplit = split !== undefined && !same(split, was?.inboundAgents);
  return [
    ...(isNewSplit
      ? judgeSplit("onDelete.inboundAgents", split, [known(was?.inboundAgents) ?? {}], program, settings)
      : []),
    ...judgeAgents(
      "onDelete.outboundAgentId",
      [routing],
      outboundKeys(was === undefined ? [] : [was]),
      settings.guards,
    ),
  ];
}

/** A state or a preview may hold anything there. */
const routingIn = (onDelete: OnDelete | undefined): Routing | undefined =>
  typeof onDelete === "object" && onDelete !== null ? onDelete : undefined;

// --- a program beside its stack

/** Arguments with which a program would loosen what the stack guards. */
export function loosened(program: ProgramGuards, stack: Guards): { path: keyof ProgramGuards; limit: number }[] {
  const { weightTotal, maxShift } = { weightTotal: known(program.weightTotal), maxShift: known(program.maxShift) };
  const found: { path: keyof ProgramGuards; limit: number }[] = [];
  if (stack.weightTotal !== undefined && weightTotal !== undefined && weightTotal !== stack.weightTotal) {
    found.push({ path: "weightTotal", limit: stack.weightTotal });
  }
  if (stack.maxShift !== undefined && maxShift !== undefined && maxShift > stack.maxShift) {
    found.push({ path: "maxShift", limit: stack.maxShift });
  }
  return found;
}

const known = <T>(value: T | undefined): T | undefined => (isUnknown(value) ? undefined : value);
