import * as z from "zod";
import { isUnknown, type Previewed, type Unknown } from "../base/engine";
import { defined, memoizeByObject, pick, same } from "../base/json";
import {
  type Endpoint,
  membersOf,
  type NumbersInputs,
  type NumbersText,
  numbersText,
  type PreviewedNumbers,
  sameEndpoint,
} from "../routing/group";
import { isAtZero, isNewAbort, restartedAbort, sameCalls, stableSplit } from "../routing/rollout";
import { type Routing, routingOf, SCOPE, type Scope, setFields } from "../routing/routing";
import { agentKey, isEmpty, type Split } from "../routing/split";
import type { PlatformIds } from "../routing/types";
import { type RollbackTarget, UNAPPLIED_REASONS, type UnappliedReason } from "../run/plan";
import { distinct, everyFieldOf, isFailed, type LastKnown, type NumberResult } from "./result";

/** Numbers that may not have the declared routing, for the same reason and with the same routings. */
export interface Unapplied extends LastKnown {
  readonly numbers: NumbersText;
  readonly reason: UnappliedReason;
}

/**
 * The saved state of a number resource. The inputs are what is declared; `unapplied` records, as far as it is known,
 * what numbers have if they didn't get it. Guards compare a change with what was applied, never with a split that no
 * number got.
 */
export interface NumbersState extends NumbersInputs {
  /** The split applied before this one. */
  readonly previousInboundAgents?: Split | undefined;
  /**
   * When the last of the numbers with the current split got it: the platform accepted it, or an import recorded it (ISO
   * 8601, UTC). Absent if no number has it.
   */
  readonly since?: string | undefined;
  /** The numbers that weren't applied. The next run sends them again. */
  readonly unapplied?: readonly Unapplied[] | undefined;
  readonly platformIds?: PlatformIds | undefined;
}

/** The state a new resource starts from: nothing, on no platform. */
export const NEW: NumbersState = { endpoint: "" };

const savedRouting = z.looseObject({ inboundAgents: z.record(z.string(), z.number()).optional() });

/** Schemas for fields in a saved state, which may have been edited manually. */
export const SAVED_NUMBERS = {
  unapplied: z
    .array(
      z.looseObject({
        reason: z.enum(UNAPPLIED_REASONS),
        applied: savedRouting.optional(),
        // In a 0.1.0 state, this may be a single routing.
        maybe: z.union([z.array(savedRouting), savedRouting.transform((routing) => [routing])]).optional(),
        numbers: z.string(),
      }),
    )
    .optional(),
  rollout: z.looseObject({ stable: z.string() }).optional(),
} as const;

export const unappliedOf = memoizeByObject(
  ({ unapplied = [] }: NumbersState): ReadonlyMap<string, Unapplied> =>
    new Map(unapplied.flatMap((part) => [...membersOf(part).keys()].map((number) => [number, part]))),
);

/** May a request from this resource have been applied to the number, even one that only unassigned agents? */
export function isTouched(number: string, state: NumbersState): boolean {
  const part = unappliedOf(state).get(number);
  return part === undefined ? membersOf(state).has(number) : part.applied !== undefined || part.maybe !== undefined;
}

/** What a number of this state has, as far as that is known; nothing if the state belongs to another endpoint. */
export function lastKnownIn(number: string, state: NumbersState, endpoint: Endpoint): LastKnown {
  if (!sameEndpoint(state, endpoint)) {
    return {};
  }
  const { applied, maybe } = unappliedOf(state).get(number) ?? {
    applied: membersOf(state).has(number) ? routingOf(state) : undefined,
  };
  return defined({ applied, maybe });
}

/** What the platform may have for a number of this state; nothing if the state belongs to another endpoint. */
export const mayHaveOf = (number: string, state: NumbersState, endpoint: Endpoint): Routing =>
  everyFieldOf(lastKnownIn(number, state, endpoint));

/** Where a number in this state was assigned, even if the last change was not applied. */
export const placeInState = (number: string, state: NumbersState): Endpoint & Pick<Routing, Scope> => ({
  endpoint: state.endpoint,
  ...defined(pick(unappliedOf(state).get(number)?.applied ?? state, SCOPE)),
});

/**
 * Does a delete clear the number, unless another resource declares it? It doesn't if the number has nothing from this
 * resource.
 */
export const needsClearing = (number: string, state: NumbersState): boolean =>
  setFields(mayHaveOf(number, state, state)).length > 0;

/** Numbers that a delete of the resource clears, unless another resource declares them. */
export const clearedNumbers = (state: NumbersState): string[] =>
  [...membersOf(state).keys()].filter((number) => needsClearing(number, state));

/** The splits that requests with an unknown outcome may have left, most recent first. */
export const uncertainSplits = ({ maybe = [] }: LastKnown): Split[] =>
  distinct(maybe.map(({ inboundAgents }) => inboundAgents));

/** The routings applied last, both for numbers that have what is declared and for those an earlier run didn't apply. */
export function appliedRoutings(state: NumbersState): Routing[] {
  const { unapplied = [] } = state;
  const isSome = unapplied.length === 0 || unappliedOf(state).size < membersOf(state).size;
  return [...(isSome ? [state] : []), ...unapplied.flatMap(({ applied }) => applied ?? [])];
}

export const appliedSplits = (state: NumbersState): Split[] =>
  distinct(appliedRoutings(state).map(({ inboundAgents }) => inboundAgents));

