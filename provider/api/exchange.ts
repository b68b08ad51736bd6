import { tokenAsSecret, withhold } from "../base/secrets";
import type { ProxyServer, Transport, World } from "../base/world";
import type { Settings } from "../config/settings";
import { classify } from "./attempt";
import type { Failure, Outcome } from "./failure";
import { hostAndPort, isRepeatable } from "./http";
import { Limiter } from "./limiter";
import type { Call, Operation } from "./operation";
import { type Api, OPERATIONS } from "./operations";

/** The package's own name resolves both from the sources and from dist/. */
const { version } = require("pulumi-agent-platform/package.json") as { readonly version: string };

/** Lets the platform identify traffic from this package. */
const USER_AGENT = `pulumi-agent-platform/${version}`;

/** State that all operations in a run share. */
interface Context {
  readonly world: World;
  readonly token: string;
  /** `host:port` of the platform and of the proxy, if any, for use in messages. */
  readonly host: string;
  readonly proxy: string | undefined;
  readonly attemptMs: number;
  readonly deadlineMs: number;
  readonly limiter: Limiter;
  readonly transport: Transport;
}

/** Creates the interface's operations for one run. */
export function createApi(settings: Settings, token: string, world: World, proxy?: ProxyServer): Api {
  const attemptMs = settings.requestTimeout * 1000;
  const context: Context = {
    world,
    token,
    host: hostAndPort(new URL(settings.baseUrl)),
    proxy: proxy?.host,
    attemptMs,
    // The deadline limits only when an attempt may start, because each attempt gets its full timeout. The deadline must
    // be longer than a minute, because most rate limits count requests per minute.
    deadlineMs: Math.max(90_000, 2 * attemptMs),
    limiter: new Limiter(world.concurrency, world.clock),
    transport: world.openTransport(proxy, attemptMs, world.concurrency),
  };
  const sender =
    <Request, Response>({ call }: Operation<Request, Response>) =>
    async (request: Request): Promise<Outcome<Response>> =>
      exchange(context, call(request, settings));
  return {
    assignNumber: sender(OPERATIONS.assignNumber),
    addCommunityVoice: sender(OPERATIONS.addCommunityVoice),
    createSmsChat: sender(OPERATIONS.createSmsChat),
    endChat: sender(OPERATIONS.endChat),
  };
}

/**
 * The progress of one operation. `ownMs` counts its attempts and the waits between them, but not the time it spends
 * queued. Otherwise, at ten requests a second, the last of 1,000 numbers would reach its deadline before its first
 * attempt.
 */
interface Progress {
  attempts: number;
  got429: number;
  ownMs: number;
  /** When the first attempt was sent. */
  startedAt: number | undefined;
  requestId: string | undefined;
  /** The first attempt that may have been carried out. */
  doubt: Failure | undefined;
}

/** Sends one operation, retrying as its kind and the deadline allow, and returns the outcome. */
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
  } catch (error) {
    // After an unexpected error, assume that the request was sent, so that a POST is never repeated.
    return {
      failure: {
        outcome: "unknown",
        cause: "unusable",
        detail: withhold(error instanceof Error ? error.message : String(error), tokenAsSecret(context.token)),
        isPlatformError: false,
        retry: false,
        exchange: { operation: call.operation, ...summarize(progress, context) },
      },
    };
  } finally {
    context.limiter.leave();
  }
}

/**
 * Makes one attempt. Returns its outcome, or undefined if the caller should try again. When it returns undefined, the
 * wait before the next attempt is already over, except after a 429, where `takeTurn` waits.
 */
async function tryOnce<Response>(
  context: Context,
  call: Call<Response>,
  progress: Progress,
): Promise<Outcome<Response> | undefined> {
  const { limiter, deadlineMs } = context;
  const { clock, attempts: attemptLimit } = context.world;
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
  const { waitMs, isLast } = decide({
    failure,
    isRepeatable: isRepeatable(call),
    attempts: progress.attempts - progress.got429,
    got429: progress.got429,
    attemptLimit,
    elapsedMs: progress.ownMs,
    deadlineMs,
    random: clock.random(),
  });
  // If a 429 asks for a longer wait than one operation may take, fail this operation only. The limit may apply to this
  // number alone, so don't hold up the others.
  if (isLimited && waitMs < deadlineMs) {
    limiter.pause(sentAt, waitMs);
  }
  if (isLast) {
    return { failure: combinedFailure(failure, progress.doubt) };
  }
  progress.ownMs += waitMs;
  if (!isLimited) {
    await clock.delay(waitMs);
  }
  return undefined;
}

