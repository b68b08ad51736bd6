import { InvalidRequestError } from "../../client/errors";
import { goesBack, heldBy, lastKnownOf, type NumbersState, type Unapplied, unappliedOf } from "../../core/change/state";
import { stillShown } from "../../core/change/verify";
import type { Code } from "../../core/common/codes";
import { defined } from "../../core/common/equality";
import * as messages from "../../core/messages";
import type { Cause, Failure, NumberRecord } from "../../core/platform/operations";
import { hasSecretNumbers, type NumbersInputs } from "../../core/routing/group";
import { type Routing, routingOf } from "../../core/routing/routing";
import type { Sending, Session } from "../lifecycle";
import type { Release } from "../run/release";
import { bind, carryOut, type FailedRequest, isGone, unappliedAfter } from "./assign";

/**
 * Sends a request for each number. A change is tried on one number after another until one has it, and then sent to the rest, several at
 * a time. What goes back is sent to every number. Nothing else may stop it: one number that never works must not keep the others waiting.
 */

export interface Sent {
  /** How many numbers were applied, or cleared. */
  done: number;
  readonly failed: messages.FailedNumber[];
  /** What is saved for the numbers that failed. */
  readonly unapplied: Map<string, Unapplied>;
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

const newSent = (): Sent => ({ done: 0, isSilent: false, failed: [], unapplied: new Map() });

/** Works on one number. Returns undefined if the number was applied or cleared. */
type Work = (number: string) => Promise<messages.FailedNumber | undefined>;

/** One pass over numbers. */
interface Pass {
  readonly who: string;
  readonly session: Sending;
  readonly sent: Sent;
  /** How many different numbers may fail, one after the other, before the rest is sent or stopped. */
  readonly tries: number;
  /** Does it go back: an abort, a return, or a clear? */
  readonly isBack: boolean;
  readonly work: Work;
}

export interface BindOrder {
  readonly who: string;
  readonly inputs: NumbersInputs;
  readonly olds: NumbersState | undefined;
  readonly session: Sending;
}

/** A change that so many different numbers have refused, and none has accepted, is not sent to the rest. */
const TRIES = 3;

/** Assigns the numbers. */
export async function bindAll(numbers: readonly string[], order: BindOrder): Promise<Sent> {
  const { who, inputs, olds, session } = order;
  const sent = newSent();
  keepSecret(numbers, [olds, inputs], session);
  const isBack = goesBack(olds, inputs);
  const work: Work = (number) => bindOne(number, order, sent);
  await sendMany(failedLast(numbers, olds), { who, session, sent, tries: isBack ? 0 : TRIES, isBack, work });
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
  return session.run.release(
    numbers.map((number) => ({ number, held: heldBy(number, state, state), scope: scopeIn(number, state) })),
  );
}

type Releases = ReadonlyMap<string, Release>;

interface ClearOrder {
  readonly who: string;
  readonly state: NumbersState;
  readonly session: Sending;
  readonly words: messages.SparedWords;
}

/** Carries out what a delete does with its numbers, and tells which ones it did not clear, and why. */
export async function clearAll(releases: Releases, order: ClearOrder): Promise<Sent> {
  const { who, state, session, words } = order;
  const sent = newSent();
  const gone: string[] = [];
  const toSend = [...releases].flatMap(([number, { task }]) => (task === undefined ? [] : [number]));
  if (toSend.length > 0) {
    keepSecret(toSend, [state], session);
    const work: Work = (number) => clearOne(releases.get(number) as Release, { number, gone, sent }, order);
    // The first number shows which way of clearing works.
    await sendMany(toSend, { who, session, sent, tries: 1, isBack: true, work });
  }
  leaveAlone(releases, sent, order);
  if (gone.length > 0) {
    session.warn(words.gone(who, gone, hasSecretNumbers(state)));
  }
  return sent;
}

/** Counts the numbers that get no request, and tells which numbers keep what they have. */
function leaveAlone(releases: Releases, sent: Sent, { who, state, session, words }: ClearOrder): void {
  const missed = new Set(sent.failed.map(({ number }) => number));
  const isSecret = hasSecretNumbers(state);
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
    session.warn(words.kept(who, kept, isSecret));
  }
}

