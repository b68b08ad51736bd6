import { type Failure, isUnsent } from "../../core/api/operations";
import type { NumberResponse } from "../../core/api/responses";
import { defined } from "../../core/common/equality";
import { withoutSaved } from "../../core/common/sent";
import * as messages from "../../core/messages";
import { type LastKnown, type Unapplied, type UnappliedReason, unappliedFor } from "../../core/numbers/state";
import { isImport, type Verdict, verify } from "../../core/numbers/verify";
import { pick } from "../../core/routing/fields";
import {
  type Cleared,
  type ClearMode,
  clearModes,
  isNothingCleared,
  type Routing,
  type Task,
  toBody,
  toClear,
} from "../../core/routing/routing";
import type { Session } from "../lifecycle";

/** The request for one number. */

interface NotAccepted {
  /** "not sent": the platform has seen nothing of it. */
  readonly result: "rejected" | "unknown" | "not sent";
  readonly failure: Failure;
}

/** "different": the platform accepted the request, and its response shows something else. */
interface Accepted<Result> {
  readonly result: Result;
  readonly verdict: Verdict;
  /** The ways in which fields were to be cleared. */
  readonly tried: readonly ClearMode[];
  readonly issues: readonly string[];
}

/** The outcome of a request after which the number may not have what was sent. */
export type FailedOutcome = NotAccepted | Accepted<"different">;

/** The outcome of a request. */
export type AssignOutcome = FailedOutcome | Accepted<"applied">;

/** A response may be stale (assumption 37). The request is sent again after these waits, before the difference counts. */
const STALE_WAITS_MS = [500, 1500];

/** One request: what it assigns, and which fields it clears in which way. */
interface Put {
  readonly task: Task;
  readonly cleared: Cleared;
  readonly mode: ClearMode;
  readonly session: Session;
}

/** Sends the PUT and compares the response with the request. If a field is to be cleared, it tries the ways of clearing. */
export function assign(task: Task, session: Session): Promise<AssignOutcome> {
  const cleared = toClear(task.mayClear, task.routing);
  const put = { task, cleared, mode: "null", session } as const;
  return isNothingCleared(cleared) ? retryStale(put) : clearInTurn(put);
}

/**
 * The interface does not say how a field is cleared, so the ways are tried in turn. The first one counts whose response shows the field
 * cleared, or says nothing of it, and the run remembers it.
 */
async function clearInTurn(first: Put): Promise<AssignOutcome> {
  const { session } = first;
  const modes = clearModes(session.settings.clearWith, session.run.clearedWith);
  let refused: AssignOutcome | undefined;
  /** The first way that was accepted without effect, with the last response to such a way. */
  let ignored: { readonly put: Put; readonly assigned: Accepted<"different"> } | undefined;
  for (const mode of modes) {
    const put = { ...first, mode };
    const assigned = await putOnce(put);
    if (isRefusedForm(assigned)) {
      refused ??= assigned;
    } else if (refused !== undefined && ignored === undefined && assigned.result === "not sent") {
      return refused;
    } else if (isIgnored(assigned)) {
      ignored = { put: ignored?.put ?? put, assigned: { ...assigned, tried: modes } };
    } else if (mode === "omit" && refused !== undefined && isSilent(assigned)) {
      // A platform that refuses null and the empty value may not allow the field to be empty, and a request without it proves nothing.
      return asUnknown(refused);
    } else {
      return concludeClearing(put, assigned, ignored !== undefined);
    }
  }
  if (ignored === undefined) {
    return refused as AssignOutcome;
  }
  // The responses may have been stale.
  const retried = await retryStale(ignored.put, ignored.assigned);
  return retried.result === "different" ? { ...retried, tried: modes } : retried;
}

/** @param wasAccepted has the platform accepted an earlier way? Then a failure of this one does not say that nothing has changed. */
function concludeClearing(
  put: Put,
  assigned: AssignOutcome,
  wasAccepted: boolean,
): Promise<AssignOutcome> | AssignOutcome {
  if ("failure" in assigned) {
    return wasAccepted ? asUnknown(assigned) : assigned;
  }
  put.session.run.clearedWith = put.mode;
  return assigned.result === "different" ? retryStale(put, assigned) : assigned;
}

/** Does the response still show a field that was to be cleared? */
const isIgnored = (assigned: AssignOutcome): assigned is Accepted<"different"> =>
  assigned.result === "different" && assigned.verdict.notCleared.length > 0;

const isSilent = (assigned: AssignOutcome): boolean =>
  assigned.result === "applied" && assigned.verdict.unseen.length > 0;

/** After a refusal the number may have changed all the same: the platform accepted an earlier request, with another way of clearing. */
const asUnknown = (assigned: AssignOutcome): AssignOutcome =>
  "failure" in assigned ? { ...assigned, result: "unknown" } : assigned;

