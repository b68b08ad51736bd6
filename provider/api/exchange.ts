import { redact } from "../base/text";
import type { Clock, HttpReply, Transport } from "../base/world";
import type { Settings } from "../stack/settings";
import { type Call, classify, type Failure, type Outcome } from "./failure";
import { hostAndPort, isRepeatable, type ProxyServer, type TransportOptions } from "./http";
import { Limiter } from "./limiter";
import { CALLS, type CallSettings, type Client, OPERATIONS } from "./operations";

/** What the client needs of the settings of a run. */
export type ClientSettings = CallSettings & Pick<Settings, "requestTimeout"> & { readonly accessToken: string };

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
  settings: ClientSettings,
  { clock, proxy, transport, concurrency, attempts = ATTEMPTS }: Surroundings,
): Client {
  const attemptMs = settings.requestTimeout * 1000;
  const context: Context = {
    token: settings.accessToken,
    host: hostAndPort(new URL(settings.baseUrl)),
    proxy: proxy?.host,
    attemptLimit: attempts,
    attemptMs,
    // With all attempts and waits: a minute, and always long enough for two whole attempts.
    deadlineMs: Math.max(60_000, 2 * attemptMs),
    clock,
    limiter: new Limiter(concurrency, clock),
    transport: transport({ concurrency, proxy, attemptMs }),
  };
  function sender(name: keyof Client) {
    const callOf: (request: never, settings: CallSettings) => Call<unknown> = CALLS[name];
    return async (request: never): Promise<Outcome<unknown>> => {
      const call = callOf(request, settings);
      return exchange(context, call).catch((error: unknown) => ({ failure: unknownAfter(error, call.operation) }));
    };
  }

  const names = Object.keys(OPERATIONS) as (keyof Client)[];
  return Object.fromEntries(names.map((name) => [name, sender(name)])) as unknown as Client;
}

/** After an error that nobody expected the request may have been sent, and what was sent must not be forgotten. */
function unknownAfter(error: unknown, operation: string): Failure {
  return {
    outcome: "unknown",
    cause: "unusable",
    detail: error instanceof Error ? error.message : String(error),
    isPlatformError: false,
    retry: false,
    exchange: { operation, attempts: 1, elapsedMs: 0 },
  };
}

/** The package is loaded by its own name, which works from the sources and from dist/. */
const { version } = require("pulumi-agent-platform/package.json") as { readonly version: string };

/** By this header a platform can count the traffic of this package. */
const USER_AGENT = `pulumi-agent-platform/${version}`;

/** What all operations of a client share. */
export interface Context {
  readonly token: string;
  /** `host:port` of the platform and, if there is one, of the proxy, as messages name them. */
  readonly host: string;
  readonly proxy: string | undefined;
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
  /** All attempts, and how many of them got a 429. */
  attempts: number;
  got429: number;
  ownMs: number;
  /** When the first attempt was sent. */
  startedAt: number | undefined;
  requestId: string | undefined;
  /** The first attempt that may have been carried out. */
  doubt: Failure | undefined;
}

