import { InvalidRequestError } from "../../client/path";
import { goesBack, heldBy, lastKnownOf, type NumbersState, type Unapplied, unappliedOf } from "../../core/change/state";
import { defined } from "../../core/common/equality";
import * as messages from "../../core/messages";
import type { Cause, Failure } from "../../core/platform/operations";
import type { NumberRecord } from "../../core/routing/client";
import type { NumbersInputs } from "../../core/routing/group";
import { type Routing, routingOf } from "../../core/routing/routing";
import type { Session } from "../lifecycle";
import { type Release, release } from "../run/release";
import { bind, carryOut, type FailedRequest, isGone, unappliedAfter } from "./assign";

/**
 * Sends a request for each number, several at a time. One number that never works must not keep the others waiting, so numbers that failed
 * come last. A change is tried on one number first, and stops if the first three refuse it, or if the platform is out of order. What goes back
 * is stopped only by a platform that responds to nobody, and by a rejected token (client/client.ts).
 */

export interface Sent {
  /** How many numbers were applied, or cleared. */
  done: number;
  readonly failed: messages.FailedNumber[];
  /** What is saved for the numbers that failed. */
  readonly unapplied: Map<string, Unapplied>;
  /** Numbers to be cleared that the platform does not know. */
  readonly gone: string[];
  /** The first request that failed. */
  failure?: { readonly request: FailedRequest; readonly routing: Routing } | undefined;
  /** Did a response not prove that its number has the split? */
  isSilent: boolean;
  /** What the platform returned last of a number. */
  record?: NumberRecord | undefined;
  /** Why the delete of a number waits. */
  postponed?: string | undefined;
  /** Why the rest is not sent. */
  stopped?: string | undefined;
}

export const nothingSent = (): Sent => ({ done: 0, isSilent: false, failed: [], unapplied: new Map(), gone: [] });

export interface BindOrder {
  readonly who: string;
  readonly inputs: NumbersInputs;
  readonly olds: NumbersState | undefined;
  readonly session: Session;
}

/** Assigns the numbers. */
export async function bindAll(numbers: readonly string[], order: BindOrder): Promise<Sent> {
  const { who, inputs, olds, session } = order;
  const sent = nothingSent();
  const isBack = goesBack(olds, inputs);
  const send = newPass(numbers.length, { who, session, sent, isBack, work: (number) => bindOne(number, order, sent) });
  const ordered = failedLast(numbers, olds);
  await each(isBack ? ordered : await triedFirst(ordered, sent, send), session, send);
  return sent;
}

/** Numbers that failed come after the others. Otherwise each run would begin with them, and might never reach the others. */
function failedLast(numbers: readonly string[], olds: NumbersState | undefined): string[] {
  const missed = olds && unappliedOf(olds);
  const hasFailed = (number: string) => (missed?.get(number)?.reason ?? "not sent") !== "not sent";
  return [...numbers.filter((number) => !hasFailed(number)), ...numbers.filter(hasFailed)];
}

/** What a delete does with each of these numbers. */
export function planReleases(numbers: readonly string[], state: NumbersState, session: Session): Releases {
  return release(
    session.run,
    numbers.map((number) => ({ number, held: heldBy(number, state, state), scope: scopeIn(number, state) })),
  );
}

type Releases = ReadonlyMap<string, Release>;

interface ClearOrder {
  readonly who: string;
  readonly session: Session;
}

/** Carries out what a delete does with its numbers, and tells which ones it did not clear, and why. */
export async function clearAll(releases: Releases, order: ClearOrder): Promise<Sent> {
  const { who, session } = order;
  const sent = nothingSent();
  const toSend = [...releases].flatMap(([number, { task }]) => (task === undefined ? [] : [number]));
  if (toSend.length > 0) {
    const work: Send = (number) => clearOne(number, releases.get(number) as Release, order, sent);
    const send = newPass(toSend.length, { who, session, sent, isBack: true, work });
    // The first number shows which way of clearing works.
    await each(toSend.slice(0, 1), session, send);
    await each(toSend.slice(1), session, send);
  }
  leaveAlone(releases, sent, order);
  if (sent.gone.length > 0) {
    session.warn(messages.notKnown(who, sent.gone));
  }
  return sent;
}

