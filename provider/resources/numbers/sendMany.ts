import { InvalidRequestError } from "../../client/errors";
import { isImport, isScope, type Mismatch } from "../../core/change/mismatch";
import { heldBy, lastKnownOf, type NumbersState, type Unapplied, unappliedOf } from "../../core/change/state";
import { onceForEach } from "../../core/common/once";
import * as messages from "../../core/messages";
import type { Cause, Failure, NumberRecord } from "../../core/platform/operations";
import { BINDINGS } from "../../core/routing/fields";
import { hasSecretNumbers, type NumbersInputs } from "../../core/routing/group";
import { type Binding, type Routing, routingOf } from "../../core/routing/routing";
import type { Sending, Session } from "../lifecycle";
import type { Release } from "../run/release";
import { bind, blockingMismatches, carryOut, type FailedRequest, fallbackOf, isGone, unappliedAfter } from "./assign";

/** Sends a request for each number: the first ones alone, then the rest several at a time. */

export interface Sent {
  /** How many numbers were applied, or cleared. */
  done: number;
  readonly failed: messages.FailedNumber[];
  /** What is saved for the numbers that failed. */
  readonly unapplied: Map<string, Unapplied>;
  /** The first request that failed. */
  failure?: { readonly request: FailedRequest; readonly routing: Routing } | undefined;
  /** What the platform returned last of a number. */
  record?: NumberRecord | undefined;
  /** Why the delete of a number waits. */
  postponed?: string | undefined;
  /** Why the rest was not sent. */
  stopped?: string | undefined;
}

const newSent = (): Sent => ({ done: 0, failed: [], unapplied: new Map() });

/** Works on one number. Returns undefined if the number was applied or cleared. */
type Work = (number: string) => Promise<messages.FailedNumber | undefined>;

/** One pass over numbers. */
interface Pass {
  readonly who: string;
  readonly session: Sending;
  readonly maxFailures: number | undefined;
  readonly sent: Sent;
  /** How many numbers are sent one by one until one is applied. */
  readonly tries: number;
  readonly first: Work;
  readonly rest: Work;
}

export interface BindOrder {
  readonly who: string;
  readonly inputs: NumbersInputs;
  readonly olds: NumbersState | undefined;
  readonly session: Sending;
}

/** Assigns the numbers. */
export function bindAll(numbers: readonly string[], order: BindOrder): Promise<Sent> {
  const { who, inputs, olds, session } = order;
  const sent = newSent();
  keepSecret(numbers, undefined, [olds, inputs], session);
  // With one number alone there is nothing that its response could warn of.
  const first: Work = (number) => bindOne(number, order, sent, numbers.length > 1);
  const rest: Work = (number) => bindOne(number, order, sent, false);
  return sendMany(numbers, { who, session, maxFailures: inputs.maxFailures, sent, tries: FIRST_TRIES, first, rest });
}

