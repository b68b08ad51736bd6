import type { IncomingHttpHeaders } from "node:http";
import {
  type ApiRequest,
  type Decision,
  demand,
  errorResponse,
  isObject,
  type PlatformResponse,
  Refusal,
} from "./decision";
import type { Profile } from "./profile";
import { decideOn, type Route } from "./route";
import { createAccount } from "./store";

/** The platform's clock. Tests may supply their own. */
export interface Clock {
  /** The current time, for dates in responses. */
  now(): Date;
  /** A monotonic clock in milliseconds, for the rate limit. */
  monotonic(): number;
}

/** A request as the platform receives it. */
export interface Incoming {
  readonly route: Route;
  readonly token: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: string;
  /** The parsed body. Undefined if there is none or it isn't JSON. */
  readonly body: unknown;
}

export type Platform = ReturnType<typeof createPlatform>;

export interface PlatformOptions {
  readonly profile: Profile;
  readonly seed: number;
  readonly clock: Clock;
  readonly token: string;
  readonly accountSid: string;
  readonly workspaceId: number;
}

export function createPlatform({ profile, seed, clock, token, accountSid, workspaceId }: PlatformOptions) {
  const account = createAccount(accountSid, workspaceId);
  const rateLimit = createRateLimit(() => clock.monotonic());

  function refusalOf(incoming: Incoming): PlatformResponse | undefined {
    const { rateLimit: perSecond, retryAfter } = platform.profile;
    if (perSecond > 0 && !rateLimit(perSecond)) {
      return errorResponse(429, "too many requests", retryAfter === "seconds" ? { "Retry-After": "1" } : {});
    }
    return incoming.token === platform.token ? undefined : errorResponse(401, "the access token is not valid");
  }

  const platform = {
    account,
    /** The access token that requests must have. `setToken` changes it. */
    token,
    profile,
    /** Counts the request against the rate limit, checks its token, and decides how to respond. */
    decide(incoming: Incoming): Decision {
      const response = refusalOf(incoming);
      return response === undefined
        ? decisionOf(incoming, platform.profile, { account, seed, now: () => clock.now() })
        : { response };
    },
  };
  return platform;
}

type RequestContext = Pick<ApiRequest, "account" | "seed" | "now">;

function decisionOf(incoming: Incoming, profile: Profile, context: RequestContext): Decision {
  try {
    const { route, body } = incoming;
    if (route.refusal !== undefined) {
      throw route.refusal;
    }
    demandReadable(incoming);
    return decideOn(route, { ...context, profile, body: isObject(body) ? body : {} });
  } catch (error) {
    if (error instanceof Refusal) {
      return { response: refusedResponse(error, incoming.route, profile) };
    }
    throw error;
  }
}

function demandReadable({ rawBody, body, headers }: Incoming): void {
  if (rawBody === "") {
    return;
  }
  const [type = ""] = (headers["content-type"] ?? "").split(";", 1);
  demand(type.trim().toLowerCase() === "application/json", 415, "the body must be application/json");
  demand(isObject(body), 400, "the body must be a JSON object");
}

/**
 * Returns the response to a refused request. If the profile contains `success: "false"`, a refused PUT gets the status
 * 200.
 */
function refusedResponse({ status, message }: Refusal, { operation }: Route, { success }: Profile): PlatformResponse {
  return operation === "assignNumber" && success === "false"
    ? { status: 200, body: { success: false, message } }
    : errorResponse(status, message);
}

/**
 * Creates a token bucket. The returned function takes one token, or returns false if none is left. `perSecond` is both
 * the bucket's capacity and its refill rate.
 * @param now a monotonic clock in milliseconds
 */
function createRateLimit(now: () => number): (perSecond: number) => boolean {
  let left: number | undefined;
  let since = now();
  return (perSecond) => {
    const at = now();
    left = Math.min(perSecond, (left ?? perSecond) + ((at - since) * perSecond) / 1000);
    since = at;
    if (left < 1) {
      return false;
    }
    left -= 1;
    return true;
  };
}