/** Counts the numbers that get no request, and tells which numbers keep what they have. */
function leaveAlone(releases: Releases, sent: Sent, { who, session }: ClearOrder): void {
  const missed = new Set(sent.failed.map(({ number }) => number));
  const kept: string[] = [];
  for (const [number, release] of releases) {
    if (release.does === "wait") {
      sent.postponed ??= release.why;
      sent.failed.push({ number, reason: "not sent", cause: release.why, code: "AGP-074" });
    } else if (release.task === undefined) {
      sent.done += 1;
    }
    if (release.does === "keep" && !missed.has(number)) {
      kept.push(number);
    }
  }
  if (kept.length > 0) {
    session.warn(messages.declaredElsewhere(who, kept));
  }
}

// --- one pass over numbers

/** Works on one number. Returns undefined if the number was applied or cleared. */
type Send = (number: string) => Promise<messages.FailedNumber | undefined>;

interface Pass {
  readonly who: string;
  readonly session: Session;
  readonly sent: Sent;
  /** Does it go back: an abort, a return, or a clear? */
  readonly isBack: boolean;
  readonly work: Send;
}

/** Works on a number unless the pass is stopped, and counts what became of it. */
function newPass(all: number, { who, session, sent, isBack, work }: Pass): Send {
  // Throws if there is no token: one error, and not one for each number.
  session.client();
  const report = progressOf(who, all, session);
  const mostSilent = Math.max(LEAST_SILENT, 2 * session.settings.concurrency);
  /** How many numbers in a row got no response. */
  let silent = 0;

  return async (number) => {
    sent.stopped ??= session.isCancelled() ? "stopped: the run was cancelled" : undefined;
    const failed =
      sent.stopped === undefined
        ? await session.inTurn(number, () => work(number)).catch((error: unknown) => failedBy(error, number))
        : ({ number, reason: "not sent", cause: sent.stopped } as const);
    silent = isSilence(failed, isBack) ? silent + 1 : 0;
    if (silent >= mostSilent) {
      sent.stopped ??= `stopped: ${silent} numbers in a row got no response`;
    }
    if (failed === undefined) {
      sent.done += 1;
    } else {
      sent.failed.push(failed);
    }
    report(sent.done + sent.failed.length);
    return failed;
  };
}

/** A change that so many different numbers have refused, and none has accepted, is not sent to the rest. */
const MOST_REFUSALS = 3;

/** Tries a change on one number after another, until one has it. Returns the rest. */
async function triedFirst(numbers: readonly string[], sent: Sent, send: Send): Promise<readonly string[]> {
  let refused = 0;
  for (const [index, number] of numbers.entries()) {
    if (sent.done > 0) {
      return numbers.slice(index);
    }
    if (refused === MOST_REFUSALS) {
      sent.stopped ??= `stopped: ${refused} numbers failed, and none was applied`;
    }
    refused += isRefusal(await send(number)) ? 1 : 0;
  }
  return [];
}

/** Several at a time. Each worker takes the next number, so no queue of promises is built. */
async function each(numbers: readonly string[], { settings }: Session, send: Send): Promise<void> {
  const rest = numbers.values();
  const worker = async () => {
    for (const number of rest) {
      await send(number);
    }
  };
  await Promise.all(Array.from({ length: Math.min(settings.concurrency, numbers.length) }, worker));
}

/** May the routing be the cause? A number that the platform does not know says nothing of the routing. */
const isRefusal = (failed: messages.FailedNumber | undefined): boolean =>
  failed !== undefined && failed.reason !== "not sent" && failed.failure?.cause !== "notFound";

/** A request that is not valid was not sent. After any other error that was thrown, the outcome is unknown. */
function failedBy(error: unknown, number: string): messages.FailedNumber {
  const cause = error instanceof Error ? error.message : String(error);
  return error instanceof InvalidRequestError
    ? { number, reason: "not sent", cause }
    : { number, reason: "unknown", cause, code: "AGP-040" };
}

