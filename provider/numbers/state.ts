import * as z from "zod";
import type { Failure } from "../api/failure";
import { isUnknown } from "../base/engine";
import { defined, onceForEach, pick, same } from "../base/json";
import {
  type Endpoint,
  membersOf,
  type NumbersInputs,
  type NumbersText,
  numbersText,
  sameEndpoint,
} from "../routing/group";
import { isAtZero, isNewAbort, restartOf, sameCalls, stableSplit } from "../routing/rollout";
import { type Routing, routingOf, setFields, unionOf } from "../routing/routing";
import { agentKey, isEmpty, type Split } from "../routing/split";
import type { PlatformIds } from "../routing/types";
import { type NumberPlace, numberPlace } from "../run/ledger";
import { type ReturnTarget, UNAPPLIED_REASONS, type UnappliedReason } from "../run/plan";
import { isImport, type Verdict } from "./verify";

/** Numbers that may not have the declared routing: those with the same reason and the same routings. */
export interface Unapplied {
  readonly numbers: NumbersText;
  readonly reason: UnappliedReason;
  /** The routing that was applied last; absent if this resource never applied one, and so has nothing to clear. */
  readonly applied?: Routing | undefined;
  /** The routings that later requests may have left on it, that of the last one first. */
  readonly maybe?: readonly Routing[] | undefined;
}

/**
 * The saved state of numbers. The inputs are what is declared; `unapplied` says what numbers have that did not get it, as far as that is known. A
 * guard judges a change from what was applied, never from a split that no number got.
 */
export interface NumbersState extends NumbersInputs {
  /** The split that was applied before this one. */
  readonly previousInboundAgents?: Split | undefined;
  /** When the platform accepted the present split for the last of the numbers that have it, or an import recorded it (ISO 8601, UTC). Absent if none has it. */
  readonly since?: string | undefined;
  /** The numbers that are not applied. The next run sends them again. */
  readonly unapplied?: readonly Unapplied[] | undefined;
  readonly platformIds?: PlatformIds | undefined;
}

/** What a new resource changes from: nothing, at no platform. */
export const NEW: NumbersState = { endpoint: "" };

const savedRouting = z.looseObject({ inboundAgents: z.record(z.string(), z.number()).optional() });

/** The forms that fields of a saved state must have, which may have been edited manually. */
export const SAVED_NUMBERS = {
  unapplied: z
    .array(
      z.looseObject({
        reason: z.enum(UNAPPLIED_REASONS),
        applied: savedRouting.optional(),
        // In a state of 0.1.0 it may be one routing.
        maybe: z.union([z.array(savedRouting), savedRouting.transform((one) => [one])]).optional(),
        numbers: z.string(),
      }),
    )
    .optional(),
  rollout: z.looseObject({ stable: z.string() }).optional(),
} as const;

export const unappliedOf = onceForEach(
  ({ unapplied = [] }: NumbersState): ReadonlyMap<string, Unapplied> =>
    new Map(unapplied.flatMap((part) => [...membersOf(part).keys()].map((number) => [number, part]))),
);

/** May a request of this resource have been applied to the number, even one that only unassigned agents? */
export function isTouched(number: string, state: NumbersState): boolean {
  const part = unappliedOf(state).get(number);
  return part === undefined ? membersOf(state).has(number) : part.applied !== undefined || part.maybe !== undefined;
}

/** What was applied to a number last, and what later requests may have left on it. */
type LastKnown = Partial<Unapplied>;

export function lastKnownOf(number: string, olds: NumbersState, endpoint: Endpoint): LastKnown {
  if (!sameEndpoint(olds, endpoint)) {
    return {};
  }
  return unappliedOf(olds).get(number) ?? (membersOf(olds).has(number) ? { applied: routingOf(olds) } : {});
}

/** What the platform may have for a number of this state; nothing if the state belongs to another endpoint. */
export const mayHaveOf = (number: string, state: NumbersState, endpoint: Endpoint): Routing =>
  unionOfAll(lastKnownOf(number, state, endpoint));

const unionOfAll = ({ applied = {}, maybe }: LastKnown): Routing =>
  maybe === undefined ? applied : unionOf(maybe.toReversed().reduce(unionOf, {}), applied);

/** Where a number of this state was assigned, also if the last change was not applied. */
export const placeInState = (number: string, state: NumbersState): NumberPlace =>
  numberPlace({ ...(unappliedOf(state).get(number)?.applied ?? state), endpoint: state.endpoint });