async function send<Response>(context: Context, call: Call<Response>, progress: Progress): Promise<Outcome<Response>> {
  const { token, attemptMs } = context;
  const { clock } = context.world;
  const headers = {
    ...call.headers,
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": USER_AGENT,
    authorization: `Bearer ${token}`,
  };
  const sentAt = clock.now();
  progress.startedAt ??= sentAt;
  progress.attempts += 1;
  const reply = await context.transport({ ...call, headers }, attemptMs);
  progress.ownMs += clock.now() - sentAt;
  const id = reply.came === "response" ? reply.headers.requestId : undefined;
  // Show the server's request ID only if it looks like an ID and doesn't contain the token.
  if (id !== undefined && /^[\w.:/+=-]{1,128}$/.test(id) && withhold(id, tokenAsSecret(token)) === id) {
    progress.requestId = id;
  }
  return classify(reply, call, {
    token,
    host: context.host,
    proxy: context.proxy,
    wallClockMs: clock.wallClock(),
    timeoutMs: attemptMs,
    exchange: {
      operation: call.operation,
      status: reply.came === "response" ? reply.status : undefined,
      ...summarize(progress, context),
    },
  });
}

const summarize = ({ requestId, attempts, startedAt }: Progress, { world: { clock } }: Context) => ({
  requestId,
  attempts,
  elapsedMs: startedAt === undefined ? 0 : Math.round(clock.now() - startedAt),
});

/**
 * Returns the last attempt's failure. If that attempt was refused but an earlier attempt may have been carried out, the
 * outcome becomes unknown.
 */
function combinedFailure(last: Failure, doubt: Failure | undefined): Failure {
  if (last.outcome === "unknown" || doubt === undefined) {
    return last;
  }
  // The last attempt changed nothing, but an earlier one may have, so `doubt` describes the earlier one. If the last
  // attempt was not sent or got a 429, the earlier attempt's cause also replaces that of the last attempt.
  const isUninformative = last.outcome === "not sent" || last.cause === "rateLimited";
  return {
    ...last,
    outcome: "unknown",
    cause: isUninformative ? doubt.cause : last.cause,
    doubt: [doubt.exchange.status, doubt.detail].filter((part) => part !== undefined).join(", "),
  };
}

// --- another attempt

export interface RetryQuestion {
  readonly failure: Pick<Failure, "outcome" | "cause" | "retry" | "retryAfterMs">;
  /** Whether the request may be sent again after an unknown outcome. */
  readonly isRepeatable: boolean;
  /** The number of attempts so far that didn't get a 429. */
  readonly attempts: number;
  /** The number of attempts so far that got a 429. */
  readonly got429: number;
  readonly attemptLimit: number;
  readonly elapsedMs: number;
  readonly deadlineMs: number;
  /** From 0 up to, but not including, 1. */
  readonly random: number;
}

/**
 * The wait before the next attempt. After the last attempt, `waitMs` is how long the next one would have had to wait.
 */
interface RetryDecision {
  readonly waitMs: number;
  readonly isLast: boolean;
}

/** Returns a time limit that doubles with each attempt. */
const doublingLimit = (start: number, attempt: number, cap: number): number =>
  Math.min(cap, start * 2 ** (attempt - 1));

export function decide(question: RetryQuestion): RetryDecision {
  const { failure, isRepeatable, attempts, got429, attemptLimit, elapsedMs, deadlineMs, random } = question;
  if (!failure.retry || (failure.outcome === "unknown" && !isRepeatable)) {
    return { waitMs: 0, isLast: true };
  }
  const isLimited = failure.cause === "rateLimited";
  const attempt = isLimited ? got429 : attempts;
  // Wait a random time up to a limit that doubles, so that many clients don't retry at the same moment.
  const requestedMs = failure.retryAfterMs ?? random * doublingLimit(1000, attempt, 16_000);
  // Follow `Retry-After`, but wait at least a minimum time. Otherwise, we would send requests nonstop to a platform
  // that always returns 0.
  const isToldToWait = isLimited || failure.retryAfterMs !== undefined;
  const waitMs = isToldToWait ? Math.max(requestedMs, doublingLimit(200, attempt, 8000)) : requestedMs;
  return { waitMs, isLast: attempts >= attemptLimit || elapsedMs + waitMs >= deadlineMs };
}
