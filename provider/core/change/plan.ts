import { same } from "../common/equality";
import { holdsUnknown, isUnknown } from "../common/schemas";
import type { Settings } from "../config/settings";
import { type Endpoint, sameEndpoint } from "../platform/endpoint";
import type { ResourceKind } from "../platform/kinds";
import { ofPosted } from "../platform/posted";
import { type GroupInputs, membersOf, own } from "../routing/group";
import { existsOnce, numbersOf } from "../routing/numberList";
import { isNewAbort } from "../routing/rollout";
import { fallbackIn, isNothingToClear, type NumbersInputs, type OnDelete, sameRouting } from "../routing/routing";
import { judgeChange, judgeFreeze, judgeRemoval, type Violation } from "./guards";
import {
  type GroupState,
  heldBy,
  isReturn,
  isTouched,
  type NumberInputs,
  type NumberState,
  type NumbersState,
  type UnappliedReason,
  unappliedOf,
} from "./state";

/**
 * What a run would do with a resource. This file decides it for numbers, and resources/posts.ts for voices and chats. diff tells it to the
 * engine, create, update and delete carry it out, and the report puts it into words.
 */
export interface Plan {
  /** Is there anything to do, even if it is only to record a value? */
  readonly changes: boolean;
  /** Properties whose change makes the engine create a replacement and delete the original at the end of the run. */
  readonly replaces: readonly string[];
  /** Numbers that get a PUT; undefined if they are not known yet. */
  readonly binds: readonly string[] | undefined;
  /** Those of them that are new here: the routing that they have today is overwritten. */
  readonly joins: readonly string[];
  /** Numbers that are no longer declared here. */
  readonly leaves: readonly string[];
  /** Those of them that the delete of the original clears, unless another resource declares them by then. */
  readonly clears: readonly string[];
  /** Is what was posted ended? */
  readonly ends: boolean;
  readonly reasons: readonly Reason[];
  readonly violations: readonly Violation[];
  /** Have the guards judged a replacement here, as a change? If not, they judge its create, as a new resource. */
  readonly isJudged: boolean;
}

/** Why a run does something that the change of the inputs does not show, or does not do what they seem to ask for. */
export type Reason =
  | { readonly why: "unapplied"; readonly count: number; readonly reasons: readonly UnappliedReason[] }
  | { readonly why: "endpoint"; readonly from: Endpoint; readonly to: Endpoint }
  | {
      readonly why: "membership";
      readonly joins: readonly string[];
      readonly clears: readonly string[];
      /** Numbers that leave and keep what they have, because they have it at another endpoint. */
      readonly keeps: readonly string[];
      readonly onDelete: OnDelete | undefined;
    }
  | { readonly why: "stays"; readonly from: Endpoint; readonly to: Endpoint }
  | { readonly why: "recorded"; readonly fields: readonly string[]; readonly noun: string }
  | { readonly why: "unresolved" };

/** Arguments whose change replaces. A change of a group's numbers replaces it too, but only if a number leaves. */
export const REPLACES = {
  NumberAssignment: ["number"],
  NumberGroup: [],
  ...ofPosted(({ replaces }) => replaces),
} satisfies Record<ResourceKind, readonly string[]>;

/** Arguments that are saved and never sent. */
export const RECORDED = {
  NumberAssignment: ["rollout", "weightTotal", "maxShift", "onDelete"],
  NumberGroup: ["rollout", "weightTotal", "maxShift", "maxFailures", "onDelete"],
  ...ofPosted(({ recorded }) => recorded),
} satisfies Record<ResourceKind, readonly string[]>;

export const NOTHING: Omit<Plan, "changes"> = {
  replaces: [],
  binds: [],
  joins: [],
  leaves: [],
  clears: [],
  ends: false,
  reasons: [],
  violations: [],
  isJudged: false,
};

// --- numbers

