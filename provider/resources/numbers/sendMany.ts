import { InvalidRequestError } from "../../client/calls";
import type { Cause } from "../../core/api/operations";
import type { NumberRecord } from "../../core/api/responses";
import { type FailedNumber, isTried } from "../../core/messages";
import type { Task } from "../../core/routing/routing";
import type { Session } from "../lifecycle";
import { assignFor } from "./assign";

/**
 * Sends a request for each number, several at a time, to assign or to clear it. A change is tried on one number first, and stops if the first
 * three refuse it, or if the platform is out of order. An abort, a return and a clear are stopped only by a platform that responds to nobody,
 * and if the client sends nothing more (client/limiter.ts).
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
  /** How many numbers in a row got no response. */
  let withoutResponse = 0;

  return async (task) => {
    const { number } = task;
    const sent =
      pass.stopCause === undefined
        ? await assignFor(who, task, session).catch((error) => failedBy(error, number))
        : ({ number, reason: "not sent", cause: pass.stopCause } as const);
    const failed = sent.reason === undefined ? undefined : sent;
    withoutResponse = hasNoResponse(failed, isBack) ? withoutResponse + 1 : 0;
    if (withoutResponse >= MOST_WITHOUT_RESPONSE) {
      pass.stopCause ??= `stopped: ${withoutResponse} numbers in a row got no response`;
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

/** A platform that responds to nobody stops everything. */
const NO_RESPONSE: ReadonlySet<Cause> = new Set(["unreachable", "noResponse", "proxy", "tls"]);
/** A platform that is out of order stops a change. An abort, a return or a clear is sent all the same, because numbers may have these errors of their own. */
const OUT_OF_ORDER: ReadonlySet<Cause> = new Set([...NO_RESPONSE, "serverError", "rateLimited"]);
const MOST_WITHOUT_RESPONSE = 32;

const hasNoResponse = (failed: FailedNumber | undefined, isBack: boolean): boolean =>
  failed?.failure !== undefined && isTried(failed) && (isBack ? NO_RESPONSE : OUT_OF_ORDER).has(failed.failure.cause);

/** After an error that was thrown, the outcome is unknown, unless it says that nothing was sent. */
const failedBy = (error: unknown, number: string): FailedNumber => ({
  number,
  cause: error instanceof Error ? error.message : String(error),
  ...(error instanceof InvalidRequestError ? { reason: "not sent" } : { reason: "unknown", code: "AGP-040" }),
});
