import type { NumberRecord } from "../api/assignNumber";
import type { Cause, Failure } from "../api/failure";
import { InvalidRequestError } from "../api/operation";
import { defined } from "../base/json";
import { type Assignment, isNothingCleared, setFields, toClear } from "../routing/routing";
import type { PlatformIds } from "../routing/types";
import type { UnappliedReason } from "../run/plan";
import { accessOf } from "../run/resource";
import type { Run } from "../run/run";
import { causeOfFailure, causeOfVerdict, differsIn, unverified } from "./messages";
import { type FailureCause, isFailed, isTried, type LastKnown, lastKnownAfter, type NumberResult } from "./result";
import { type Verdict, verify } from "./verify";

/** A request for one number, with the routings that the number may have had before the request. */
export interface Sending extends Assignment {
  readonly lastKnown: LastKnown;
}

interface SendOptions {
  readonly label: string;
  readonly run: Run;
  /** Whether the requests only undo something: an abort, a return to an earlier split, or clearing fields. */
  readonly isRollback: boolean;
}

/**
 * If requests fail for this many numbers before a change is applied to any number, no requests are sent for the
 * remaining numbers.
 */
const MAX_REFUSALS = 3;

/**
 * After this many consecutive failures, no requests are sent for the remaining numbers. In a rollback, only requests
 * without a response count as failures.
 */
const MAX_CONSECUTIVE_FAILURES = 32;

const NO_RESPONSE: ReadonlySet<Cause> = new Set(["unreachable", "noResponse", "proxy", "tls"]);

/**
 * Sends one request per number, to assign or clear it. A change is tried on one number at a time until a number accepts
 * it, and is then sent to all others in parallel. A rollback is sent in parallel from the start. Results are in order
 * of completion.
 */
export async function sendAll(
  assignments: readonly Sending[],
  { label, run, isRollback }: SendOptions,
): Promise<NumberResult[]> {
  if (assignments.length === 0) {
    return [];
  }
  // Throws once if there is no access token, instead of failing for every number.
  run.api();
  const results: NumberResult[] = [];
  let stopCause: string | undefined;
  let consecutiveFailures = 0;

  async function send(assignment: Sending): Promise<NumberResult> {
    const result =
      stopCause === undefined
        ? await sendOne(label, assignment, run).catch((error: unknown) => afterError(error, assignment))
        : failed(assignment, "not sent", { text: stopCause });
    results.push(result);
    const { failure } = result.cause ?? {};
    const isCounted = isRollback
      ? failure !== undefined && NO_RESPONSE.has(failure.cause)
      : isFailed(result) && isTried(result);
    consecutiveFailures = isCounted ? consecutiveFailures + 1 : 0;
    if (consecutiveFailures >= MAX_CONSECUTIVE_FAILURES) {
      stopCause ??= `stopped: ${consecutiveFailures} numbers in a row ${isRollback ? "got no response" : "failed"}`;
    }
    return result;
  }

  // All loops share one iterator. Leaving a loop with `break` doesn't end an array's iterator.
  const remaining = assignments.values();
  let refusals = 0;
  for (const assignment of isRollback ? [] : remaining) {
    const result = await send(assignment);
    if (result.became === "applied") {
      break;
    }
    // If the platform doesn't know the number, its 404 says nothing about the routing, so don't count it here.
    refusals += isTried(result) && result.cause?.failure?.cause !== "notFound" ? 1 : 0;
    if (refusals === MAX_REFUSALS) {
      stopCause ??= `stopped: ${refusals} numbers failed, and none was applied`;
    }
  }
  // Each worker takes the next number, which avoids building a queue of promises.
  const worker = async () => {
    for (const assignment of remaining) {
      await send(assignment);
    }
  };
  await Promise.all(Array.from({ length: Math.min(run.world.concurrency, assignments.length) }, worker));
  return results;
}

/** After a thrown error, the outcome is unknown, unless the error says that nothing was sent. */
function afterError(error: unknown, assignment: Sending): NumberResult {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof InvalidRequestError
    ? failed(assignment, "not sent", { text })
    : failed(assignment, "unknown", { text, code: "AGP-040" });
}

const failed = (
  { number, lastKnown, routing }: Sending,
  became: UnappliedReason,
  cause: FailureCause,
  verdict?: Verdict,
): NumberResult => ({
  number,
  became,
  lastKnown: lastKnownAfter(lastKnown, routing, became, verdict),
  cause,
  platformIds: idsIn(verdict?.record, number),
});

/**
 * Assigns one number and checks the response. Only differences that callers would notice count as a failure; any other
 * difference is a warning.
 */
export async function sendOne(label: string, assignment: Sending, run: Run): Promise<NumberResult> {
  const { number, routing } = assignment;
  run.noteAssigned(number, routing, "unconfirmed");
  const outcome = await run.api().assignNumber(assignment);
  if (outcome.failure !== undefined) {
    const failure = withClearingHint(outcome.failure, assignment);
    return failed(assignment, failure.outcome, causeOfFailure(failure, number, accessOf(run)));
  }
  const verdict = verify(assignment, outcome.response ?? {}, outcome.status);
  const { mismatches, notCleared, otherDifferences, proof } = verdict;
  if (mismatches.length + notCleared.length > 0 && run.settings.onMismatch !== "warn") {
    return failed(assignment, "different", causeOfVerdict(verdict), verdict);
  }
  const differing = [...mismatches.map(({ field }) => field), ...notCleared, ...otherDifferences];
  if (differing.length > 0) {
    run.warn(differsIn(label, differing));
  } else if (proof !== "proven") {
    run.warn(unverified(proof));
  }
  run.noteAssigned(number, routing, "sent");
  return { number, became: "applied", lastKnown: { applied: routing }, platformIds: idsIn(verdict.record, number) };
}

function idsIn(record: NumberRecord | undefined, number: string): PlatformIds | undefined {
  const ids: PlatformIds = defined({
    id: record?.id ?? undefined,
    phoneNumberSid: record?.phoneNumberSid ?? undefined,
    applicationSid: record?.applicationSid ?? undefined,
    baseNumber: record?.baseNumber === number ? undefined : (record?.baseNumber ?? undefined),
  });
  return Object.keys(ids).length > 0 ? ids : undefined;
}

/**
 * Adds a hint to a failure if the platform may have refused the value that clears a field. Some platforms report that
 * with a 2xx.
 */
function withClearingHint(failure: Failure, assignment: Assignment): Failure {
  const { cause, exchange, hint } = failure;
  const { status = 0 } = exchange;
  const isOfForm = cause === "refused" && (status < 300 || status === 400 || status === 422);
  if (!isOfForm || hint !== undefined || isNothingCleared(toClear(assignment))) {
    return failure;
  }
  return { ...failure, hint: { why: setFields(assignment.routing).length === 0 ? "clearingAlone" : "clearing" } };
}