export function planNumber(olds: NumberState | undefined, news: NumberInputs, settings: Settings): Plan {
  const isKnown = !isUnknown(news.number);
  if (olds === undefined) {
    const joins = isKnown ? [news.number] : [];
    return { ...NOTHING, changes: true, binds: isKnown ? joins : undefined, joins };
  }
  const isSent = isNumberSent(olds, news);
  const plan = {
    ...NOTHING,
    changes: isSent || recorded("NumberAssignment", olds, news).length > 0,
    binds: isKnown ? [news.number].filter(() => isSent) : undefined,
    reasons: [...unapplied(olds), ...moved(olds, news)],
  };
  if (!isKnown || olds.number === news.number) {
    const frozen = isSent ? judgeFreeze(settings) : [];
    return { ...plan, violations: [...judgeChange(olds, news, settings), ...frozen] };
  }
  // The guards judge another number as a new one, because it has no split to move from. They judge an abort as a change, so that it passes.
  const isJudged = isReturn(olds, news);
  return {
    ...plan,
    isJudged,
    violations: isJudged ? [...judgeChange(olds, news, settings), ...judgeFreeze(settings)] : [],
    replaces: REPLACES.NumberAssignment,
    joins: [news.number],
    leaves: [olds.number],
    clears: isMovedAway(olds, news) ? [] : clearedNumbers(olds),
  };
}

/** Does a create or an update send a PUT? */
export const isNumberSent = (olds: NumberState | undefined, news: NumberInputs): boolean =>
  olds === undefined ||
  olds.unapplied !== undefined ||
  olds.number !== news.number ||
  isAllChanged(olds, news) ||
  holdsUnknown(news.triggers);

/** Does the change concern every number of the resource? */
const isAllChanged = (olds: NumbersInputs, news: NumbersInputs): boolean =>
  !sameEndpoint(olds, news) ||
  !sameRouting(olds, news) ||
  !same(olds.triggers, news.triggers) ||
  isNewAbort(olds.rollout, news.rollout);

export function planGroup(olds: GroupState | undefined, news: GroupInputs, settings: Settings): Plan {
  const members = isGroupKnown(news) ? planMembers(olds, news) : undefined;
  if (olds === undefined) {
    const { binds, joins = [] } = members ?? {};
    return { ...NOTHING, changes: true, binds, joins };
  }
  const { binds, joins = [], clears = [], leaves = [] } = members ?? {};
  const isSent = members === undefined || members.binds.length + clears.length > 0 || holdsUnknown(news.triggers);
  const isChanged = ["numbers", "triggers", "overrides", ...recorded("NumberGroup", olds, news)].some(
    (field) => !same(olds[field as keyof GroupState], news[field as keyof GroupInputs]),
  );
  return {
    ...NOTHING,
    changes: isSent || isChanged,
    replaces: clears.length > 0 ? ["numbers"] : [],
    isJudged: true,
    binds,
    joins,
    leaves,
    clears,
    reasons: [...unapplied(olds), ...moved(olds, news), ...membership(joins, members, olds)],
    violations: [
      ...judgeChange(olds, news, settings),
      ...judgeRemoval(judgedLeavers(clears, olds), membersOf(olds).size, settings),
      ...(isSent ? judgeFreeze(settings) : []),
    ],
  };
}

/** The leaving numbers that count for maxRemove. A number that joined in the last change does not: no guard blocks a revert. */
export function judgedLeavers(leaving: readonly string[], { previous }: GroupState): string[] {
  const joined = new Set(previous?.joined === undefined ? [] : numbersOf(previous.joined));
  return leaving.filter((number) => !joined.has(number));
}

/** In a preview the numbers or the overrides may be unknown. Then it is not known which numbers are sent. */
export const isGroupKnown = ({ numbers, overrides }: GroupInputs): boolean =>
  !isUnknown(numbers) && !isUnknown(overrides);

