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
import { isFailed, type NumberResult } from "./result";
import { isImport, type Verdict } from "./verify";

/**
 * What is known about a number's current routing: the last routing that was applied, and those that later requests may
 * have left on the number.
 */
interface LastKnown {
  /** The last routing that was applied to the number. Absent if this resource never applied any. */
  readonly applied?: Routing | undefined;
  /**
   * Other routings that the number may have now, completely or for some fields, because the outcome of a request is
   * unknown or its response showed something else. Most recent first.
   */
  readonly maybe?: readonly Routing[] | undefined;
}

/**
 * Numbers that may lack the declared routing, all for the same reason, together with the routings they may have
 * instead.
 */
export interface Unapplied extends LastKnown {
  readonly numbers: NumbersText;
  readonly reason: UnappliedReason;
}

/**
 * The saved state of a number resource: the declared routing, and the numbers that may have a different one. Guards
 * compare a change with the applied routing, not with the declared one.
 */
export interface NumbersState extends NumbersInputs {
  /**
   * The split that was applied before the current one. A change back to it is a rollback, unless that sends calls to an
   * aborted agent again.
   */
  readonly previousInboundAgents?: Split | undefined;
  /**
   * When the last of the numbers received the current split (ISO 8601, UTC). Absent if no number is known to have that
   * split, or if the time isn't known.
   */
  readonly since?: string | undefined;
  /** The numbers that may lack the declared routing, in groups. The next run sends a request for each number. */
  readonly unapplied?: readonly Unapplied[] | undefined;
  readonly platformIds?: PlatformIds | undefined;
}

/** The empty state of a new resource. */
export const NEW: NumbersState = { endpoint: "" };

/**
 * Whether this is the state of a resource that has never been saved. Such a state has no endpoint, whereas every saved
 * state has one.
 */
export const isNew = ({ endpoint }: NumbersState): boolean => endpoint === "";

const savedRouting = z.looseObject({ inboundAgents: z.record(z.string(), z.number()).optional() });

/**
 * Schemas for the fields of a saved state that only number resources have. These fields are validated, because a user
 * may have edited the state manually.
 */
