import { type Cause, causeText, type Failure, failureCode, isUnsent } from "../api/failure";
import { InvalidRequestError, type NumberRecord } from "../api/operations";
import { withoutSaved } from "../base/text";
import { type Cleared, isNothingCleared, setFields, type Task, toBody, toClear } from "../routing/routing";
import type { Session } from "../run/run";
import { differsIn, type FailedNumber, isTried, mismatchText, stillShown, unverified } from "./messages";
import { type Verdict, verify } from "./verify";

/**
 * Sends a request for each number, to assign or to clear it. A change goes to one number after another until one has it; if three different
 * numbers refuse it before that, the rest is not sent. Then it goes to all, several at a time, and stops after 32 failures in a row. An
 * abort, a return and a clear go to all at once, and stop only after 32 numbers in a row without a response.
 */

/** One pass over numbers: what has become of them. */
export interface Pass {
  /** How many numbers were applied, or cleared. */
  done: number;
  readonly failed: FailedNumber[];
  /** What the platform returned last of a number. */
  record?: NumberRecord | undefined;
  /** Why the rest is not sent. */
  stopCause?: string | undefined;
}

interface SendOptions {
  readonly who: string;
  readonly session: Session;
  /** Is it an abort, a return, or a clear? */
  readonly isBack: boolean;
}

export async function sendAll(tasks: readonly Task[], options: SendOptions): Promise<Pass> {
  const pass: Pass = { done: 0, failed: [] };
  if (tasks.length > 0) {
    const send = sender(pass, options);
    await each(options.isBack ? tasks : await triedFirst(tasks, pass, send), options.session, send);
  }
  return pass;
}

/** Works on one number. Returns it if it failed. */
type Send = (task: Task) => Promise<FailedNumber | undefined>;

/** Sends a request unless the pass is stopped, and counts what became of it. */
function sender(pass: Pass, options: SendOptions): Send {
  const { who, session, isBack } = options;
  // Throws if there is no token: one error, and not one for each number.
  session.client();
  let inARow = 0;

  return async (task) => {
    const { number } = task;
    const sent =
      pass.stopCause === undefined
        ? await assignFor(who, task, session).catch((error) => failedBy(error, number))
        : ({ number, reason: "not sent", cause: pass.stopCause } as const);
    const failed = sent.reason === undefined ? undefined : sent;
    inARow = isOneOfARow(failed, isBack) ? inARow + 1 : 0;
    if (inARow >= MOST_IN_A_ROW) {
      pass.stopCause ??= `stopped: ${inARow} numbers in a row ${isBack ? "got no response" : "failed"}`;
    }
    pass.record = sent.verdict?.record;
    if (failed === undefined) {
      pass.done += 1;
    } else {
      pass.failed.push(failed);
    }
    return failed;
  };
}

/** A change that so many different numbers have refused, and none has accepted, is not sent to the rest. */
const MOST_REFUSALS = 3;

/** Tries a change on one number after another, until one has it. Returns the rest. */
async function triedFirst(tasks: readonly Task[], pass: Pass, send: Send): Promise<readonly Task[]> {
  let refused = 0;
  for (const [index, task] of tasks.entries()) {
    if (pass.done > 0) {
      return tasks.slice(index);
    }
    if (refused === MOST_REFUSALS) {
      pass.stopCause ??= `stopped: ${refused} numbers failed, and none was applied`;
    }
    refused += mayRefuseChange(await send(task)) ? 1 : 0;
  }
  return [];
}

/** Several at a time. Each worker takes the next number, so no queue of promises is built. */
async function each(tasks: readonly Task[], { concurrency }: Session, send: Send): Promise<void> {
  const rest = tasks.values();
  const worker = async () => {
    for (const task of rest) {
      await send(task);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, tasks.length) }, worker));
}

/** May the routing be the cause? A number that the platform does not know says nothing of the routing. */
const mayRefuseChange = (failed: FailedNumber | undefined): boolean =>
  failed !== undefined && isTried(failed) && failed.failure?.cause !== "notFound";

/** So many in a row stop the rest: of a change failures, of what goes back numbers that got no response. */
const MOST_IN_A_ROW = 32;

const NO_RESPONSE: ReadonlySet<Cause> = new Set(["unreachable", "noResponse", "proxy", "tls"]);

const isOneOfARow = (failed: FailedNumber | undefined, isBack: boolean): boolean =>
  failed !== undefined && isTried(failed) && (!isBack || NO_RESPONSE.has(failed.failure?.cause ?? "refused"));

/** After an error that was thrown, the outcome is unknown, unless it says that nothing was sent. */
const failedBy = (error: unknown, number: string): FailedNumber => ({
  number,
  cause: error instanceof Error ? error.message : String(error),
  ...(error instanceof InvalidRequestError ? { reason: "not sent" } : { reason: "unknown", code: "AGP-040" }),
});

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
    session.warn(differsIn(who, differing));
  } else if (verdict.proof !== "shown") {
    session.warn(unverified(verdict.proof));
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
    failure.advice?.why === "clearing" && setFields(routing).length === 0 ? "AGP-052" : failureCode(reason, failure),
  failure,
});

const different = (number: string, verdict: Verdict): FailedNumber => ({
  number,
  reason: "different",
  ...(verdict.notCleared.length > 0
    ? { cause: stillShown(verdict.notCleared), code: "AGP-052" }
    : { cause: verdict.mismatches.map(mismatchText).join("; "), code: "AGP-050" }),
  verdict,
});

/** The cause, without the number in the platform's words: failures with equal causes are one line of the message. */
function causeOf(number: string, { platformMessage, ...failure }: Failure): string {
  // An extension may be as short as `4`, so the digits of other numbers stay.
  const alone = new RegExp(`(?<![\\w+])${number.replace(/[^\w]/g, "\\$&")}(?!\\w)`, "g");
  return causeText({ ...failure, platformMessage: platformMessage?.replace(alone, "…") });
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
