import { InvalidRequestError } from "../../client/calls";
import type { Cause } from "../../core/api/operations";
import type { NumberRecord } from "../../core/api/responses";
import { type FailedNumber, isTried } from "../../core/messages";
import type { Task } from "../../core/routing/routing";
import type { Session } from "../lifecycle";
import { assignFor } from "./assign";

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
