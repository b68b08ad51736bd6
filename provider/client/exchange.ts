import type { Cause, Outcome } from "../core/api/operations";
import { redact } from "../core/common/redact";
import { buildUrl, type Call, type Operation, operationText } from "./calls";
import type { FailedAttempt, Route } from "./failure";
import type { Clock, Limiter } from "./limiter";
import { type Attempt, classifyReply } from "./reply";
import { decide, type RetryDecision } from "./retry";
import type { Reply, Transport } from "./transport";

/** The package is loaded by its own name, which works from the sources and from dist/. */
const { version } = require("pulumi-agent-platform/package.json") as { readonly version: string };

/** By this header a platform can count the traffic of this package. */
const USER_AGENT = `pulumi-agent-platform/${version}`;

/** What all operations of a client share. */
export interface Context {
  readonly baseUrl: string;
  readonly token: string;
  /** As messages name it. */
  readonly route: Route;
  readonly attemptLimit: number;
  readonly attemptMs: number;
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly limiter: Limiter;
  readonly transport: Transport;
}

/**
 * What one operation has done so far. Its own time is the time of its attempts and of the waits after its failures. The time in a queue does
 * not count: at ten requests a second the last of 1,000 numbers would otherwise pass its deadline before it is sent.
 */
interface Progress {
  readonly url: URL;
  /** All attempts, and how many of them got a 429. */
  attempts: number;
  got429: number;
  ownMs: number;
  /** When the first attempt was sent. */
  startedAt: number | undefined;
  requestId: string | undefined;
  /** The first attempt that may have been carried out. */
  doubt: FailedAttempt | undefined;
}

/** Sends one operation, as often as its row and the deadline allow, and says what became of it. */
export async function exchange<Response>(context: Context, call: Call<Response>): Promise<Outcome<Response>> {
  const progress: Progress = {
    // A path that cannot be sent is refused before the operation queues for a slot.
    url: buildUrl(context.baseUrl, call.path, call.parameters),
    attempts: 0,
    got429: 0,
    ownMs: 0,
    startedAt: undefined,
    requestId: undefined,
    doubt: undefined,
  };
  await context.limiter.enter();
  try {
    let outcome: Outcome<Response> | undefined;
    while (outcome === undefined) {
      outcome = await tryOnce(context, call, progress);
    }
    return outcome;
  } finally {
    context.limiter.leave();
  }
}

/** One attempt. Returns its outcome, or undefined if another attempt follows. After a 429 the next attempt waits for its turn, else the wait is over. */
async function tryOnce<Response>(context: Context, call: Call<Response>, progress: Progress) {
  const { clock, limiter, deadlineMs } = context;
  await limiter.takeTurn();
  const sentAt = clock.now();
  const attempt = await send(context, call, progress);
  const ended = () => toOutcome(attempt, call, progress, clock.now());
  if (attempt.cause === undefined) {
    return ended();
  }
  const isLimited = attempt.retryClass === "rateLimited";
  progress.got429 += isLimited ? 1 : 0;
  progress.doubt ??= attempt.retryClass === "unknown" ? attempt : undefined;
  const { waitMs, isLast } = decideAfter(attempt, call, progress, context);
  // A 429 that asks for more time than an operation has may be of one number alone: it fails that one, and nobody else waits.
  if (isLimited && waitMs < deadlineMs) {
    limiter.pause(sentAt, waitMs);
  }
  if (isLast) {
    return ended();
  }
  progress.ownMs += waitMs;
  if (!isLimited) {
    await clock.delay(waitMs);
  }
  return undefined;
}

async function send<Response>(context: Context, call: Call<Response>, progress: Progress) {
  const { token, route, clock } = context;
  const timeoutMs = Math.max(1, Math.min(context.attemptMs, context.deadlineMs - progress.ownMs));
  const headers = {
    ...call.headers,
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": USER_AGENT,
    authorization: `Bearer ${token}`,
  };
  const sentAt = clock.now();
  progress.startedAt ??= sentAt;
  const reply = await context.transport({ ...call, url: progress.url, headers }, timeoutMs);
  progress.attempts += 1;
  progress.ownMs += clock.now() - sentAt;
  progress.requestId = requestIdOf(reply, token) ?? progress.requestId;
  const request = { ...call, url: progress.url };
  const circumstances = { ...route, token, request, wallClockMs: clock.wallClock(), timeoutMs };
  return classifyReply(reply, circumstances, call.read);
}

/** The server's id of the request, if it has the form of an id and does not hold the token. */
function requestIdOf(reply: Reply, token: string): string | undefined {
  const id = reply.came === "response" ? reply.headers.requestId : undefined;
  return id !== undefined && /^[\w.:/+=-]{1,128}$/.test(id) && redact(id, token) === id ? id : undefined;
}

function decideAfter(
  { retryClass, retryAfterMs }: FailedAttempt,
  { isRepeatable }: Operation,
  progress: Progress,
  { attemptLimit, deadlineMs, attemptMs, clock }: Context,
): RetryDecision {
  return decide({
    isRepeatable,
    retryClass,
    attempts: progress.attempts - progress.got429,
    got429: progress.got429,
    attemptLimit,
    elapsedMs: progress.ownMs,
    deadlineMs,
    attemptMs,
    retryAfterMs,
    random: clock.random(),
  });
}

// --- the outcome of all attempts

function toOutcome<Response>(
  attempt: Attempt<Response>,
  call: Operation,
  { requestId, attempts, startedAt, doubt }: Progress,
  now: number,
): Outcome<Response> {
  const elapsedMs = Math.round(now - (startedAt ?? now));
  const exchange = { operation: operationText(call), status: attempt.status, requestId, attempts, elapsedMs };
  if (attempt.cause === undefined) {
    return { outcome: "applied", response: attempt.response, exchange };
  }
  const failed = overall(attempt, doubt);
  const { cause, detail, platformMessage, isPlatformError = false, advice, retryAfterMs } = failed;
  const retryAfterSeconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
  const failure = { cause, exchange, platformMessage, detail, isPlatformError, advice, retryAfterSeconds };
  // A redirect may be the response to a request that was carried out, as a 303 is.
  const isUnknown = failed.retryClass === "unknown" || cause === "redirected";
  return { outcome: isUnknown ? "unknown" : "rejected", failure };
}

/** Causes with which nothing was done. They are not true of the operation if an earlier attempt may have been carried out. */
const SAYS_NOTHING_WAS_DONE: readonly Cause[] = ["unreachable", "proxy", "tls", "rateLimited"];

/** The result of all attempts: that of the last one, or "unknown" if the last one was refused and an earlier one may have been carried out. */
function overall(last: FailedAttempt, doubt: FailedAttempt | undefined): FailedAttempt {
  if (last.retryClass === "unknown" || doubt === undefined) {
    return last;
  }
  return {
    ...last,
    retryClass: "unknown",
    cause: SAYS_NOTHING_WAS_DONE.includes(last.cause) ? doubt.cause : last.cause,
    detail: `${last.detail}; an earlier attempt may have been carried out (${doubt.detail})`,
  };
}
