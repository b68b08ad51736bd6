import type { NumberRecord } from "../api/assignNumber";
import type { Cause, Failure } from "../api/failure";
import { InvalidRequestError } from "../api/operation";
import { defined } from "../base/json";
import { type Assignment, isNothingCleared, setFields, toClear } from "../routing/routing";
import type { PlatformIds } from "../routing/types";
import { accessOf } from "../run/resource";
import type { Run } from "../run/run";
import { causeOfFailure, causeOfVerdict, differsIn, unverified } from "./messages";
import { isFailed, isTried, type NumberResult } from "./result";
import { verify } from "./verify";

interface SendOptions {
  readonly label: string;
  readonly run: Run;
  /** Whether the requests undo something: they abort a rollout, return to an earlier split, or clear numbers. */
  readonly isRollback: boolean;
}

/** If this many numbers fail before the change has been applied to any number, the remaining numbers get no request. */
const MAX_REFUSALS = 3;

/**
 * After this many failures in a row, the remaining numbers get no request. A rollback should reach as many numbers as
 * possible, so it counts only requests that got no response.
 */
const MAX_CONSECUTIVE_FAILURES = 32;

const NO_RESPONSE: ReadonlySet<Cause> = new Set(["unreachable", "noResponse", "proxy", "tls"]);

/**
 * Sends one request per number. A change could be wrong for every number, so requests are sent one at a time until one
 * is applied, and then in parallel. A rollback is sent in parallel from the start.
 * @returns the results, in the order in which the requests finished
 */
export async function sendAll(
  assignments: readonly Assignment[],
  { label, run, isRollback }: SendOptions,
): Promise<NumberResult[]> {
  if (assignments.length === 0) {
    return [];
  }
  // If there is no access token, throw once here instead of failing for every number.
  run.api();
  const results: NumberResult[] = [];
  let stopCause: string | undefined;
  let consecutiveFailures = 0;

  async function send(assignment: Assignment): Promise<NumberResult> {
    const { number } = assignment;
    const result: NumberResult =
      stopCause === undefined
        ? await sendOne(label, assignment, run).catch((error: unknown) => afterError(error, number))
        : { number, became: "not sent", cause: { text: stopCause } };
    results.push(result);
    const { failure } = result.cause ?? {};
    const isCounted = isRollback
      ? failure !== undefined && NO_RESPONSE.has(failure.cause)
      : isFailed(result) && isTried(result);
    consecutiveFailures = isCounted ? consecutiveFailures + 1 : 0;
    if (consecutiveFailures >= MAX_CONSECUTIVE_FAILURES) {
      stopCause ??= `no request was sent, because ${consecutiveFailures} numbers in a row ${isRollback ? "got no response" : "failed"}`;
    }
    return result;
  }

  // The loop below and the parallel workers share one iterator. `break` doesn't close an array's iterator, so the
  // workers continue where the loop stopped.
  const remaining = assignments.values();
  let refusals = 0;
  for (const assignment of isRollback ? [] : remaining) {
    const result = await send(assignment);
    if (result.became === "applied") {
      break;
    }
    // Don't count a 404. It usually means that this number doesn't exist on the platform, and says nothing about the
    // new routing.
    refusals += isTried(result) && result.cause?.failure?.cause !== "notFound" ? 1 : 0;
    if (refusals === MAX_REFUSALS) {
      stopCause ??= `no request was sent, because the change failed on ${refusals} other numbers and had not yet been applied to any number`;
    }
  }
  // Start a few workers that each take the next number, instead of creating a promise for every number.
  const worker = async () => {
    for (const assignment of remaining) {
      await send(assignment);
    }
  };
  await Promise.all(Array.from({ length: Math.min(run.world.concurrency, assignments.length) }, worker));
  return results;
}

/**
 * Returns the result of a request that threw an error. The outcome is unknown, unless the error is an
 * InvalidRequestError, which is thrown before anything is sent.
 */
function afterError(error: unknown, number: string): NumberResult {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof InvalidRequestError
    ? { number, became: "not sent", cause: { text } }
    : { number, became: "unknown", cause: { text, code: "AGP-040" } };
}

/**
 * Sends one number's request. A mismatch in the response, or a field that wasn't cleared, is a failure unless
 * `onMismatch` is `warn`. Other differences are only warnings.
 */
async function sendOne(label: string, assignment: Assignment, run: Run): Promise<NumberResult> {
  const { number, routing } = assignment;
  run.noteAssigned(number, routing, "unconfirmed");
  const outcome = await run.api().assignNumber(assignment);
  if (outcome.failure !== undefined) {
    const failure = withClearingHint(outcome.failure, assignment);
    return { number, became: failure.outcome, cause: causeOfFailure(failure, number, accessOf(run)) };
  }
  const verdict = verify(assignment, outcome.response ?? {}, outcome.status);
  const { mismatches, notCleared, otherDifferences, proof } = verdict;
  const platformIds = idsIn(verdict.record, number);
  if (mismatches.length + notCleared.length > 0 && run.settings.onMismatch !== "warn") {
    return { number, became: "different", cause: causeOfVerdict(verdict), verdict, platformIds };
  }
  const differing = [...mismatches.map(({ field }) => field), ...notCleared, ...otherDifferences];
  if (differing.length > 0) {
    run.warn(differsIn(label, differing));
  } else if (proof !== "proven") {
    run.warn(unverified(proof));
  }
  run.noteAssigned(number, routing, "sent");
  return { number, became: "applied", platformIds };
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
 * Adds a hint to a failure if the platform may have refused the request because of the value that clears a field. Some
 * platforms refuse such a value with a 2xx response.
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