/** A platform may refuse one way of clearing and accept another. */
const isRefusedForm = (assigned: AssignOutcome): boolean =>
  assigned.result === "rejected" &&
  assigned.failure.cause === "refused" &&
  REFUSED_FORMS.has(assigned.failure.exchange.status ?? 0);
const REFUSED_FORMS = new Set([200, 201, 202, 400, 422]);

/** Repeats a PUT whose response contradicts it, because a response may be stale. The same body twice does no harm. */
async function retryStale(put: Put, first?: AssignOutcome): Promise<AssignOutcome> {
  let assigned = first ?? (await putOnce(put));
  for (const ms of STALE_WAITS_MS) {
    if (assigned.result !== "different" || !mayBeStale(assigned.verdict)) {
      return assigned;
    }
    await put.session.wait(ms);
    const next = await putOnce(put);
    if ("failure" in next) {
      return assigned;
    }
    assigned = next;
  }
  return assigned;
}

/** A second request does not remove an import error. */
const mayBeStale = ({ mismatches, notCleared, record }: Verdict): boolean =>
  record !== undefined && (notCleared.length > 0 || mismatches.some((one) => !isImport(one)));

async function putOnce(put: Put): Promise<AssignOutcome> {
  const { task, cleared, mode, session } = put;
  const { number, routing } = task;
  const outcome = await session.client().assignNumber({ number, ...toBody(routing, cleared, mode) });
  if (outcome.outcome !== "applied") {
    const { failure } = outcome;
    const result = outcome.outcome === "rejected" && isUnsent(failure) ? "not sent" : outcome.outcome;
    return { result, failure: withoutSaved(failure, task.mayClear) };
  }
  const verdict = verdictOf(put, outcome.response, outcome.exchange.status);
  const result = verdict.mismatches.length + verdict.notCleared.length === 0 ? "applied" : "different";
  return { result, verdict, tried: [mode], issues: outcome.issues };
}

/** With a 202 the change may still be to come. So its body shows neither what was asked for, nor a contradiction. */
const verdictOf = ({ task, cleared }: Put, response: NumberResponse = {}, status = 0): Verdict =>
  status === 202 ? { ...verify(task, cleared.fields, {}), proof: "later" } : verify(task, cleared.fields, response);

/**
 * Assigns a number of a resource, and tells what the response shows. The request counts as different only if callers would notice it:
 * inbound agents, another number, a failed import, what is not cleared. All else is a warning that names the fields.
 */
export async function assignFor(who: string, task: Task, session: Session): Promise<AssignOutcome> {
  const assigned = await assign(task, session);
  if ("failure" in assigned) {
    return assigned;
  }
  const { verdict, issues } = assigned;
  if (issues.length > 0) {
    session.warn(messages.responseIssues(who, issues));
  }
  // If the request gives no version, the platform may show one that it has chosen.
  const notCleared = verdict.notCleared.filter((field) => field !== "outboundAgentVersion");
  const isBlocking = verdict.mismatches.length + notCleared.length > 0 && session.settings.onMismatch !== "warn";
  if (assigned.result === "different" && isBlocking) {
    return { ...assigned, verdict: { ...verdict, notCleared } };
  }
  const differing = [...verdict.mismatches.map(({ field }) => field), ...verdict.notCleared, ...verdict.others];
  if (differing.length > 0) {
    session.warn(messages.differsIn(who, differing));
  } else if (verdict.proof !== "shown") {
    session.warn(messages.unverified(verdict.proof));
  }
  return { ...assigned, result: "applied" };
}

/** Does the platform not know the number? Only the platform's own error says so: a proxy may return a 404 for other reasons. */
export const isUnknownNumber = (failed: FailedOutcome | undefined): boolean =>
  failed !== undefined && "failure" in failed && failed.failure.cause === "notFound" && failed.failure.isPlatformError;

/** What is saved for a number that was not applied. Without an outcome, nothing was sent, or the request threw an error. */
export function unappliedAfter(
  { reason, outcome }: { readonly reason: UnappliedReason; readonly outcome?: FailedOutcome | undefined },
  routing: Routing,
  mayHave: Routing,
  before: LastKnown,
): Unapplied {
  if (outcome?.result !== "different") {
    return unappliedFor(reason, routing, before);
  }
  const { instead, notCleared, mismatches } = outcome.verdict;
  if (instead === undefined && mismatches.some((one) => !isImport(one))) {
    // The number does not have what was asked for, but the response does not show what it has.
    return { ...unappliedFor("unknown", routing, before), reason };
  }
  // A split that the response does not show may still be set. It stays in the state, so that a later run clears it.
  const applied = instead === undefined ? routing : { ...routing, inboundAgents: instead };
  const maybe = notCleared.length === 0 ? undefined : [defined(pick(mayHave, notCleared))];
  return defined({ reason, applied, maybe });
}
