import { isImport, type Mismatch } from "../change/verify";
import { type Code, remedyOf } from "../common/codes";
import { clean } from "../common/redact";
import type { Endpoint } from "../platform/endpoint";
import type { Cause, Failure } from "../platform/operations";
import { counted, type Message, say } from "./message";

// --- failed exchanges

/** The platform that gets the requests, and the source of their token. */
export interface Target extends Endpoint {
  readonly tokenSource: string;
}

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
  noAnswer: "AGP-035",
  unusable: "AGP-030",
} as const satisfies Record<Cause, Code>;

/** The code of a PUT. The outcome of one that is redirected is unknown, and there is more to do than to send it again. */
export const failureCode = (result: "rejected" | "unknown", { cause }: Failure): Code =>
  result === "rejected" || cause === "redirected" ? CODES_OF_CAUSES[cause] : "AGP-040";

/** What to do about a failed exchange. */
export function remedyFor(code: Code, failure: Failure | undefined, { tokenSource, endpoint }: Target): string {
  if (code === "AGP-034" && failure?.retryAfterSeconds !== undefined) {
    return `Rerun in ${Math.ceil(failure.retryAfterSeconds)} s.`;
  }
  const token = code === "AGP-031" || code === "AGP-032" ? ` The token is from ${tokenSource}.` : "";
  return `${remedyOf(code, endpoint)}${token}`;
}

/** A POST that did not end well. */
interface FailedPost {
  readonly who: string;
  readonly action: "create" | "delete";
  /** The code of an unknown outcome. The message does not call it a failure. */
  readonly ifUnknown: Code;
}

/** @param truth what is true now, and what to do if the outcome is unknown */
export function failedPost(
  { outcome, failure }: { readonly outcome: "rejected" | "unknown"; readonly failure: Failure },
  { who, action, ifUnknown }: FailedPost,
  target: Target,
  ...truth: readonly string[]
): Message {
  const code = CODES_OF_CAUSES[failure.cause];
  const isUnsent = UNSENT.includes(failure.cause) || failure.exchange.attempts === 0;
  const rejected = isUnsent ? " not sent:" : " rejected:";
  const what = `${action}${outcome === "rejected" ? rejected : ": outcome unknown;"} ${causeText(failure)}`;
  // The address that the platform redirects from is wrong, whatever became of the request.
  const remedy = outcome === "rejected" || code === "AGP-037" ? remedyFor(code, failure, target) : "";
  return say(outcome === "rejected" ? code : ifUnknown, who, what, facts(failure), ...truth, remedy);
}

const UNSENT: readonly Cause[] = ["unreachable", "proxy", "tls"];

export function causeText({ exchange, detail, platformMessage }: Failure): string {
  const words = platformMessage === undefined ? "" : `: "${platformMessage}"`;
  return exchange.status === undefined
    ? `${detail} (${exchange.operation})`
    : `the platform returned ${exchange.status} to ${exchange.operation}${words || (detail === "" ? "" : `: ${detail}`)}`;
}

export function facts({ exchange }: Failure): string {
  if (exchange.attempts === 0) {
    return "";
  }
  const request = exchange.requestId === undefined ? "" : `, request id ${exchange.requestId}`;
  return `${counted(exchange.attempts, "attempt")} in ${(exchange.elapsedMs / 1000).toFixed(1)} s${request}.`;
}

// --- responses

/** A response is the platform's text: it must not control a terminal. */
export function mismatchText(mismatch: Mismatch): string {
  const answered = clean(mismatch.answered, "");
  return isImport(mismatch)
    ? `the platform reports an import error: ${answered}`
    : `${mismatch.field}: sent ${mismatch.asked}, the platform returned ${answered}`;
}

/** Differences that fail no run. */
export const differsIn = (who: string, fields: readonly string[]): Message =>
  say("AGP-050", who, `the response differs from the request in ${fields.join(", ")}. It counts as applied.`);

export const unverified = (who: string): Message =>
  say("AGP-053", who, "applied but not verified: the response lists no agents (shown once per run).");

export const answerIssues = (who: string, paths: readonly string[]): Message =>
  say(
    "AGP-053",
    who,
    `fields of the response were ignored, because they do not have the documented type: ${paths.slice(0, 5).join(", ")}.`,
  );