/** What a delete does with each of these numbers. */
export function planReleases(numbers: readonly string[], state: NumbersState, session: Session): Releases {
  // The run keeps the routing of each number. One object for all numbers of a scope saves the memory of 50,000 equal ones.
  const fallback = onceForEach((scope: Routing) => fallbackOf(state, scope));
  return new Map(
    numbers.map((number) => {
      const held = heldBy(number, state, state);
      return [number, session.run.release(number, held, fallback(scopeIn(number, state)))];
    }),
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
    keepSecret(toSend, "onDelete", [state], session);
    const one: Work = (number) => clearOne(releases.get(number) as Release, { number, gone, sent }, order);
    // The first number shows whether the platform accepts the token, and which way of clearing works.
    await sendMany(toSend, { who, session, maxFailures: state.maxFailures, sent, tries: 1, first: one, rest: one });
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
    if (release.does === "postpone") {
      sent.postponed ??= release.why;
      sent.failed.push({ number, reason: "not sent", cause: release.why });
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

/** If the argument with these fields is secret, no message may show what a response says of one of them. */
const FIELDS_WITHIN = { onDelete: BINDINGS } as const;

function keepSecret(
  numbers: readonly string[],
  within: keyof typeof FIELDS_WITHIN | undefined,
  holders: readonly (NumbersInputs | undefined)[],
  session: Sending,
): void {
  const names = holders.flatMap((one) => one?.secretArguments ?? []);
  session.run.keepSecret(
    numbers,
    within !== undefined && names.includes(within) ? [...names, ...FIELDS_WITHIN[within]] : names,
  );
}

/** If the first number fails, others are tried one by one, because the cause may concern the first number alone. */
const FIRST_TRIES = 3;

async function sendMany(numbers: readonly string[], pass: Pass): Promise<Sent> {
  const { who, session, maxFailures, sent } = pass;
  const { concurrency } = session.settings;
  // Throws if there is no token: one error, and not one for each number.
  session.client();
  const report = progressOf(who, numbers.length, session);
  /** How many numbers in a row got no response. */
  let silent = 0;

  /** Sends one number. Its failure may stop the rest. */
  async function sendOne(number: string, work: Work): Promise<void> {
    const failed =
      sent.stopped === undefined
        ? await session.inTurn(number, () => work(number)).catch((error: unknown) => failedBy(error, number))
        : ({ number, reason: "not sent", cause: sent.stopped } as const);
    silent = failed?.failure !== undefined && SILENT.has(failed.failure.cause) ? silent + 1 : 0;
    if (failed === undefined) {
      sent.done += 1;
    } else {
      sent.failed.push(failed);
      stopAfter(failed);
    }
    report(sent.done + sent.failed.length);
  }

  function stopAfter({ cause, failure, reason }: messages.FailedNumber): void {
    if (reason === "not sent") {
      return;
    }
    if (failure !== undefined && CONCERNS_ALL.has(failure.cause)) {
      stop(sent, cause);
    }
    if (maxFailures !== undefined && sent.failed.length > maxFailures) {
      stop(sent, `more than maxFailures (${maxFailures}) failed`);
    }
    if (silent >= Math.max(LEAST_SILENT, concurrency)) {
      stop(sent, `${silent} numbers in a row got no response`);
    }
  }

  // One by one until one is applied, so that a routing that the platform refuses is not sent to all.
  for (const number of numbers.slice(0, pass.tries)) {
    await sendOne(number, pass.first);
    if (sent.done > 0 || sent.stopped !== undefined) {
      break;
    }
  }
  const { failed } = sent;
  if (failed.length === FIRST_TRIES && failed.every(({ failure }) => failure?.cause !== "notFound")) {
    stop(sent, `the first ${FIRST_TRIES} numbers failed`);
  }
  await each(numbers, sent.done + failed.length, concurrency, (number) => sendOne(number, pass.rest));
  return sent;
}

function stop(sent: Sent, why: string): void {
  sent.stopped ??= `stopped: ${why}`;
}

/** A request that is not valid was not sent. After any other error that was thrown, the outcome is unknown. */
function failedBy(error: unknown, number: string): messages.FailedNumber {
  const cause = error instanceof Error ? error.message : String(error);
  return { number, reason: error instanceof InvalidRequestError ? "not sent" : "unknown", cause };
}

/** Causes that concern all numbers: the token, its rights, and the connection. */
const CONCERNS_ALL: ReadonlySet<Cause> = new Set(["unauthenticated", "forbidden", "redirected", "proxy", "tls"]);
/** Causes that may concern one number alone. If many numbers in a row have one, it concerns the platform. */
const SILENT: ReadonlySet<Cause> = new Set(["unreachable", "noAnswer", "serverError", "rateLimited"]);
const LEAST_SILENT = 5;

// --- one number

async function bindOne(number: string, { who, inputs, olds, session }: BindOrder, sent: Sent, isFirst: boolean) {
  // If the endpoint changes, nothing is cleared: the other platform has nothing of what this resource set here.
  const task = { number, routing: routingOf(inputs), held: heldBy(number, olds, inputs) };
  const assigned = await bind(task, who, session, isFirst ? blockingAtFirst : undefined);
  if ("verdict" in assigned) {
    sent.record = assigned.verdict.record;
  }
  if (assigned.result === "applied") {
    return undefined;
  }
  sent.unapplied.set(number, unappliedAfter(task, lastKnownOf(number, olds, inputs), assigned));
  const failed = failedNumber(number, assigned, task.routing, sent);
  // If the response to the first number differs, those to the rest would differ as well. A failed import concerns this number alone.
  if (isFirst && assigned.result === "different" && !assigned.verdict.mismatches.every(isImport)) {
    stop(sent, failed.cause);
  }
  return failed;
}

/** For the first number, another account or workspace in the response is an error, unless the settings say otherwise. */
function blockingAtFirst(mismatches: readonly Mismatch[], cleared: readonly Binding[], session: Sending): Mismatch[] {
  const strict = session.settings.onMismatch === undefined ? mismatches.filter(isScope) : [];
  return [...blockingMismatches(mismatches, cleared, session), ...strict];
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
const scopeIn = (number: string, state: NumbersState): Routing => unappliedOf(state).get(number)?.applied ?? state;

function failedNumber(number: string, request: FailedRequest, routing: Routing, sent: Sent): messages.FailedNumber {
  sent.failure ??= { request, routing };
  return request.result === "different"
    ? { number, reason: "different", cause: request.verdict.mismatches.map(messages.mismatchText).join("; ") }
    : { number, reason: request.result, cause: causeOf(number, request.failure), failure: request.failure };
}

/** The cause, without the number in the platform's words: failures with equal causes are one line of the message. */
function causeOf(number: string, { platformMessage, ...failure }: Failure): string {
  // An extension may be as short as `4`, so the digits of other numbers stay.
  const alone = new RegExp(`(?<![\\w+])${number.replace(/[^\w]/g, "\\$&")}(?!\\w)`, "g");
  return messages.causeText({ ...failure, platformMessage: platformMessage?.replace(alone, "…") });
}

// --- the pool

/** Works on the items from an index on, several at a time. Each worker takes the next item, so no queue of promises is built. */
async function each<T>(items: readonly T[], from: number, workers: number, work: (item: T) => Promise<void>) {
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
