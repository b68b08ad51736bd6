import { type Exchange, type Failure, isUnsent } from "../../core/api/operations";
import type { NumberResponse } from "../../core/api/responses";
import { withoutSaved } from "../../core/common/sent";
import type { FailedNumber } from "../../core/messages";
import * as messages from "../../core/messages";
import { isImport, type Verdict, verify } from "../../core/numbers/verify";
import {
  type Cleared,
  type ClearMode,
  clearModes,
  isNothingCleared,
  type Task,
  toBody,
  toClear,
} from "../../core/routing/routing";
import type { Session } from "../lifecycle";

/** The request for one number, and what became of it. */

/** A number that has what was sent, as far as the response shows it. */
type AppliedNumber = Pick<FailedNumber, "number" | "verdict"> & { readonly reason?: undefined };

/**
 * Assigns a number of a resource, and tells what the response shows. The number counts as failed only if callers would notice the difference:
 * inbound agents, another number, a failed import, what is not cleared. All else is a warning that names the fields.
 */
export async function assignFor(who: string, task: Task, session: Session): Promise<AppliedNumber | FailedNumber> {
  const { number } = task;
  session.run.confirm(task, session.settings, "unconfirmed");
  const result = await assign(task, session);
  if ("failure" in result) {
    return notAccepted(number, result);
  }
  const { verdict, issues } = result;
  if (issues.length > 0) {
    session.warn(messages.responseIssues(who, issues));
  }
  // If the request gives no version, the platform may show one that it has chosen.
  const notCleared = verdict.notCleared.filter((field) => field !== "outboundAgentVersion");
  if (verdict.mismatches.length + notCleared.length > 0 && session.settings.onMismatch !== "warn") {
    return different(number, { ...result, verdict: { ...verdict, notCleared } });
  }
  const differing = [...verdict.mismatches.map(({ field }) => field), ...verdict.notCleared, ...verdict.others];
  if (differing.length > 0) {
    session.warn(messages.differsIn(who, differing));
  } else if (verdict.proof !== "shown") {
    session.warn(messages.unverified(verdict.proof));
  }
  session.run.confirm(task, session.settings, "sent");
  return { number, verdict };
}

const notAccepted = (number: string, { reason, failure }: NotAccepted): FailedNumber => ({
  number,
  reason,
  cause: causeOf(number, failure),
  code: messages.failureCode(reason, failure),
  failure,
});

const different = (number: string, { verdict, tried }: Accepted): FailedNumber => ({
  number,
  reason: "different",
  ...(verdict.notCleared.length > 0
    ? { cause: messages.stillShown(verdict.notCleared, tried), code: "AGP-052" }
    : { cause: verdict.mismatches.map(messages.mismatchText).join("; "), code: "AGP-050" }),
  verdict,
});

/** The cause, without the number in the platform's words: failures with equal causes are one line of the message. */
function causeOf(number: string, { platformMessage, ...failure }: Failure): string {
  // An extension may be as short as `4`, so the digits of other numbers stay.
  const alone = new RegExp(`(?<![\\w+])${number.replace(/[^\w]/g, "\\$&")}(?!\\w)`, "g");
  return messages.causeText({ ...failure, platformMessage: platformMessage?.replace(alone, "…") });
}

/** Does the platform not know the number? Only the platform's own error says so: a proxy may return a 404 for other reasons. */
export const isUnknownNumber = ({ failure }: FailedNumber): boolean =>
  failure?.cause === "notFound" && failure.isPlatformError;

// --- requests, until the platform has what was asked for

/** One request: what it assigns, and which fields it clears in which way. */
interface Put {
  readonly task: Task;
  readonly cleared: Cleared;
  readonly mode: ClearMode;
  readonly session: Session;
}

/** How a PUT ended. */
export type PutResult = NotAccepted | Accepted;

interface NotAccepted {
  /** "not sent": the platform has seen nothing of it. */
  readonly reason: "rejected" | "unknown" | "not sent";
  readonly failure: Failure;
}

interface Accepted {
  readonly verdict: Verdict;
  /** The ways in which fields were to be cleared. */
  readonly tried: readonly ClearMode[];
  readonly issues: readonly string[];
}

/** Sends the PUT and compares the response with the request. If a field is to be cleared, it tries the ways of clearing. */
export async function assign(task: Task, session: Session): Promise<PutResult> {
  const cleared = toClear(task.mayClear, task.routing);
  const put: Put = { task, cleared, mode: "null", session };
  return isNothingCleared(cleared) ? retryStale(put, await putOnce(put)) : clearInTurn(put);
}

