import { tokenAsSecret, withhold } from "../base/secrets";
import type { ProxyServer, Transport, World } from "../base/world";
import type { Settings } from "../config/settings";
import { addCommunityVoice } from "./addCommunityVoice";
import { assignNumber } from "./assignNumber";
import { classify } from "./attempt";
import { createSmsChat } from "./createSmsChat";
import { endChat } from "./endChat";
import type { Failure, Outcome } from "./failure";
import { hostAndPort, isRepeatable } from "./http";
import { Limiter } from "./limiter";
import type { Call } from "./operation";

/** package.json is loaded by the package's name, because its relative path differs between the sources and dist/. */
const { version } = require("pulumi-agent-platform/package.json") as { readonly version: string };

/** Lets the platform identify traffic from this package. */
const USER_AGENT = `pulumi-agent-platform/${version}`;

/** State that all operations in a run share. */
interface Context {
  readonly world: World;
  readonly token: string;
  /** The `host:port` of the platform and of the proxy, if any, for use in messages. */
  readonly host: string;
  readonly proxy: string | undefined;
  readonly attemptMs: number;
  readonly deadlineMs: number;
  readonly limiter: Limiter;
  readonly transport: Transport;
}

/**
 * Creates the interface's four operations for one run. Each rejects with an InvalidRequestError if its URL can't be
 * built. Any other failure is in the outcome.
 */
export function createApi(settings: Settings, token: string, world: World, proxy?: ProxyServer) {
  const attemptMs = settings.requestTimeout * 1000;
  const context: Context = {
    world,
    token,
    host: hostAndPort(new URL(settings.baseUrl)),
    proxy: proxy?.host,
    attemptMs,
    // No attempt starts after the deadline, but one that has started still gets its full timeout. The deadline is
    // longer than a minute, so that an operation can wait out a rate limit that counts requests per minute.
    deadlineMs: Math.max(90_000, 2 * attemptMs),
    limiter: new Limiter(world.concurrency, world.clock),
    transport: world.openTransport(proxy, attemptMs, world.concurrency),
  };
  const sender =
    <Request, Response>(operation: (request: Request, settings: Settings) => Call<Response>) =>
    async (request: Request): Promise<Outcome<Response>> =>
      exchange(context, operation(request, settings));
  return {
    assignNumber: sender(assignNumber),
    createSmsChat: sender(createSmsChat),
    addCommunityVoice: sender(addCommunityVoice),
    endChat: sender(endChat),
  };
}

export type Api = ReturnType<typeof createApi>;

/** The progress of one operation. */
interface Progress {
  attempts: number;
  got429: number;
  /**
   * Milliseconds spent in attempts and in the waits between them. Time in the queue doesn't count, because a long queue
   * would use up the deadline before the first attempt.
   */
  ownMs: number;
  /** When the first attempt was sent. */
  startedAt: number | undefined;
  requestId: string | undefined;
  /** The failure of the first attempt whose outcome is unknown. The platform may have carried out that attempt. */
  doubt: Failure | undefined;
}

/**
 * Sends the request of one operation and returns the outcome. Retries if the failure, the method (PUT or POST) and the
 * deadline allow it.
 */
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
        retry: false,
        exchange: { operation: call.operation, ...summarize(progress, context) },
      },
    };
  } finally {
    context.limiter.leave();
  }
}

/** Makes one attempt. Returns its outcome, or undefined if the caller should call this function again. */
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
  // If the wait is longer than the whole deadline, only this operation fails. The rate limit may apply to its number
  // alone, so the others don't wait.
  if (isLimited && waitMs < deadlineMs) {
    limiter.pause(sentAt, waitMs);
  }
  if (isLast) {
    return { failure: combinedFailure(failure, progress.doubt) };
  }
  progress.ownMs += waitMs;
  // After a 429, `takeTurn` makes this operation and all others wait.
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
 * Returns the failure of the whole exchange. If an earlier attempt may have been carried out (`doubt`), the outcome is
 * unknown, even if the last attempt was rejected or not sent.
 */
function combinedFailure(last: Failure, doubt: Failure | undefined): Failure {
  if (last.outcome === "unknown" || doubt === undefined) {
    return last;
  }
  // If the last attempt was not sent or got a 429, its failure is not the reason why the outcome is unknown. Report the
  // cause of the earlier attempt instead.
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
  /** A random number from 0 up to, but not including, 1. */
  readonly random: number;
}

interface RetryDecision {
  /** The wait before the next attempt. Set even for a last attempt that got a 429, for the sake of other operations. */
  readonly waitMs: number;
  readonly isLast: boolean;
}

/**
 * Returns a limit for the delay before a retry, in milliseconds: `start` after the first attempt, then twice as much
 * after each further attempt, up to `cap`.
 */
const doublingLimit = (start: number, attempt: number, cap: number): number =>
  Math.min(cap, start * 2 ** (attempt - 1));

export function decide(question: RetryQuestion): RetryDecision {
  const { failure, isRepeatable, attempts, got429, attemptLimit, elapsedMs, deadlineMs, random } = question;
  if (!failure.retry || (failure.outcome === "unknown" && !isRepeatable)) {
    return { waitMs: 0, isLast: true };
  }
  const isLimited = failure.cause === "rateLimited";
  const attempt = isLimited ? got429 : attempts;
  // Without `Retry-After`, wait a random amount of time, so that many clients don't retry at the same moment. The upper
  // limit for this wait doubles with each attempt.
  const requestedMs = failure.retryAfterMs ?? random * doublingLimit(1000, attempt, 16_000);
  // Wait at least as long as `Retry-After` asks, but never less than a minimum. Otherwise, we would send requests
  // nonstop to a platform that always asks for 0 seconds.
  const isToldToWait = isLimited || failure.retryAfterMs !== undefined;
  const waitMs = isToldToWait ? Math.max(requestedMs, doublingLimit(200, attempt, 8000)) : requestedMs;
  return { waitMs, isLast: attempts >= attemptLimit || elapsedMs + waitMs >= deadlineMs };
}