/** The splits that callers may be routed by today: what was applied, and what later requests may have left. */
export const possibleSplits = (state: NumbersState): Split[] =>
  distinct([...appliedSplits(state), ...(state.unapplied ?? []).flatMap(uncertainSplits)]);

/** Whether every number certainly has the requested split. Other fields may be unapplied. */
export const isSplitConfirmed = (state: NumbersState): boolean =>
  (state.unapplied ?? []).every((part) => isConfirmed(part, state));

const isConfirmed = (part: LastKnown, { inboundAgents }: NumbersState): boolean =>
  [part.applied?.inboundAgents, ...uncertainSplits(part)].every((split) => same(split, inboundAgents));

/** The numbers that certainly have the requested split. */
const confirmedNumbers = (state: NumbersState): string[] => {
  const missed = unappliedOf(state);
  return [...membersOf(state).keys()].filter((number) => isConfirmed(missed.get(number) ?? { applied: state }, state));
};

/** A routing's outbound agent, as a key; undefined if there is none or it isn't known yet. */
export const outboundKey = ({ outboundAgentId: agentId, outboundAgentVersion: agentVersion }: Previewed<Routing>) =>
  agentId === undefined || isUnknown(agentId) || isUnknown(agentVersion)
    ? undefined
    : agentKey({ agentId, agentVersion });

export function rollbackTarget(
  olds: NumbersState,
  { rollout, inboundAgents: split }: PreviewedNumbers,
): RollbackTarget | undefined {
  const isDown = rollout === undefined || (!isUnknown(rollout) && isAtZero(rollout));
  const stable = isDown ? stableSplit(olds.rollout) : undefined;
  if (stable !== undefined && isSplit(split) && sameCalls(stable, split)) {
    return "stable";
  }
  const isPrevious = split !== undefined && same(olds.previousInboundAgents, split);
  return isPrevious && restartedAbort(olds.rollout, rollout, split) === undefined ? "previous" : undefined;
}

/**
 * Does the change only take calls back? That is an abort, or a return to the stable split, to the previous split, or to
 * no agents. A split that callers certainly have already doesn't count, unless it is an abort.
 */
export function isRollback(olds: NumbersState, news: NumbersInputs): boolean {
  const { inboundAgents: split } = news;
  if (olds === NEW || split === undefined) {
    return false;
  }
  const isMoved = possibleSplits(olds).some((before) => !sameCalls(before, split));
  return (
    isNewAbort(olds.rollout, news.rollout) || (isMoved && (isEmpty(split) || rollbackTarget(olds, news) !== undefined))
  );
}

const isSplit = (split: Split | Unknown | undefined): split is Split =>
  typeof split === "object" && Object.keys(split).length > 0;

// --- the state after a run

/**
 * The only function that builds a state: what is declared, plus what numbers that failed may have.
 * @param results of all requests in the run
 * @param at when the last request ended (ISO 8601, UTC)
 */
export function nextState(
  olds: NumbersState,
  news: NumbersInputs,
  results: readonly NumberResult[],
  at: string,
): NumbersState {
  const parts = new Map<string, { saved: Omit<Unapplied, "numbers">; numbers: Map<string, string> }>();
  for (const { number, became, lastKnown } of results.filter(isFailed)) {
    // If a number failed earlier and wasn't sent this time, keep it marked as failed, so that the next run starts with
    // others.
    const before = sameEndpoint(olds, news) ? unappliedOf(olds).get(number)?.reason : undefined;
    const saved = { reason: became === "not sent" ? (before ?? became) : became, ...lastKnown };
    const key = JSON.stringify(saved);
    const part = parts.get(key) ?? { saved, numbers: new Map() };
    parts.set(key, part);
    part.numbers.set(number, "");
  }
  const unapplied = [...parts.values()].map(({ saved, numbers }) => ({ ...saved, numbers: numbersText(numbers) }));
  // The split that a later revert may return to. After an unapplied change and its revert, it is no longer known.
  const previous = [appliedSplits(olds)[0], olds.previousInboundAgents].find(
    (split) => !same(split, news.inboundAgents),
  );
  const state: NumbersState = defined({
    ...news,
    previousInboundAgents: previous,
    unapplied: unapplied.length === 0 ? undefined : unapplied,
  });
  return defined({ ...state, since: sinceOf(olds, state, results, at) });
}

/**
 * When the numbers that have the split got it. Counts from the response that accepted the split, even if that response
 * shows none; otherwise, a platform that never shows splits would block `minSoak` forever. Numbers that join, leave or
 * fail their first request don't change it. A number that had another split from this resource restarts it.
 */
function sinceOf(
  olds: NumbersState,
  state: NumbersState,
  results: readonly NumberResult[],
  at: string,
): string | undefined {
  const isSameSplit =
    sameEndpoint(olds, state) &&
    isSplit(olds.inboundAgents) &&
    sameCalls(olds.inboundAgents, state.inboundAgents ?? {});
  const confirmedBefore = new Set(isSameSplit ? confirmedNumbers(olds) : []);
  const confirmed = isSplit(state.inboundAgents) ? confirmedNumbers(state) : [];
  if (confirmed.length === 0) {
    return undefined;
  }
  const isGained = confirmed.some(
    (number) => !confirmedBefore.has(number) && (confirmedBefore.size === 0 || isTouched(number, olds)),
  );
  // Unless we know the time for the other numbers, the time for some isn't the time for all.
  const isOfAll = results.length === membersOf(state).size && !results.some(isFailed);
  if (isGained || (olds.since === undefined && isOfAll)) {
    return results.length > 0 ? at : undefined;
  }
  return olds.since;
}
