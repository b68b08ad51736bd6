import { NAMESPACE } from "../config/keys";
import { type Settings, TOKEN_SOURCES } from "../config/settings";
import { type Code, remedyOf } from "../words/codes";
import { counted } from "../words/message";

/** How an exchange with the platform ends: first the data, then the words. */

/** What is known of an exchange with the platform, fit to be shown: it never holds a header, a body or the token. */
export interface Exchange {
  /** Method and path template, such as `PUT /api/numbers/{number}/agent`. */
  readonly operation: string;
  /** HTTP status of the last response; undefined if none came. */
  readonly status?: number | undefined;
  /** The platform's id of the request, if its response has one: for the platform's support. */
  readonly requestId?: string | undefined;
  readonly attempts: number;
  /** How long all attempts took, in milliseconds. */
  readonly elapsedMs: number;
}

/** Why an exchange was not applied, or is not known to be. Resources branch on this, never on text. */
export type Cause =
  | "refused" /* the platform returned a status that says no, or success: false */
  | "unauthenticated" /* 401 */
  | "forbidden" /* 403 */
  | "notFound" /* 404 */
  | "rateLimited" /* 429 */
  | "redirected" /* 3xx: never followed */
  | "unreachable" /* no connection was opened: nothing was sent */
  | "proxy" /* the proxy opened no connection to the platform: nothing was sent */
  | "tls" /* the connection is not to be trusted: nothing was sent */
  | "serverError" /* 5xx */
  | "noResponse" /* sent, and then silence, a reset or a cut response */
  | "unusable"; /* a response that the interface does not describe: not JSON, too large, without an id */

/** What the response says about the remedy, beyond what the remedy of the code says. */
export interface Hint {
  readonly why:
    | "elsewhere" /* a redirect to another address */
    | "inTheWay" /* a page, or a 404, that is not the platform's own */
    | ("clearing" | "clearingAlone") /* a request was refused that clears a field, or that does nothing else */;
  /** Where a redirect leads. */
  readonly address?: string | undefined;
}

/** Why one attempt, or a whole exchange, was not applied. causeText and remedyFor put it into words. */
export interface Failure {
  /** `not sent`: the platform has seen nothing of it. `unknown`: it may have been carried out. */
  readonly outcome: "not sent" | "rejected" | "unknown";
  readonly cause: Cause;
  /** What happened below HTTP or in the response, in our words: `no connection to 127.0.0.1:8080 (ECONNREFUSED)`. */
  readonly detail: string;
  /** An earlier attempt that may have been carried out, if the last one was refused. */
  readonly doubt?: string | undefined;
  /** The platform's own words: cleaned of control characters, cut, and without the token. */
  readonly platformMessage?: string | undefined;
  /**
   * Was it the platform's own JSON error? Only then does a 404 to the clearing of a number mean that the number does
   * not exist.
   */
  readonly isPlatformError: boolean;
  readonly hint?: Hint | undefined;
  /** May another attempt end otherwise? */
  readonly retry: boolean;
  /** When the platform wants to be asked again. */
  readonly retryAfterMs?: number | undefined;
  readonly exchange: Exchange;
}

/** `response` is undefined if a 2xx had no body. */
export type Outcome<Response> =
  | { readonly response: Response | undefined; readonly status: number; readonly failure?: undefined }
  | { readonly failure: Failure };

// --- the words

/** The platform that gets the requests, and the source of their token. */
export type PlatformAccess = Pick<Settings, "endpoint" | "tokenSource">;

const CODES_OF_CAUSES = {
  refused: "AGP-030",
  unauthenticated: "AGP-031",
  forbidden: "AGP-032",
  notFound: "AGP-033",
  rateLimited: "AGP-034",
  unreachable: "AGP-035",
  tls: "AGP-036",
  proxy: "AGP-038",
  redirected: "AGP-037",
  serverError: "AGP-030",
  noResponse: "AGP-035",
  unusable: "AGP-030",
} as const satisfies Record<Cause, Code>;

/**
 * The code of a request. The outcome of one that is redirected is unknown, and there is more to do than to send it
 * again.
 */
export function failureCode({ outcome, cause, hint }: Failure): Code {
  if (hint?.why === "clearingAlone") {
    return "AGP-052";
  }
  return outcome !== "unknown" || cause === "redirected" ? CODES_OF_CAUSES[cause] : "AGP-040";
}

export function remedyFor(code: Code, failure: Failure | undefined, { tokenSource, endpoint }: PlatformAccess): string {
  // A platform that always says 0 names no time.
  if (code === "AGP-034" && failure?.retryAfterMs) {
    return `Rerun in ${Math.ceil(failure.retryAfterMs / 1000)} s.`;
  }
  const { why, address } = failure?.hint ?? {};
  if (why === "elsewhere") {
    return `If ${address} is the platform's own address, set ${NAMESPACE}:baseUrl to it. The token is then sent to that address. If you are not sure, ask the platform's vendor.`;
  }
  if (why === "clearing" && code === "AGP-030") {
    return `If the platform refuses the way a field is cleared, set ${NAMESPACE}:clearWith to \`null\`, \`empty\` or \`omit\`. Otherwise correct the arguments.`;
  }
  // After a rotation in the stack's config, a new token there would change nothing.
  if (code === "AGP-031" && tokenSource === "state") {
    return "A destroy uses the token in the saved state. Set AGENT_PLATFORM_ACCESS_TOKEN to a new one and rerun.";
  }
  const token = code === "AGP-031" || code === "AGP-032" ? ` The token comes from ${TOKEN_SOURCES[tokenSource]}.` : "";
  const others =
    why === "inTheWay"
      ? ` If the response did not come from the platform itself, check the base URL (${endpoint}) and anything in between, such as a firewall, a gateway or a sign-in page.`
      : "";
  return `${remedyOf(code, endpoint)}${token}${others}`;
}

export function causeText({ exchange, cause: why, detail, doubt, platformMessage }: Failure): string {
  const quoted = platformMessage === undefined ? detail : `"${platformMessage}"`;
  // A 2xx that cannot be used lacks something, and its words do not say what.
  const words = why === "unusable" && platformMessage !== undefined ? `${detail} (${quoted})` : quoted;
  const cause =
    exchange.status === undefined
      ? `${detail} (${exchange.operation})`
      : `the platform returned ${exchange.status} to ${exchange.operation}: ${words}`;
  return doubt === undefined ? cause : `${cause}; an earlier attempt may have been carried out (${doubt})`;
}

/** What the platform's support asks for. */
export function attemptsText({ exchange }: Failure): string {
  const request = exchange.requestId === undefined ? "" : `, request id ${exchange.requestId}`;
  return `${counted(exchange.attempts, "attempt")} in ${(exchange.elapsedMs / 1000).toFixed(1)} s${request}.`;
}