/**
 * The interface does not say how a field is cleared, so the ways are tried in turn, until the platform neither refuses a way nor ignores it: then
 * its response shows the field cleared, or says nothing of it.
 */
async function clearInTurn(first: Put): Promise<PutResult> {
  const { session } = first;
  const modes = clearModes(session.settings.clearWith, session.run.clearedWith);
  let refused: NotAccepted | undefined;
  let ignored: { readonly firstPut: Put; readonly lastResult: Accepted } | undefined;
  for (const mode of modes) {
    const put = { ...first, mode };
    const result = await putOnce(put);
    if (isRefusedForm(result)) {
      refused ??= result;
    } else if (isIgnored(result)) {
      ignored = { firstPut: ignored?.firstPut ?? put, lastResult: result };
    } else {
      return afterOtherWays(put, result, refused, ignored !== undefined);
    }
  }
  if (ignored === undefined) {
    return refused as NotAccepted;
  }
  // The responses may have been stale.
  const retried = await retryStale(ignored.firstPut, ignored.lastResult);
  return "failure" in retried ? retried : { ...retried, tried: modes };
}

/**
 * What the result of a way says after those that the platform has refused or ignored.
 * @param refused the first refusal, if there was one
 */
async function afterOtherWays(
  put: Put,
  result: PutResult,
  refused: NotAccepted | undefined,
  wasIgnored: boolean,
): Promise<PutResult> {
  if ("failure" in result) {
    if (wasIgnored) {
      // The platform accepted an earlier way, so the number may have changed all the same.
      return asUnknown(result);
    }
    // Then the platform has seen nothing but refusals.
    return result.reason === "not sent" ? (refused ?? result) : result;
  }
  // A platform that refuses null and the empty value may not allow the field to be empty, and a request without it proves nothing.
  if (refused !== undefined && put.mode === "omit" && result.verdict.unseen.length > 0) {
    return asUnknown(refused);
  }
  put.session.run.clearedWith = put.mode;
  return retryStale(put, result);
}

const asUnknown = (result: NotAccepted): NotAccepted => ({ ...result, reason: "unknown" });

/** The platform refused the request. It may accept another way of clearing. */
const isRefusedForm = (result: PutResult): result is NotAccepted =>
  "failure" in result &&
  result.reason === "rejected" &&
  result.failure.cause === "refused" &&
  isOfForm(result.failure.exchange);
/** Any 2xx may say that it failed (assumption 5). */
const isOfForm = ({ status = 0 }: Exchange): boolean => status < 300 || status === 400 || status === 422;

/** The platform accepted the request, and its response still shows a field that was to be cleared. */
const isIgnored = (result: PutResult): result is Accepted =>
  "verdict" in result && result.verdict.notCleared.length > 0;

/** A response may be stale (assumption 37). The request is sent again after these waits, before the difference counts. */
const STALE_WAITS_MS = [500, 1500];

/** Repeats a PUT whose response contradicts it, because a response may be stale. The same body twice does no harm. */
async function retryStale(put: Put, first: PutResult): Promise<PutResult> {
  let result = first;
  for (const ms of STALE_WAITS_MS) {
    if ("failure" in result || !mayBeStale(result.verdict)) {
      return result;
    }
    await put.session.wait(ms);
    const next = await putOnce(put);
    if ("failure" in next) {
      return result;
    }
    result = next;
  }
  return result;
}

/** A second request does not remove an import error. */
const mayBeStale = ({ mismatches, notCleared, record }: Verdict): boolean =>
  record !== undefined && (notCleared.length > 0 || mismatches.some((one) => !isImport(one)));

async function putOnce({ task, cleared, mode, session }: Put): Promise<PutResult> {
  const { number, routing, mayClear } = task;
  const sent = await session.client().assignNumber({ number, ...toBody(routing, cleared, mode) });
  if (sent.outcome !== "applied") {
    const { failure, outcome } = sent;
    const reason = outcome === "rejected" && isUnsent(failure) ? "not sent" : outcome;
    return { reason, failure: withoutSaved(failure, mayClear) };
  }
  const { response, exchange, issues } = sent;
  return { verdict: verdictOf(task, cleared, response, exchange.status), tried: [mode], issues };
}

/** With a 202 the change may still be to come. So its body shows neither what was asked for, nor a contradiction. */
const verdictOf = (task: Task, { fields }: Cleared, response: NumberResponse = {}, status = 0): Verdict =>
  status === 202 ? { ...verify(task, fields, {}), proof: "later" } : verify(task, fields, response);