/** Does a delete clear the number, unless another resource declares it? Not if the number has nothing from this resource. */
export const isToClear = (number: string, state: NumbersState): boolean =>
  setFields(mayHaveOf(number, state, state)).length > 0;

/** Numbers that a delete of the resource clears, unless another resource declares them. */
export const clearedNumbers = (state: NumbersState): string[] =>
  [...membersOf(state).keys()].filter((number) => isToClear(number, state));

/** What became of a number. */
export interface NumberResult {
  readonly number: string;
  readonly became: "applied" | UnappliedReason;
  /** What the response shows, of a request that the platform accepted. */
  readonly verdict?: Verdict | undefined;
  /** Of a request that it did not accept. */
  readonly failure?: Failure | undefined;
  /** What else kept the number back. Without a code: the run stopped before it, or its request could not be built. */
  readonly why?: { readonly text: string; readonly code?: "AGP-040" | "AGP-074" } | undefined;
}

/** A number that may not have what was sent. */
export type FailedResult = NumberResult & { readonly became: UnappliedReason };

export const isFailed = (result: NumberResult): result is FailedResult => result.became !== "applied";

/** Was a request of the number tried? It may have failed before the platform saw it. */
export const isTried = ({ became, failure }: Pick<NumberResult, "became" | "failure">): boolean =>
  became !== "not sent" || failure !== undefined;

/** May the platform have changed the number? */
export const mayHaveChanged = ({ became }: NumberResult): boolean => became !== "rejected" && became !== "not sent";

/** Has its request failed with a response? */
export const hasErrorResponse = ({ failure }: NumberResult): boolean => failure?.exchange.status !== undefined;

/** The splits that requests of unknown outcome may have left, that of the last one first. */
export const splitsLeft = ({ maybe = [] }: LastKnown): Split[] =>
  distinct(maybe.map(({ inboundAgents }) => inboundAgents));

/** The routings that were applied last: of the numbers that have what is declared, and of those that an earlier run did not apply. */
export function appliedRoutings(state: NumbersState): Routing[] {
  const { unapplied = [] } = state;
  const isSome = unapplied.length === 0 || unappliedOf(state).size < membersOf(state).size;
  return [...(isSome ? [state] : []), ...unapplied.flatMap(({ applied }) => applied ?? [])];
}

export const appliedSplits = (state: NumbersState): Split[] =>
  distinct(appliedRoutings(state).map(({ inboundAgents }) => inboundAgents));

const distinct = <Value>(values: readonly (Value | undefined)[]): Value[] =>
  values
    .filter((value) => value !== undefined)
    .filter((value, index, all) => all.findIndex((one) => same(one, value)) === index);

/** The splits that callers may have today: what was applied, and what requests since then may have left. */
export const possibleSplits = (state: NumbersState): Split[] =>
  distinct([...appliedSplits(state), ...(state.unapplied ?? []).flatMap(splitsLeft)]);

/** Does every number certainly have the wanted split? Other fields may be unapplied. */
export const isSplitConfirmed = (state: NumbersState): boolean =>
  (state.unapplied ?? []).every((part) => isConfirmed(part, state));

const isConfirmed = (part: LastKnown, { inboundAgents }: NumbersState): boolean =>
  [part.applied?.inboundAgents, ...splitsLeft(part)].every((split) => same(split, inboundAgents));

/** The numbers that certainly have the wanted split. */
const confirmedNumbers = (state: NumbersState): string[] => {
  const missed = unappliedOf(state);
  return [...membersOf(state).keys()].filter((number) => isConfirmed(missed.get(number) ?? { applied: state }, state));
};

/** The outbound agent of a routing, as a key; undefined if it has none, or one that is not known yet. */
export const outboundKey = ({ outboundAgentId: agentId, outboundAgentVersion: agentVersion }: Routing) =>
  agentId === undefined || isUnknown(agentId) || isUnknown(agentVersion)
    ? undefined
    : agentKey({ agentId, agentVersion });

export function returnTarget(
  olds: NumbersState,
  { rollout, inboundAgents: split }: NumbersInputs,
): ReturnTarget | undefined {
  const stable = rollout === undefined || isAtZero(rollout) ? stableSplit(olds.rollout) : undefined;
  if (stable !== undefined && isSplit(split) && sameCalls(stable, split)) {
    return "stable";
  }
  const isPrevious = split !== undefined && same(olds.previousInboundAgents, split);
  return isPrevious && restartOf(olds.rollout, rollout, split) === undefined ? "previous" : undefined;
}

/**
 * Does the change only take calls back: an abort, a return to the stable split or to the split before, or to no agents at all? A split that
 * callers certainly have already is none of these, but an abort always is.
 */
