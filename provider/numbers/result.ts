import type { Failure } from "../api/failure";
import { defined, pick, same } from "../base/json";
import { type Routing, unionOf } from "../routing/routing";
import type { PlatformIds } from "../routing/types";
import type { UnappliedReason } from "../run/plan";
import type { Code } from "../words/codes";
import { isImport, type Verdict } from "./verify";

/** The outcome of a number's request, in one shape from the response to the message and the saved state. */
export type NumberResult = AppliedNumber | FailedNumber;

interface SentNumber {
  readonly number: string;
  readonly lastKnown: LastKnown;
  /** The platform's identifiers for the number, if the response has any. */
  readonly platformIds?: PlatformIds | undefined;
}

interface AppliedNumber extends SentNumber {
  readonly became: "applied";
  readonly cause?: undefined;
}

/** A number that may not have the routing that was sent. */
export interface FailedNumber extends SentNumber {
  readonly became: UnappliedReason;
  readonly cause: FailureCause;
}

/** What a number has, as far as we can tell from the platform's responses. */
export interface LastKnown {
  /** The routing applied last. Absent if this resource never applied one, so there is nothing to clear. */
  readonly applied?: Routing | undefined;
  /** The routings that later requests may have left, most recent first. */
  readonly maybe?: readonly Routing[] | undefined;
}

/** Why a number may not have what was sent. Numbers with the same text are reported together. */
export interface FailureCause {
  /** Absent if nothing was wrong with this number, because the run stopped before it. */
  readonly code?: Code | undefined;
  readonly text: string;
  /** Absent if the code's own remedy covers it. */
  readonly remedy?: string | undefined;
  /** How the request failed; absent if none was sent, or if the platform accepted it. */
  readonly failure?: Failure | undefined;
}

export const isFailed = (result: NumberResult): result is FailedNumber => result.became !== "applied";

/** Whether a request was attempted. It may have failed before it reached the platform. */
export const isTried = ({ became, cause }: NumberResult): boolean =>
  became !== "not sent" || cause?.failure !== undefined;

/** Whether the platform may have changed the number. */
export const mayHaveChanged = ({ became }: NumberResult): boolean => became !== "rejected" && became !== "not sent";

/** Whether the request failed with a response. */
export const hasErrorResponse = ({ cause }: NumberResult): boolean => cause?.failure?.exchange.status !== undefined;

/** Every field the platform may have set for the number, and which may therefore need clearing. */
export const everyFieldOf = ({ applied = {}, maybe }: LastKnown): Routing =>
  maybe === undefined ? applied : unionOf(maybe.toReversed().reduce(unionOf, {}), applied);

/**
 * What a number has after a request that wasn't applied. This is saved and read by commands, so it must not hold
 * secrets: a webhook URL may contain a key, so it is only recorded as set, which is enough to clear it.
 * @param verdict on the response, if the platform accepted the request
 */
export function lastKnownAfter(
  before: LastKnown,
  sent: Routing,
  became: UnappliedReason,
  verdict?: Verdict,
): LastKnown {
  const wanted = withoutUrl(sent);
  const last = { applied: before.applied && withoutUrl(before.applied), maybe: before.maybe?.map(withoutUrl) };
  // Whether the response shows what the number has instead.
  const isShown = verdict !== undefined && (verdict.returnedSplit !== undefined || verdict.mismatches.every(isImport));
  if (isShown) {
    const { returnedSplit, notCleared } = verdict;
    // A field missing from the response may still be set. Keep it in the state, so that a later run clears it.
    const applied = returnedSplit === undefined ? wanted : { ...wanted, inboundAgents: returnedSplit };
    const maybe = notCleared.length === 0 ? undefined : [defined(pick(everyFieldOf(last), notCleared))];
    return defined({ applied, maybe });
  }
  const mayHaveWanted = became === "unknown" || verdict !== undefined;
  return defined({
    applied: last.applied,
    maybe: mayHaveWanted ? distinct([wanted, ...(last.maybe ?? [])]) : last.maybe,
  });
}

const withoutUrl = (routing: Routing): Routing =>
  routing.inboundWebhookUrl ? { ...routing, inboundWebhookUrl: "[set]" } : routing;

export const distinct = <Value>(values: readonly (Value | undefined)[]): Value[] =>
  values
    .filter((value) => value !== undefined)
    .filter((value, index, all) => all.findIndex((other) => same(other, value)) === index);
