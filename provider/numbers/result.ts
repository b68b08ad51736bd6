import type { Failure } from "../api/failure";
import { defined, pick, same } from "../base/json";
import { type Routing, unionOf } from "../routing/routing";
import type { PlatformIds } from "../routing/types";
import type { UnappliedReason } from "../run/plan";
import type { Code } from "../words/codes";
import { isImport, type Verdict } from "./verify";

/** The result of one number's request. */
export type NumberResult = AppliedNumber | FailedNumber;

interface SentNumber {
  readonly number: string;
  /** The platform's identifiers for the number, if the response has any. */
  readonly platformIds?: PlatformIds | undefined;
}

interface AppliedNumber extends SentNumber {
  readonly became: "applied";
  readonly cause?: undefined;
}

/** A number that may not have received the requested routing, and why. */
export interface FailedNumber extends SentNumber {
  readonly became: UnappliedReason;
  readonly cause: FailureCause;
  /** How the response differs from the request. Absent if the platform did not accept the request. */
  readonly verdict?: Verdict | undefined;
}

/**
 * What is known about a number's current routing: the last routing that was applied, and those that later requests may
 * have left on the number.
 */
export interface LastKnown {
  /** The last routing that was applied to the number. Absent if this resource never applied any. */
  readonly applied?: Routing | undefined;
  /**
   * Routings that the number may have instead of `applied`, fully or in part, because the outcome of a later request is
   * unknown or its response differed. Most recent first.
   */
  readonly maybe?: readonly Routing[] | undefined;
}

/** Why a number's request failed or was not sent. Numbers with the same `text` are reported together. */
export interface FailureCause {
  /** The error code, if the failure has one. */
  readonly code?: Code | undefined;
  readonly text: string;
  /** The advice for this failure. If absent, the message shows the error code's own remedy. */
  readonly remedy?: string | undefined;
  /** How the request failed. Absent if no request was sent, or if the platform accepted the request. */
  readonly failure?: Failure | undefined;
}

export const isFailed = (result: NumberResult): result is FailedNumber => result.became !== "applied";

/** Whether the run tried to send a request for the number, even if the request never reached the platform. */
export const isTried = ({ became, cause }: NumberResult): boolean =>
  became !== "not sent" || cause?.failure !== undefined;

/** Whether the request may have changed the number on the platform. */
export const mayHaveChanged = ({ became }: NumberResult): boolean => became !== "rejected" && became !== "not sent";

/** Whether the platform, or a proxy, responded to the failed request. */
export const hasErrorResponse = ({ cause }: NumberResult): boolean => cause?.failure?.exchange.status !== undefined;

/**
 * Returns all fields that any of these routings sets. Each of them may still be set on the platform, so the next
 * request has to clear those that its own routing doesn't set.
 */
export const everyFieldOf = ({ applied = {}, maybe }: LastKnown): Routing =>
  maybe === undefined ? applied : unionOf(maybe.toReversed().reduce(unionOf, {}), applied);

/**
 * Returns the routings that a number may have after a request that failed or whose outcome is unknown. The saved state
 * must not contain secrets, so a webhook URL is recorded only as `[set]`.
 * @param verdict how the response compares with the request; undefined if the platform did not accept the request
 */
export function lastKnownAfter(
  before: LastKnown,
  sent: Routing,
  became: UnappliedReason,
  verdict?: Verdict,
): LastKnown {
  const wanted = withoutUrl(sent);
  const last = { applied: before.applied && withoutUrl(before.applied), maybe: before.maybe?.map(withoutUrl) };
  // Whether the response shows which routing the number has now, although the request counts as failed.
  const isShown = verdict !== undefined && (verdict.returnedSplit !== undefined || verdict.mismatches.every(isImport));
  if (isShown) {
    const { returnedSplit, notCleared } = verdict;
    // The response may leave out fields that the request set. Keep them in the state, so that a later run clears them.
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
