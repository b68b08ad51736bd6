import { InvalidRequestError } from "../../client/calls";
import type { Cause, Failure } from "../../core/api/operations";
import type { NumberRecord } from "../../core/api/responses";
import * as messages from "../../core/messages";
import type { Task } from "../../core/routing/routing";
import type { Session } from "../lifecycle";
import { assignFor, type FailedRequest } from "./assign";

/**
 * Sends a request for each number, several at a time, to assign or to clear it. A change is tried on one number first, and stops if the first
 * three refuse it, or if the platform is out of order. What goes back is stopped only by a platform that responds to nobody, and if the
 * client sends nothing more (client/limiter.ts).
 */

/** A number that may not have what was sent. */
export interface Failed extends messages.FailedNumber {
  /** Undefined if the pass had stopped, or if its request threw an error. */
  readonly request?: FailedRequest;
}

export interface Sent {
  /** How many numbers were applied, or cleared. */
  done: number;
  readonly failed: Failed[];
  /** What the platform returned last of a number. */
  record?: NumberRecord | undefined;
  /** Why the rest is not sent. */
  stopped?: string | undefined;
}

interface Order {
  readonly who: string;
  readonly session: Session;
  /** Does it go back: an abort, a return, or a clear? */
  readonly isBack: boolean;
}

export async function sendAll(tasks: readonly Task[], order: Order): Promise<Sent> {
  const sent: Sent = { done: 0, failed: [] };
  if (tasks.length > 0) {
    const send = newPass(sent, order);
    await each(order.isBack ? tasks : await triedFirst(tasks, sent, send), order.session, send);
  }
  return sent;
}

// --- one pass over numbers

/** Works on one number. Returns undefined if the request was applied. */
type Send = (task: Task) => Promise<Failed | undefined>;

/** Sends a request unless the pass is stopped, and counts what became of it. */
function newPass(sent: Sent, order: Order): Send {
  const { session, isBack } = order;
  // Throws if there is no token: one error, and not one for each number.
  session.client();
  /** How many numbers in a row got no response. */
  let withoutResponse = 0;

  return async (task) => {
    const { number } = task;
    sent.stopped ??= session.isCancelled() ? "stopped: the run was cancelled" : undefined;
    const failed =
      sent.stopped === undefined
        ? await sendOne(task, sent, order).catch((error) => failedBy(error, number))
        : ({ number, reason: "not sent", cause: sent.stopped } as const);
    withoutResponse = hasNoResponse(failed, isBack) ? withoutResponse + 1 : 0;
    if (withoutResponse >= MOST_WITHOUT_RESPONSE) {
      sent.stopped ??= `stopped: ${withoutResponse} numbers in a row got no response`;
    }
    if (failed === undefined) {
      sent.done += 1;
    } else {
      sent.failed.push(failed);
    }
    return failed;
  };
}

/** A change that so many different numbers have refused, and none has accepted, is not sent to the rest. */
const MOST_REFUSALS = 3;

/** Tries a change on one number after another, until one has it. Returns the rest. */
async function triedFirst(tasks: readonly Task[], sent: Sent, send: Send): Promise<readonly Task[]> {
  let refused = 0;
  for (const [index, task] of tasks.entries()) {
    if (sent.done > 0) {
      return tasks.slice(index);
    }
    if (refused === MOST_REFUSALS) {
      sent.stopped ??= `stopped: ${refused} numbers failed, and none was applied`;
    }
    refused += isRefusal(await send(task)) ? 1 : 0;
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
const isRefusal = (failed: Failed | undefined): boolean =>
  failed !== undefined && messages.isTried(failed) && failed.failure?.cause !== "notFound";

/** After an error that was thrown, the outcome is unknown, unless it says that nothing was sent. */
const failedBy = (error: unknown, number: string): Failed => ({
  number,
  cause: error instanceof Error ? error.message : String(error),
  ...(error instanceof InvalidRequestError ? { reason: "not sent" } : { reason: "unknown", code: "AGP-040" }),
});

/** A platform that answers nobody stops everything. */
const NO_RESPONSE: ReadonlySet<Cause> = new Set(["unreachable", "noResponse", "proxy", "tls"]);
/** A platform that is out of order stops a change. What goes back is sent all the same, because numbers may have these errors of their own. */
const OUT_OF_ORDER: ReadonlySet<Cause> = new Set([...NO_RESPONSE, "serverError", "rateLimited"]);
const MOST_WITHOUT_RESPONSE = 32;

const hasNoResponse = (failed: Failed | undefined, isBack: boolean): boolean =>
  failed?.failure !== undefined &&
  messages.isTried(failed) &&
  (isBack ? NO_RESPONSE : OUT_OF_ORDER).has(failed.failure.cause);

// --- one number

async function sendOne(task: Task, sent: Sent, { who, session }: Order): Promise<Failed | undefined> {
  const { number } = task;
  session.run.confirm(task, session.settings, "not certain");
  const assigned = await assignFor(who, task, session);
  if ("verdict" in assigned) {
    sent.record = assigned.verdict.record;
  }
  if (assigned.result !== "applied") {
    return failedNumber(number, assigned);
  }
  session.run.confirm(task, session.settings, "sent in this run");
  return undefined;
}

function failedNumber(number: string, request: FailedRequest): Failed {
  if (request.result === "different") {
    const { tried, verdict } = request;
    const { notCleared, mismatches } = verdict;
    const reason = "different";
    return notCleared.length > 0
      ? { number, reason, cause: messages.stillShown(notCleared, tried), code: "AGP-052", request }
      : { number, reason, cause: mismatches.map(messages.mismatchText).join("; "), code: "AGP-050", request };
  }
  const { result, failure } = request;
  const code = messages.failureCode(result, failure);
  return { number, reason: result, cause: causeOf(number, failure), code, failure, request };
}

/** The cause, without the number in the platform's words: failures with equal causes are one line of the message. */
function causeOf(number: string, { platformMessage, ...failure }: Failure): string {
  // An extension may be as short as `4`, so the digits of other numbers stay.
  const alone = new RegExp(`(?<![\\w+])${number.replace(/[^\w]/g, "\\$&")}(?!\\w)`, "g");
  return messages.causeText({ ...failure, platformMessage: platformMessage?.replace(alone, "…") });
}
