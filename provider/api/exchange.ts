import { redact } from "../base/text";
import type { Clock, Reply, Transport } from "../base/world";
import type { Settings, VoiceHeaders } from "../stack/settings";
import {
  type Attempt,
  type Cause,
  classifyReply,
  type FailedAttempt,
  type Outcome,
  type RetryClass,
  type Route,
} from "./failure";
import { hostAndPort, type ProxyServer, type TransportOptions } from "./http";
import { Limiter } from "./limiter";
import {
  buildUrl,
  CALLS,
  type Call,
  type Client,
  InvalidRequestError,
  OPERATIONS,
  type Operation,
  operationText,
} from "./operations";

/** What the client needs of the settings of a run. */
export type ClientSettings = Pick<Settings, "baseUrl" | "requestTimeout" | "voiceHeaders"> & {
  readonly accessToken: string;
};

/** What the client needs of the machine. */
export interface Surroundings {
  readonly clock: Clock;
  readonly proxy?: ProxyServer | undefined;
  readonly transport: (options: TransportOptions) => Transport;
  /** Requests in progress at once. */
  readonly concurrency: number;
  /** How often one operation is sent at most, without those that got a 429. Tests bring their own. */
  readonly attempts?: number | undefined;
}

const ATTEMPTS = 4;

/** The operations of the interface, for one run, which has one token and one limiter. */
export function createClient(
  { baseUrl, accessToken, requestTimeout, voiceHeaders }: ClientSettings,
  { clock, proxy, transport, concurrency, attempts = ATTEMPTS }: Surroundings,
): Client {
  const attemptMs = requestTimeout * 1000;
  // With all attempts and waits: a minute, and always long enough for two whole attempts.
  const deadlineMs = Math.max(60_000, 2 * attemptMs);
  const context: Context = {
    baseUrl,
    token: accessToken,
    route: { host: hostAndPort(new URL(baseUrl)), proxy: proxy?.host },
    attemptLimit: attempts,
    attemptMs,
    deadlineMs,
    clock,
    limiter: new Limiter(concurrency, clock),
    transport: transport({ concurrency, proxy, attemptMs }),
  };
  function sender(name: keyof Client) {
    const callOf: (request: never, names: VoiceHeaders | undefined) => Call<unknown> = CALLS[name];
    return (request: never): Promise<Outcome<unknown>> =>
      exchange(context, callOf(request, voiceHeaders)).catch((error) => unknownAfter(error, OPERATIONS[name]));
  }

  const names = Object.keys(OPERATIONS) as (keyof Client)[];
  return Object.fromEntries(names.map((name) => [name, sender(name)])) as unknown as Client;
}

/** What is not valid was not sent. After any other error the request may have been sent, and what was sent must not be forgotten. */
function unknownAfter(error: unknown, operation: Operation): Outcome<unknown> {
  if (error instanceof InvalidRequestError) {
    throw error;
  }
  const detail = error instanceof Error ? error.message : String(error);
  const exchange = { operation: operationText(operation), attempts: 1, elapsedMs: 0 };
  return { outcome: "unknown", failure: { cause: "unusable", exchange, detail, isPlatformError: false } };
}

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
async function exchange<Response>(context: Context, call: Call<Response>): Promise<Outcome<Response>> {
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

/* a clear no */

export interface RetryQuestion {
  /** May it be sent again after an unknown outcome? */
  readonly isRepeatable: boolean;
  readonly retryClass: RetryClass;
  /** Attempts so far that got no 429, this one included. */
  readonly attempts: number;
  /** Attempts so far that got a 429, this one included. */
  readonly got429: number;
  readonly attemptLimit: number;
  readonly elapsedMs: number;
  readonly deadlineMs: number;
  /** How long one attempt may take. */
  readonly attemptMs: number;
  readonly retryAfterMs: number | undefined;
  /** From 0 up to 1. */
  readonly random: number;
}

/** How long to wait before the next attempt. After the last one, `waitMs` is what the wait would have been. */
export interface RetryDecision {
  readonly waitMs: number;
  readonly isLast: boolean;
}

const BACKOFF_BASE_MS = 1000;

const BACKOFF_CAP_MS = 16_000;

const FLOOR_MS = 200;

const FLOOR_CAP_MS = 8000;

function doubled(start: number, times: number, cap: number): number {
  return Math.min(cap, start * 2 ** times);
}

/** Full jitter: a random wait between nothing and a limit that doubles, so that many clients do not send at the same moment. */
function backoff(attempt: number, random: number): number {
  return random * doubled(BACKOFF_BASE_MS, attempt - 1, BACKOFF_CAP_MS);
}

/** `Retry-After` counts, but not below a floor that doubles: a platform that always says 0 would otherwise be asked without a pause. */
function waitAfter(question: RetryQuestion, repeats: number): number {
  const asked = question.retryAfterMs ?? backoff(repeats, question.random);
  const isToldToWait = question.retryClass === "rateLimited" || question.retryAfterMs !== undefined;
  return isToldToWait ? Math.max(asked, doubled(FLOOR_MS, repeats - 1, FLOOR_CAP_MS)) : asked;
}

function mayRepeat({ isRepeatable, retryClass }: RetryQuestion): boolean {
  return retryClass !== "final" && !(retryClass === "unknown" && !isRepeatable);
}

/** A POST that is cut short may have been carried out. So it is repeated after a clean refusal only if there is time for a whole attempt. */
function endsTooLate({ isRepeatable, elapsedMs, attemptMs, deadlineMs }: RetryQuestion, waitMs: number): boolean {
  const startMs = elapsedMs + waitMs;
  return startMs >= deadlineMs || (!isRepeatable && startMs + attemptMs > deadlineMs);
}

export function decide(question: RetryQuestion): RetryDecision {
  if (!mayRepeat(question)) {
    return { waitMs: 0, isLast: true };
  }
  const waitMs = waitAfter(question, question.retryClass === "rateLimited" ? question.got429 : question.attempts);
  return { waitMs, isLast: question.attempts >= question.attemptLimit || endsTooLate(question, waitMs) };
}
