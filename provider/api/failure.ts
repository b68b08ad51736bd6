import { NAMESPACE } from "../config/keys";
import { type Settings, TOKEN_SOURCES } from "../config/settings";
import { CODES, type Code, type CodeText, fixOf, RERUN } from "../words/codes";

/** Describes how an exchange with the platform ended, as data and as messages. */

/** The facts about an exchange with the platform that are safe to print: never headers, a body or the token. */
export interface Exchange {
  /** Method and path template, such as `PUT /api/numbers/{number}/agent`. */
  readonly operation: string;
  /** HTTP status of the last response. Undefined if there was none. */
  readonly status?: number | undefined;
  /**
   * The ID that the platform gave the request, if its response has one. The platform's support will ask for this ID.
   */
  readonly requestId?: string | undefined;
  readonly attempts: number;
  /** Total time for all attempts, in milliseconds. */
  readonly elapsedMs: number;
}

/**
 * The reason why an exchange failed or its outcome is unknown. Code that depends on the reason checks this value and
 * never the text of a message.
 */
export type Cause =
  | "refused" /* the platform returned an error status, or success: false */
  | "unauthenticated" /* 401 */
  | "forbidden" /* 403 */
  | "notFound" /* 404 */
  | "rateLimited" /* 429 */
  | "redirected" /* 3xx: never followed */
  | "unreachable" /* no connection, so nothing was sent */
  | "proxy" /* the proxy did not connect to the platform, so nothing was sent */
  | "tls" /* the connection can't be trusted, so nothing was sent */
  | "serverError" /* 5xx */
  | "noResponse" /* the request was sent, but no response came, or only part of one, or a 408 */
  | "unusable"; /* a response that the interface does not describe: not JSON, too large, without an ID */

/** A detail of the request or response that calls for a more specific remedy than the error code's default one. */
export interface Hint {
  readonly why:
    | "elsewhere" /* a redirect to another address */
    | "inTheWay" /* a page or a 404 that probably didn't come from the platform */
    | ("clearing" | "clearingAlone") /* the refused request clears a field, with other changes or alone */;
  /** Where a redirect leads. */
  readonly address?: string | undefined;
}

/** Why an attempt failed, or why all attempts did. `causeText` and `remedyFor` turn a failure into messages. */
export interface Failure {
  /**
   * `not sent`: nothing reached the platform. `rejected`: the platform refused the request, so nothing changed.
   * `unknown`: the platform may have carried out the request.
   */
  readonly outcome: "not sent" | "rejected" | "unknown";
  readonly cause: Cause;
  /** Describes the failure in this package's words, such as `could not connect to 127.0.0.1:8080 (ECONNREFUSED)`. */
  readonly detail: string;
  /**
   * Describes an earlier attempt that the platform may have carried out. Set only if the last attempt was rejected or
   * not sent.
   */
  readonly doubt?: string | undefined;
  /** The platform's own message: truncated, with control characters escaped and secrets withheld. */
  readonly platformMessage?: string | undefined;
  /** Whether the response is the platform's own JSON error. Only such a 404 proves that a number doesn't exist. */
  readonly isPlatformError?: boolean;
  readonly hint?: Hint | undefined;
  /** Whether another attempt might succeed. */
  readonly retry: boolean;
  /** How long the platform asks us to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly exchange: Exchange;
}

/**
 * An exchange that succeeded. `response` is undefined if the 2xx response had no body, or if the operation ignores the
 * body.
 */
export interface Success<Response> {
  readonly response: Response | undefined;
  readonly status: number;
  readonly failure?: undefined;
}

/** How an exchange with the platform ended. */
export type Outcome<Response> = Success<Response> | { readonly failure: Failure };

// --- messages

/** The settings that a remedy may mention: the platform's address, and where the access token comes from. */
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

export function failureCode({ outcome, cause, hint }: Failure): Code {
  if (hint?.why === "clearingAlone") {
    return "AGP-052";
  }
  // AGP-040 advises a rerun. A redirect keeps its own code, because a rerun would only be redirected again.
  return outcome !== "unknown" || cause === "redirected" ? CODES_OF_CAUSES[cause] : "AGP-040";
}

/** Returns how to fix the cause of a failed request, and which command to rerun afterwards. */
export function remedyFor(code: Code, failure: Failure, access: PlatformAccess): string {
  const fix = fixFor(code, failure, access);
  const { isRerun }: CodeText = CODES[code];
  // If the platform redirects to another address, a rerun doesn't help.
  return isRerun && failure.hint?.why !== "elsewhere" ? `${fix} ${RERUN}` : fix;
}

/** Returns how to fix the cause of a failed request. */
export function fixFor(code: Code, failure: Failure, { tokenSource, endpoint }: PlatformAccess): string {
  // Don't advise a wait of 0 seconds.
  if (code === "AGP-034" && failure.retryAfterMs) {
    return `The platform asks for a pause of ${Math.ceil(failure.retryAfterMs / 1000)} s.`;
  }
  const { why, address } = failure.hint ?? {};
  if (why === "elsewhere") {
    return `If ${address} is the platform's own address, set ${NAMESPACE}:baseUrl to it. From then on, the token and the routing of every number are sent there. Existing voices and chats stay with the old address. A destroy uses the base URL of the last \`pulumi up\`. If you are not sure, ask the platform's vendor.`;
  }
  if (why === "clearing" && code === "AGP-030") {
    return `This request also clears a field. If the platform rejects the value that clears the field, set ${NAMESPACE}:clearWith to another value (\`null\`, \`empty\` or \`omit\`). Otherwise, correct the arguments.`;
  }
  // A destroy reads the token from the saved state, so changing it in the stack's config would have no effect.
  if (code === "AGP-031" && tokenSource === "state") {
    return `A destroy uses the token in the saved state. To use another token, set AGENT_PLATFORM_ACCESS_TOKEN to a new one.`;
  }
  const token =
    code === "AGP-031" || code === "AGP-032" ? ` The token was read from ${TOKEN_SOURCES[tokenSource]}.` : "";
  const baseUrl = `the base URL (${endpoint})`;
  const sourceHint =
    why === "inTheWay"
      ? ` The response may not have come from the platform itself, so also check ${baseUrl} and anything between this machine and the platform, such as a firewall, a gateway or a sign-in page.`
      : "";
  return `${fixOf(code, baseUrl)}${token}${sourceHint}`;
}

export function causeText({ exchange, cause: why, detail, doubt, platformMessage }: Failure): string {
  const quoted = platformMessage === undefined ? detail : `"${platformMessage}"`;
  // If a 2xx response lacks a required value, the platform's message alone doesn't explain the failure, so add our
  // explanation.
  const reason = why === "unusable" && platformMessage !== undefined ? `${detail} (${quoted})` : quoted;
  const cause =
    exchange.status === undefined
      ? `${detail} (${exchange.operation})`
      : `the platform returned ${exchange.status} for ${exchange.operation}: ${reason}`;
  return doubt === undefined ? cause : `${cause}; an earlier attempt may have been carried out (${doubt})`;
}

/**
 * Returns a line such as `Tried 3 times in 4.2 s (request id 7f3a).` The platform's support will ask for the request
 * ID.
 */
export function attemptsText({ exchange }: Failure): string {
  const request = exchange.requestId === undefined ? "" : ` (request id ${exchange.requestId})`;
  const times = exchange.attempts === 1 ? "once" : `${exchange.attempts.toLocaleString("en")} times`;
  return `Tried ${times} in ${(exchange.elapsedMs / 1000).toFixed(1)} s${request}.`;
}