/** The numbers to which a create or an update sends a PUT. */
export const numbersSent = (olds: GroupState | undefined, news: GroupInputs): readonly string[] =>
  planMembers(olds, news).binds;

interface MemberPlan {
  readonly binds: string[];
  readonly joins: string[];
  /** No longer declared here. */
  readonly leaves: string[];
  /** The leaving numbers that may have something from this group. Empty if the group moved away from their platform or account. */
  readonly clears: string[];
}

function planMembers(olds: GroupState | undefined, news: GroupInputs): MemberPlan {
  const wanted = numbersOf(news.numbers);
  if (olds === undefined) {
    return { binds: wanted, joins: wanted, leaves: [], clears: [] };
  }
  const had = membersOf(olds);
  const has = new Set(wanted);
  const isAll = isAllChanged(olds, news);
  const missed = unappliedOf(olds);
  const isChanged = (number: string) =>
    isAll || !had.has(number) || missed.has(number) || !same(own(olds.overrides, number), own(news.overrides, number));
  const leaves = [...had.keys()].filter((number) => !has.has(number));
  return {
    binds: wanted.filter(isChanged),
    joins: wanted.filter((number) => !had.has(number)),
    leaves,
    clears: isMovedAway(olds, news) ? [] : leaves.filter((number) => isTouched(number, olds)),
  };
}

/** Does the resource move to another platform or, if it has extensions, to another account? Then nothing is cleared at the old one. */
const isMovedAway = (olds: NumbersState, news: Endpoint): boolean =>
  olds.endpoint !== news.endpoint || (!sameEndpoint(olds, news) && !numbersIn(olds).every(existsOnce));

const numbersIn = (state: NumbersState): string[] =>
  "number" in state ? [state.number] : [...membersOf(state).keys()];

/** Numbers that a delete of the resource clears, or assigns the routing of `onDelete`, unless another resource declares them. */
export function clearedNumbers(state: NumbersState): string[] {
  const fallback = fallbackIn(state.onDelete) ?? {};
  return numbersIn(state).filter(
    (number) => isTouched(number, state) && !isNothingToClear(heldBy(number, state, state), fallback),
  );
}

/**
 * Judges the delete of a group. If other resources declare some of its numbers, the group was renamed or split, and `lost`, the rest, may
 * have been forgotten by mistake. If no other resource declares any, the whole group is meant to go.
 */
export const judgeGroupDelete = (state: GroupState, lost: readonly string[], settings: Settings): Violation[] =>
  lost.length < clearedNumbers(state).length ? judgeRemoval(lost, membersOf(state).size, settings) : [];

// --- reasons

function unapplied({ unapplied: missed }: NumbersState): Reason[] {
  if (missed === undefined) {
    return [];
  }
  const parts = "reason" in missed ? [missed] : missed;
  const count = "reason" in missed ? 1 : missed.reduce((sum, { numbers }) => sum + numbersOf(numbers).length, 0);
  return [{ why: "unapplied", count, reasons: [...new Set(parts.map(({ reason }) => reason))] }];
}

const moved = (olds: Endpoint, news: Endpoint): Reason[] =>
  sameEndpoint(olds, news) ? [] : [{ why: "endpoint", from: olds, to: news }];

/** A number that leaves is not named if the group never assigned it. */
function membership(joins: readonly string[], members: MemberPlan | undefined, olds: GroupState): Reason[] {
  const { clears = [], leaves = [] } = members ?? {};
  const keeps = clears.length > 0 ? [] : leaves.filter((number) => isTouched(number, olds));
  const isNothing = joins.length + clears.length + keeps.length === 0;
  return isNothing ? [] : [{ why: "membership", joins, clears, keeps, onDelete: olds.onDelete }];
}

/** The arguments that change and are only recorded. */
export const recorded = (kind: ResourceKind, olds: object, news: object): string[] =>
  RECORDED[kind].filter((field) => !same(Reflect.get(olds, field), Reflect.get(news, field)));