/** Sends one operation, as often as its kind and the deadline allow, and says what became of it. */
async function exchange<Response>(context: Context, call: Call<Response>): Promise<Outcome<Response>> {
  const progress: Progress = {
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
async function tryOnce<Response>(
  context: Context,
  call: Call<Response>,
  progress: Progress,
): Promise<Outcome<Response> | undefined> {
  const { clock, limiter, deadlineMs } = context;
  await limiter.takeTurn();
  const sentAt = clock.now();
  const outcome = await send(context, call, progress);
  const { failure } = outcome;
  if (failure === undefined) {
    return outcome;
  }
  const isLimited = failure.cause === "rateLimited";
  progress.got429 += isLimited ? 1 : 0;
  progress.doubt ??= failure.outcome === "unknown" ? failure : undefined;
  const { waitMs, isLast } = decideAfter(failure, call, progress, context);
  // A 429 that asks for more time than an operation has may be of one number alone: it fails that one, and nobody else waits.
  if (isLimited && waitMs < deadlineMs) {
    limiter.pause(sentAt, waitMs);
  }
  if (isLast) {
    return { failure: overall(failure, progress.doubt) };
  }
  progress.ownMs += waitMs;
  if (!isLimited) {
    await clock.delay(waitMs);
  }
  return undefined;
}

async function send<Response>(context: Context, call: Call<Response>, progress: Progress): Promise<Outcome<Response>> {
  const { token, clock, attemptMs, deadlineMs } = context;
  const timeoutMs = Math.max(1, Math.min(attemptMs, deadlineMs - progress.ownMs));
  const headers = {
    ...call.headers,
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": USER_AGENT,
    authorization: `Bearer ${token}`,
  };
  const sentAt = clock.now();
  progress.startedAt ??= sentAt;
  const reply = await context.transport({ ...call, headers }, timeoutMs);
  progress.attempts += 1;
  progress.ownMs += clock.now() - sentAt;
  progress.requestId = requestIdOf(reply, token) ?? progress.requestId;
  return classify(reply, call, {
    ...context,
    wallClockMs: clock.wallClock(),
    timeoutMs,
    exchange: {
      operation: call.operation,
      status: reply.came === "response" ? reply.status : undefined,
      requestId: progress.requestId,
      attempts: progress.attempts,
      elapsedMs: Math.round(clock.now() - progress.startedAt),
    },
  });
}

/** The server's id of the request, if it has the form of an id and does not hold the token. */
function requestIdOf(reply: HttpReply, token: string): string | undefined {
  const id = reply.came === "response" ? reply.headers.requestId : undefined;
  return id !== undefined && /^[\w.:/+=-]{1,128}$/.test(id) && redact(id, token) === id ? id : undefined;
}

const decideAfter = (
  failure: Failure,
  call: Call<unknown>,
  { attempts, got429, ownMs }: Progress,
  { attemptLimit, deadlineMs, attemptMs, clock }: Context,
): RetryDecision =>
  decide({
    failure,
    isRepeatable: isRepeatable(call),
    attempts: attempts - got429,
    got429,
    attemptLimit,
    elapsedMs: ownMs,
    deadlineMs,
    attemptMs,
    random: clock.random(),
  });

/** The result of all attempts: that of the last one, or "unknown" if the last one was refused and an earlier one may have been carried out. */
function overall(last: Failure, doubt: Failure | undefined): Failure {
  if (last.outcome === "unknown" || doubt === undefined) {
    return last;
  }
  // That nothing was sent, or nothing was done, is not true of the operation then.
  const saysNothing = last.outcome === "not sent" || last.cause === "rateLimited";
  return {
    ...last,
    outcome: "unknown",
    cause: saysNothing ? doubt.cause : last.cause,
    detail: `${last.detail}; an earlier attempt may have been carried out (${doubt.detail})`,
  };
}

// --- another attempt

export interface RetryQuestion {
  readonly failure: Pick<Failure, "outcome" | "cause" | "retry" | "retryAfterMs">;
  /** May it be sent again after an unknown outcome? */
  readonly isRepeatable: boolean;
  /** Attempts so far that got no 429, this one included. */
  readonly attempts: number;
  /** Attempts so far that got a 429, this one included. */
  readonly got429: number;
  readonly attemptLimit: number;
  readonly elapsedMs: number;
  readonly deadlineMs: number;
  /** How long one attempt may take. */
  readonly attemptMs: number;
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
function waitAfter({ failure: { cause, retryAfterMs }, attempts, got429, random }: RetryQuestion): number {
  const isLimited = cause === "rateLimited";
  const repeats = isLimited ? got429 : attempts;
  const asked = retryAfterMs ?? backoff(repeats, random);
  const isToldToWait = isLimited || retryAfterMs !== undefined;
  return isToldToWait ? Math.max(asked, doubled(FLOOR_MS, repeats - 1, FLOOR_CAP_MS)) : asked;
}

function mayRepeat({ failure: { retry, outcome }, isRepeatable }: RetryQuestion): boolean {
  return retry && (outcome !== "unknown" || isRepeatable);
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
  const waitMs = waitAfter(question);
  return { waitMs, isLast: question.attempts >= question.attemptLimit || endsTooLate(question, waitMs) };
}