export function isReturn(olds: NumbersState, news: NumbersInputs): boolean {
  const { inboundAgents: split } = news;
  if (olds === NEW || split === undefined) {
    return false;
  }
  const isMoved = possibleSplits(olds).some((before) => !sameCalls(before, split));
  return (
    isNewAbort(olds.rollout, news.rollout) || (isMoved && (isEmpty(split) || returnTarget(olds, news) !== undefined))
  );
}

const isSplit = (split: Split | undefined): split is Split =>
  typeof split === "object" && Object.keys(split).length > 0;

// --- the state after a run

/**
 * The one function that makes a state: what is declared, and of the numbers that failed what they may have.
 * @param results of all requests of the run
 * @param at when the last one has ended (ISO 8601, UTC)
 */
export function nextState(
  olds: NumbersState,
  news: NumbersInputs,
  results: readonly NumberResult[],
  at: string,
): NumbersState {
  const routing = routingOf(news);
  const parts = new Map<string, { saved: Omit<Unapplied, "numbers">; numbers: Map<string, string> }>();
  for (const result of results.filter(isFailed)) {
    const saved = unappliedAfter(result, routing, lastKnownOf(result.number, olds, news));
    const key = JSON.stringify(saved);
    const part = parts.get(key) ?? { saved, numbers: new Map() };
    parts.set(key, part);
    part.numbers.set(result.number, "");
  }
  const unapplied = [...parts.values()].map(({ saved, numbers }) => ({ ...saved, numbers: numbersText(numbers) }));
  // The split that a later revert may return to. After a change that was not applied and its revert it is not known any more.
  const previous = [appliedSplits(olds)[0], olds.previousInboundAgents].find((one) => !same(one, news.inboundAgents));
  const state: NumbersState = defined({
    ...news,
    previousInboundAgents: previous,
    unapplied: unapplied.length === 0 ? undefined : unapplied,
  });
  return defined({ ...state, since: sinceOf(olds, state, results, at) });
}

/**
 * What is saved of a number whose request failed. Commands read it, so it may not be secret: in place of a webhook, whose URL may hold a key, it
 * says that one is set. That is all that a clear has to know.
 */
function unappliedAfter(
  { became, verdict }: FailedResult,
  sent: Routing,
  { reason, ...before }: LastKnown,
): Omit<Unapplied, "numbers"> {
  const wanted = withoutUrl(sent);
  const last = { applied: before.applied && withoutUrl(before.applied), maybe: before.maybe?.map(withoutUrl) };
  // The platform accepted the request, and the number does not have what was asked for. Does the response show what it has?
  const isShown = verdict !== undefined && (verdict.instead !== undefined || verdict.mismatches.every(isImport));
  if (isShown) {
    const { instead, notCleared } = verdict;
    // A split that the response does not show may still be set. It stays in the state, so that a later run clears it.
    const applied = instead === undefined ? wanted : { ...wanted, inboundAgents: instead };
    const maybe = notCleared.length === 0 ? undefined : [defined(pick(unionOfAll(last), notCleared))];
    return defined({ reason: became, applied, maybe });
  }
  const mayHaveWanted = became === "unknown" || verdict !== undefined;
  return defined({
    // A number that failed and then was not sent stays one that failed, so that the next run begins with others.
    reason: became === "not sent" ? (reason ?? became) : became,
    applied: last.applied,
    maybe: mayHaveWanted ? distinct([wanted, ...(last.maybe ?? [])]) : last.maybe,
  });
}

const withoutUrl = (routing: Routing): Routing =>
  routing.inboundWebhookUrl ? { ...routing, inboundWebhookUrl: "[set]" } : routing;

/**
 * The time since which the numbers that have the split have it. It counts from the response that accepted the split, even if that response shows no
 * split: otherwise a platform whose responses never do would block `minSoak` for ever. A number that joins or leaves does not change it, nor does
 * one whose first request failed. A number that had another split from this resource begins it again.
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
  const had = new Set(isSameSplit ? confirmedNumbers(olds) : []);
  const has = isSplit(state.inboundAgents) ? confirmedNumbers(state) : [];
  if (has.length === 0) {
    return undefined;
  }
  const isGained = has.some((number) => !had.has(number) && (had.size === 0 || isTouched(number, olds)));
  // Without a time of the others, that of some numbers is not the time of all.
  const isOfAll = results.length === membersOf(state).size && !results.some(isFailed);
  if (isGained || (olds.since === undefined && isOfAll)) {
    return results.length > 0 ? at : undefined;
  }
  return olds.since;
}