/** No message may show what a response says of a secret argument. */
const keepSecret = (numbers: readonly string[], holders: readonly (NumbersInputs | undefined)[], session: Sending) =>
  session.run.keepSecret(
    numbers,
    holders.flatMap((one) => one?.secretArguments ?? []),
  );

async function sendMany(numbers: readonly string[], { who, session, sent, tries, isBack, work }: Pass): Promise<void> {
  const { concurrency } = session.settings;
  // Throws if there is no token: one error, and not one for each number.
  session.client();
  const report = progressOf(who, numbers.length, session);
  const mostSilent = Math.max(LEAST_SILENT, 2 * concurrency);
  /** How many numbers in a row got no response. */
  let silent = 0;

  async function sendOne(number: string): Promise<messages.FailedNumber | undefined> {
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
  }

  let next = 0;
  let refused = 0;
  while (next < numbers.length && sent.done === 0 && refused < tries) {
    const failed = await sendOne(numbers[next++] as string);
    refused += isRefusal(failed) ? 1 : 0;
  }
  if (!isBack && refused === tries && next < numbers.length) {
    sent.stopped ??= `stopped: ${refused} numbers failed, and none was applied`;
  }
  await each(numbers, next, concurrency, (number) => sendOne(number));
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

interface Clearing {
  readonly number: string;
  /** Numbers that the platform does not know. */
  readonly gone: string[];
  readonly sent: Sent;
}

async function clearOne(release: Release, { number, gone, sent }: Clearing, { who, session }: ClearOrder) {
  const failed = await carryOut(release, who, session);
  // Of a number that another resource declares, a 404 is an error: that resource has just assigned the number, so it exists.
  if (failed !== undefined && release.does === "clear" && isGone(failed)) {
    gone.push(number);
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
  const code = codeOf(request);
  if (request.result === "different") {
    const cause = request.verdict.mismatches.map(messages.mismatchText).join("; ");
    return { number, reason: "different", cause, code };
  }
  const { result, failure } = request;
  const reason = failure.exchange.attempts === 0 ? "not sent" : result;
  return { number, reason, cause: causeOf(number, failure), code, failure };
}

const codeOf = (request: FailedRequest): Code => {
  if (request.result !== "different") {
    return messages.failureCode(request.result, request.failure);
  }
  const { verdict, cleared } = request;
  return stillShown(verdict, cleared).length > 0 ? "AGP-052" : messages.differenceCode(verdict.mismatches);
};

/** The cause, without the number in the platform's words: failures with equal causes are one line of the message. */
function causeOf(number: string, { platformMessage, ...failure }: Failure): string {
  // An extension may be as short as `4`, so the digits of other numbers stay.
  const alone = new RegExp(`(?<![\\w+])${number.replace(/[^\w]/g, "\\$&")}(?!\\w)`, "g");
  return messages.causeText({ ...failure, platformMessage: platformMessage?.replace(alone, "…") });
}

// --- the pool

/** Works on the items from an index on, several at a time. Each worker takes the next item, so no queue of promises is built. */
async function each<T>(items: readonly T[], from: number, workers: number, work: (item: T) => Promise<unknown>) {
  let next = from;
  const worker = async () => {
    while (next < items.length) {
      await work(items[next++] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, items.length - from) }, worker));
}

const PROGRESS_EVERY_MS = 3000;

/** Reports progress, at most one line every few seconds. */
function progressOf(who: string, all: number, session: Sending): (done: number) => void {
  const begun = session.now();
  let last = begun;
  return (done) => {
    const now = session.now();
    if (now - last < PROGRESS_EVERY_MS || done === all) {
      return;
    }
    last = now;
    session.progress(messages.progress(who, done, all, (now - begun) / 1000));
  };
}