export const SAVED_NUMBERS = {
  unapplied: z
    .array(
      z.looseObject({
        reason: z.enum(UNAPPLIED_REASONS),
        applied: savedRouting.optional(),
        // Version 0.1.0 saved `maybe` as a single routing.
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

/** Whether any of this resource's requests may have been applied to the number. */
export function isTouched(number: string, state: NumbersState): boolean {
  const part = unappliedOf(state).get(number);
  return part === undefined ? membersOf(state).has(number) : part.applied !== undefined || part.maybe !== undefined;
}

/**
 * Returns the routings that a number may have according to this state. Returns none if the state belongs to another
 * endpoint.
 */
function lastKnownIn(number: string, state: NumbersState, endpoint: Endpoint): LastKnown {
  if (!sameEndpoint(state, endpoint)) {
    return {};
  }
  const { applied, maybe } = unappliedOf(state).get(number) ?? {
    applied: membersOf(state).has(number) ? routingOf(state) : undefined,
  };
  return defined({ applied, maybe });
}

const routingsIn = ({ applied, maybe = [] }: LastKnown): Routing[] => [...maybe, ...(applied ? [applied] : [])];

/**
 * Returns every routing that a number may have on the platform, in whole or in part, according to this state. Returns
 * none if the state belongs to another endpoint.
 */
export const mayHaveOf = (number: string, state: NumbersState, endpoint: Endpoint): Routing[] =>
  routingsIn(lastKnownIn(number, state, endpoint));

/**
 * Returns the endpoint, account and workspace in which to find the number, according to its last applied routing or, if
 * there is none, the declared one.
 */
export const placeInState = (number: string, state: NumbersState): Endpoint & Pick<Routing, Scope> => ({
  endpoint: state.endpoint,
  ...defined(pick(unappliedOf(state).get(number)?.applied ?? state, SCOPE)),
});

/** Whether the platform may still have fields that this resource set on the number. */
export const needsClearing = (number: string, state: NumbersState): boolean =>
  mayHaveOf(number, state, state).flatMap(setFields).length > 0;

/** Returns the numbers that deleting the resource would clear, unless another resource declares them. */
export const clearedNumbers = (state: NumbersState): string[] =>
  [...membersOf(state).keys()].filter((number) => needsClearing(number, state));

/** Returns the splits of requests that may or may not have been applied, most recent first. */
export const uncertainSplits = ({ maybe = [] }: LastKnown): Split[] =>
  distinct(maybe.map(({ inboundAgents }) => inboundAgents));

/**
 * Returns the routings that were last applied to the resource's numbers. They may differ from number to number, and
 * from the declared routing.
 */
export function appliedRoutings(state: NumbersState): Routing[] {
  const { unapplied = [] } = state;
  const isSome = unapplied.length === 0 || unappliedOf(state).size < membersOf(state).size;
  return [...(isSome ? [state] : []), ...unapplied.flatMap(({ applied }) => applied ?? [])];
}

export const appliedSplits = (state: NumbersState): Split[] =>
  distinct(appliedRoutings(state).map(({ inboundAgents }) => inboundAgents));

/** Returns every split that a number may have now, including the splits of requests whose outcome is unknown. */
export const possibleSplits = (state: NumbersState): Split[] =>
  distinct([...appliedSplits(state), ...(state.unapplied ?? []).flatMap(uncertainSplits)]);

/** Whether every number is known to have the declared split. Its other routing fields may still differ. */
export const isSplitConfirmed = (state: NumbersState): boolean =>
  (state.unapplied ?? []).every((part) => isConfirmed(part, state));

const isConfirmed = (part: LastKnown, { inboundAgents }: NumbersState): boolean =>
  [part.applied?.inboundAgents, ...uncertainSplits(part)].every((split) => same(split, inboundAgents));

/** Returns the numbers that are known to have the declared split. */
const confirmedNumbers = (state: NumbersState): string[] => {
  const missed = unappliedOf(state);
  return [...membersOf(state).keys()].filter((number) => isConfirmed(missed.get(number) ?? { applied: state }, state));
};

/** Returns the key of a routing's outbound agent, or undefined if there is none or a preview doesn't know it. */
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
 * Whether a change is a rollback: a new abort, or a change of the split to the stable one, the previous one or no
 * agents at all.
 */
export function isRollback(olds: NumbersState, news: NumbersInputs): boolean {
  const { inboundAgents: split } = news;
  if (isNew(olds) || split === undefined) {
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
 * Builds the state after a run from the declared inputs and the results of the run's requests.
 * @param results the results of all requests in the run
 * @param at when the last request ended (ISO 8601, UTC)
 */
export function nextState(
  olds: NumbersState,
  news: NumbersInputs,
  results: readonly NumberResult[],
  at: string,
): NumbersState {
  const routing = routingOf(news);
  const parts = new Map<string, { saved: Omit<Unapplied, "numbers">; numbers: Map<string, string> }>();
  for (const { number, became, verdict } of results.filter(isFailed)) {
    // If this run sent no request for the number, keep the reason of the earlier failure, so that the next run doesn't
    // start with the same failing numbers.
    const before = sameEndpoint(olds, news) ? unappliedOf(olds).get(number)?.reason : undefined;
    const reason = became === "not sent" ? (before ?? became) : became;
    const saved = { reason, ...lastKnownAfter(lastKnownIn(number, olds, news), routing, became, verdict) };
    const key = JSON.stringify(saved);
    const part = parts.get(key) ?? { saved, numbers: new Map() };
    parts.set(key, part);
    part.numbers.set(number, "");
  }
  const unapplied = [...parts.values()].map(({ saved, numbers }) => ({ ...saved, numbers: numbersText(numbers) }));
  const state: NumbersState = defined({
    ...news,
    previousInboundAgents: previousSplit(olds, news, unapplied.length === 0),
    unapplied: unapplied.length === 0 ? undefined : unapplied,
  });
  return defined({ ...state, since: sinceOf(olds, state, results, at) });
}

/**
 * Returns the split to save as the previous one. A later change back to that split counts as a rollback.
 * - After a complete rollback: none. If somebody declares the undone split again, the guards must judge it.
 * - After a rollback that failed for some numbers: the rollback's split. The next run then sends it to those numbers as
 * a rollback.
 * - In all other cases, even after all agents were removed: the last applied split or, if the new split equals it, the
 * saved previous one.
 */
function previousSplit(olds: NumbersState, news: NumbersInputs, isComplete: boolean): Split | undefined {
  const { inboundAgents: split } = news;
  if (isSplit(split) && isRollback(olds, news)) {
    return isComplete ? undefined : split;
  }
  return [appliedSplits(olds)[0], olds.previousInboundAgents].find((before) => !same(before, split));
}

/**
 * Returns the routings that a number may have after a request that failed or whose outcome is unknown.
 * @param verdict how the response compares with the request; undefined if the platform did not accept the request
 */
function lastKnownAfter(before: LastKnown, sent: Routing, became: UnappliedReason, verdict?: Verdict): LastKnown {
  const wanted = withoutUrl(sent);
  const last = { applied: before.applied && withoutUrl(before.applied), maybe: before.maybe?.map(withoutUrl) };
  // Whether the response shows the number's current routing, even though the request counts as failed.
  const isShown = verdict !== undefined && (verdict.returnedSplit !== undefined || verdict.mismatches.every(isImport));
  if (isShown) {
    const { returnedSplit, notCleared } = verdict;
    // The response may leave out fields that the request set. Keep them in the state, so that a later run clears them.
    const applied = returnedSplit === undefined ? wanted : { ...wanted, inboundAgents: returnedSplit };
    const left = distinct(routingsIn(last).map((routing) => defined(pick(routing, notCleared))));
    const maybe = left.filter((routing) => setFields(routing).length > 0);
    return defined({ applied, maybe: maybe.length > 0 ? maybe : undefined });
  }
  const mayHaveWanted = became === "unknown" || verdict !== undefined;
  return defined({
    applied: last.applied,
    maybe: mayHaveWanted ? distinct([wanted, ...(last.maybe ?? [])]) : last.maybe,
  });
}

/** Hides a webhook URL. If the URL is secret, the engine encrypts it as an argument, but not inside `unapplied`. */
const withoutUrl = (routing: Routing): Routing =>
  routing.inboundWebhookUrl ? { ...routing, inboundWebhookUrl: "[set]" } : routing;

/**
 * Returns the time at which the last number received the current split. An accepted request counts even if its response
 * shows no agents, because otherwise `minSoak` could block `promote` forever.
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
  // A number that joins others with this split doesn't change the time, even if its first request was rejected. It does
  // if that request may have changed the number.
  const isGained = confirmed.some(
    (number) => !confirmedBefore.has(number) && (confirmedBefore.size === 0 || isTouched(number, olds)),
  );
  // Without a saved `since`, we don't know how long some numbers have had the split, so set it only if this run has
  // applied the split to every number.
  const isOfAll = results.length === membersOf(state).size && !results.some(isFailed);
  if (isGained || (olds.since === undefined && isOfAll)) {
    return results.length > 0 ? at : undefined;
  }
  return olds.since;
}

const distinct = <Value>(values: readonly (Value | undefined)[]): Value[] =>
  values
    .filter((value) => value !== undefined)
    .filter((value, index, all) => all.findIndex((other) => same(other, value)) === index);
