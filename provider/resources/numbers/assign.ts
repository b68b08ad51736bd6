import { type Failure, isUnsent } from "../../core/api/operations";
import { withoutSaved } from "../../core/common/sent";
import type { FailedNumber } from "../../core/messages";
import * as messages from "../../core/messages";
import { type Verdict, verify } from "../../core/numbers/verify";
import { type Cleared, isNothingCleared, setFields, type Task, toBody, toClear } from "../../core/routing/routing";
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
    return notAccepted(task, result);
  }
  const { verdict } = result;
  // If the request gives no version, the platform may show one that it has chosen.
  const notCleared = verdict.notCleared.filter((field) => field !== "outboundAgentVersion");
  if (verdict.mismatches.length + notCleared.length > 0 && session.settings.onMismatch !== "warn") {
    return different(number, { ...verdict, notCleared });
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

const notAccepted = ({ number, routing }: Task, { reason, failure }: NotAccepted): FailedNumber => ({
  number,
  reason,
  cause: causeOf(number, failure),
  // A request that only clears is refused for the way of clearing.
  code:
    failure.advice?.why === "clearing" && setFields(routing).length === 0
      ? "AGP-052"
      : messages.failureCode(reason, failure),
  failure,
});

const different = (number: string, verdict: Verdict): FailedNumber => ({
  number,
  reason: "different",
  ...(verdict.notCleared.length > 0
    ? { cause: messages.stillShown(verdict.notCleared), code: "AGP-052" }
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

// --- the request

/** How a PUT ended. */
export type PutResult = NotAccepted | Accepted;

interface NotAccepted {
  /** "not sent": the platform has seen nothing of it. */
  readonly reason: "rejected" | "unknown" | "not sent";
  readonly failure: Failure;
}

interface Accepted {
  readonly verdict: Verdict;
}

/** Sends the PUT and compares its response with what was asked for. */
export async function assign(task: Task, session: Session): Promise<PutResult> {
  const { number, routing, mayClear } = task;
  const cleared = toClear(mayClear, routing);
  const body = toBody(routing, cleared, session.settings.clearWith);
  const sent = await session.client().assignNumber({ number, ...body });
  if (sent.outcome !== "applied") {
    const { failure, outcome } = sent;
    const reason = outcome === "rejected" && isUnsent(failure) ? "not sent" : outcome;
    return { reason, failure: withoutSaved(withClearingAdvice(failure, cleared), mayClear) };
  }
  const { response = {}, exchange } = sent;
  // With a 202 the change may still be to come. So its body shows neither what was asked for, nor a contradiction.
  const isLater = exchange.status === 202;
  const verdict = verify(task, cleared.fields, isLater ? {} : response);
  return { verdict: isLater ? { ...verdict, proof: "later" } : verdict };
}

/** A platform may refuse the value by which a field was cleared: with a status for what is not valid, or with a 2xx that says no. */
function withClearingAdvice(failure: Failure, cleared: Cleared): Failure {
  const { cause, exchange, advice } = failure;
  const isOfForm = cause === "refused" && [200, 400, 422].includes(exchange.status ?? 0);
  const isOpen = advice === undefined || advice.why === "noReason";
  return isOfForm && isOpen && !isNothingCleared(cleared) ? { ...failure, advice: { why: "clearing" } } : failure;
}
