import type { IncomingHttpHeaders } from "node:http";
import { type Answer, type Ask, type Decision, demand, errorAnswer, isObject, Refusal, statusOf } from "./decision";
import type { Profile } from "./profile";
import { uuidFrom } from "./random";
import { decideOn, type Route } from "./route";
import { type Account, createAccount } from "./store";

/** The clock of the platform; tests may own it. */
export interface Clock {
  /** The time of day, for dates in responses. */
  now(): Date;
  /** Milliseconds that only ever grow, for the rate limit. */
  monotonic(): number;
}

/** Which account a token opens. Tokens with the same `accountSid` open the same account. */
export interface TokenAccount {
  readonly accountSid?: string;
  readonly workspaceId?: number;
}

/** One request as the platform sees it. */
export interface Incoming {
  readonly route: Route;
  readonly token: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: string;
  /** The parsed body; undefined if there is none or it is not JSON. */
  readonly body: unknown;
  readonly bytes: number;
}

/** A body has a largest size and depth: a function that walks or prints a deeper one would run out of stack. */
export const MAX_BODY_BYTES = 8 * 2 ** 20;
const MAX_BODY_DEPTH = 64;

export interface Platform {
  readonly accounts: ReadonlyMap<string, Account>;
  profile: Profile;
  addToken(token: string, owner?: TokenAccount): Account;
  revokeToken(token: string): void;
  accountOf(token: string): Account | undefined;
  /** Counts the request against limits and expiry, once; returns the refusal, or how to decide it as often as wanted. */
  admit(incoming: Incoming): () => Decision;
}

export interface PlatformOptions {
  readonly profile: Profile;
  readonly seed: number;
  readonly clock: Clock;
  readonly accountSid: string;
  readonly workspaceId: number;
}

export function createPlatform(options: PlatformOptions): Platform {
  const { seed, clock } = options;
  const accounts = new Map<string, Account>();
  const tokens = new Map<string, { readonly account: Account; uses: number }>();
  const rateLimit = createRateLimit(() => clock.monotonic());

  function gate(incoming: Incoming): Account | Decision {
    const { profile } = platform;
    const refuse = (status: number, message: string, headers?: Answer["headers"]): Decision => ({
      answer: errorAnswer(status, message, errorForm(incoming.route, profile), headers),
    });
    if (profile.rateLimit > 0 && !rateLimit(profile.rateLimit)) {
      return refuse(429, "too many requests", retryAfter(profile, clock));
    }
    const known = incoming.token === undefined ? undefined : tokens.get(incoming.token);
    if (known === undefined) {
      return refuse(401, "the access token is not valid");
    }
    known.uses += 1;
    if (profile.tokenExpiresAfter > 0 && known.uses > profile.tokenExpiresAfter) {
      return refuse(401, "the access token has expired");
    }
    const sizeLimit = profile.sizeLimit > 0 ? Math.min(profile.sizeLimit, MAX_BODY_BYTES) : MAX_BODY_BYTES;
    if (incoming.bytes > sizeLimit) {
      return refuse(413, `the body is larger than ${sizeLimit} bytes`);
    }
    return known.account;
  }

  const platform: Platform = {
    accounts,
    profile: options.profile,
    addToken(token, owner = {}) {
      const accountSid =
        owner.accountSid ?? (accounts.size === 0 ? options.accountSid : uuidFrom(seed, `account ${token}`));
      const account = accounts.get(accountSid) ?? createAccount(accountSid, owner.workspaceId ?? options.workspaceId);
      accounts.set(accountSid, account);
      tokens.set(token, { account, uses: 0 });
      return account;
    },
    revokeToken: (token) => void tokens.delete(token),
    accountOf: (token) => tokens.get(token)?.account,
    admit(incoming) {
      const gated = gate(incoming);
      if ("answer" in gated) {
        return () => gated;
      }
      return () => outcomeOf(incoming, platform.profile, { account: gated, seed, now: () => clock.now() });
    },
  };
  return platform;
}

function errorForm(route: Route, profile: Profile): Profile["errorBody"] {
  return route.operation === "assignNumber" ? profile.putErrorBody : profile.errorBody;
}

function retryAfter({ retryAfter: form }: Profile, clock: Clock): Answer["headers"] {
  if (form === "absent") {
    return {};
  }
  return { "Retry-After": form === "seconds" ? "1" : new Date(clock.now().getTime() + 1000).toUTCString() };
}

type Asker = Pick<Ask, "account" | "seed" | "now">;

function outcomeOf(incoming: Incoming, profile: Profile, asker: Asker): Decision {
  const decision = decisionOf(incoming, profile, asker);
  const { answer } = decision;
  const isPlain = profile.extraFields === "none" || answer.body === undefined;
  return isPlain ? decision : { ...decision, answer: { ...answer, body: withExtras(answer.body) } };
}

function decisionOf(incoming: Incoming, profile: Profile, asker: Asker): Decision {
  try {
    return decide(incoming, profile, asker);
  } catch (error) {
    if (error instanceof Refusal) {
      return { answer: refusedAnswer(error, incoming.route, profile) };
    }
    throw error;
  }
}

function decide(incoming: Incoming, profile: Profile, asker: Asker): Decision {
  const { route, headers } = incoming;
  if (route.refusal !== undefined) {
    throw route.refusal;
  }
  demandReadable(incoming);
  const ask: Ask = { ...asker, profile, headers, body: isObject(incoming.body) ? incoming.body : {} };
  return decideOn(route, ask);
}

function demandReadable({ rawBody, body, headers }: Incoming): void {
  if (rawBody === "") {
    return;
  }
  const [type = ""] = (headers["content-type"] ?? "").split(";", 1);
  demand(type.trim().toLowerCase() === "application/json", 415, "the body must be application/json");
  const expected = "the body must be a JSON object";
  demand(isObject(body), 400, expected);
  demand(isWithin(body, MAX_BODY_DEPTH), 400, `${expected}, nested at most ${MAX_BODY_DEPTH} levels deep`);
}

/** It goes level by level, because a recursive function would run out of stack. */
function isWithin(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= levels && level.length > 0; depth += 1) {
    level = level.flatMap((inner) => (typeof inner === "object" && inner !== null ? Object.values(inner) : []));
  }
  return level.length === 0;
}

/** A PUT that is refused answers as assumptions 5 and 6 say; a POST as 29 does. */
function refusedAnswer(refusal: Refusal, route: Route, profile: Profile): Answer {
  const put = route.operation === "assignNumber";
  if (put && profile.success.startsWith("false")) {
    return {
      status: profile.putStatus === 204 ? 200 : profile.putStatus,
      body: { success: false, message: refusal.message },
    };
  }
  return errorAnswer(statusOf(refusal, profile), refusal.message, errorForm(route, profile));
}

/** Assumption 34: names that no interface would give, among them the ones that must not reach a prototype. */
function withExtras(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withExtras);
  }
  if (!isObject(value)) {
    return value;
  }
  const fields = Object.entries(value).map(([name, inner]): [string, unknown] => [name, withExtras(inner)]);
  // fromEntries makes `__proto__` an ordinary field, which is what a foreign JSON text would hold.
  return Object.fromEntries([...fields, ["x_extra", { nested: [1, null, "text"] }], ["__proto__", { polluted: true }]]);
}

/** A token bucket over a clock that only goes forward, in milliseconds: takes one of `perSecond`, or says that none is left. */
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