/** A platform that answers nobody stops everything. */
const NO_ANSWER: ReadonlySet<Cause> = new Set(["unreachable", "noAnswer", "proxy", "tls"]);
/** A platform that is out of order stops a change. What goes back is sent all the same, because numbers may have these errors of their own. */
const OUT_OF_ORDER: ReadonlySet<Cause> = new Set([...NO_ANSWER, "serverError", "rateLimited"]);
const LEAST_SILENT = 10;

const isSilence = (failed: messages.FailedNumber | undefined, isBack: boolean): boolean =>
  failed?.failure !== undefined &&
  failed.reason !== "not sent" &&
  (isBack ? NO_ANSWER : OUT_OF_ORDER).has(failed.failure.cause);

// --- one number

async function bindOne(number: string, { who, inputs, olds, session }: BindOrder, sent: Sent) {
  // If the endpoint changes, nothing is cleared: the other platform has nothing of what this resource set here.
  const task = { number, routing: routingOf(inputs), held: heldBy(number, olds, inputs) };
  const assigned = await bind(task, who, session);
  if ("verdict" in assigned) {
    sent.record = assigned.verdict.record;
    sent.isSilent ||= assigned.verdict.proof === "silent";
  }
  if (assigned.result === "applied") {
    return undefined;
  }
  sent.unapplied.set(number, unappliedAfter(task, lastKnownOf(number, olds, inputs), assigned));
  return failedNumber(number, assigned, task.routing, sent);
}

async function clearOne(number: string, release: Release, { who, session }: ClearOrder, sent: Sent) {
  const failed = await carryOut(release, who, session);
  // Of a number that another resource declares, a 404 is an error: that resource has just assigned the number, so it exists.
  if (failed !== undefined && release.does === "clear" && isGone(failed)) {
    sent.gone.push(number);
    return undefined;
  }
  return failed && failedNumber(number, failed, {}, sent);
}

/** The account and workspace in which the number was assigned, also if the last change was not applied. */
function scopeIn(number: string, state: NumbersState): Routing {
  const { accountSid, workspaceId } = unappliedOf(state).get(number)?.applied ?? state;
  return defined({ accountSid, workspaceId });
}

function failedNumber(number: string, request: FailedRequest, routing: Routing, sent: Sent): messages.FailedNumber {
  sent.failure ??= { request, routing };
  if (request.result === "different") {
    const { left, mismatches } = request.verdict;
    return left.length > 0
      ? { number, reason: "different", cause: messages.stillShown(left), code: "AGP-052" }
      : { number, reason: "different", cause: mismatches.map(messages.mismatchText).join("; "), code: "AGP-050" };
  }
  const { result, failure } = request;
  const code = messages.failureCode(result, failure);
  const reason = failure.exchange.attempts === 0 ? "not sent" : result;
  return { number, reason, cause: causeOf(number, failure), code, failure };
}

/** The cause, without the number in the platform's words: failures with equal causes are one line of the message. */
function causeOf(number: string, { platformMessage, ...failure }: Failure): string {
  // An extension may be as short as `4`, so the digits of other numbers stay.
  const alone = new RegExp(`(?<![\\w+])${number.replace(/[^\w]/g, "\\$&")}(?!\\w)`, "g");
  return messages.causeText({ ...failure, platformMessage: platformMessage?.replace(alone, "…") });
}

const FIRST_PROGRESS_MS = 3000;

/** Reports progress after 3, 6, 12 … seconds, because the engine keeps each line among the diagnostics of the run. */
function progressOf(who: string, all: number, session: Session): (done: number) => void {
  const begun = session.now();
  let next = FIRST_PROGRESS_MS;
  return (done) => {
    const elapsed = session.now() - begun;
    if (elapsed < next || done === all) {
      return;
    }
    next = 2 * elapsed;
    session.progress(messages.progress(who, done, all, elapsed / 1000));
  };
}
