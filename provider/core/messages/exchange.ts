import { isImport, type Mismatch } from "../change/verify";
import { type Code, remedyOf } from "../common/codes";
import { clean } from "../common/redact";
import type { Endpoint } from "../platform/endpoint";
import type { Cause, Failure } from "../platform/operations";
import { counted, type Message, say } from "./message";

// --- failed exchanges

/** The target of a request, and the source of its token. */
export interface RemedyContext extends Endpoint {
  readonly tokenSource: string;
  readonly workspaceId?: number | undefined;
}

export interface FailureContext extends RemedyContext {
  /** `NumberAssignment "+1555…"`. */
  readonly who: string;
  /** What was being done: create, update, delete. */
  readonly action: string;
  /** What is true now, in one sentence, or in lines. */
  readonly truth: string | readonly string[];
  /** What to do, if the cause alone does not say it. */
  readonly remedy?: string | undefined;
}

const REJECTED_CODES = {
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

/** The code of a failed PUT. The outcome of a request that is redirected is unknown, and there is more to do than to send it again. */
export const failureCode = (result: "rejected" | "unknown", { cause }: Failure): Code =>
  result === "rejected" || cause === "redirected" ? REJECTED_CODES[cause] : "AGP-040";

/** Refused, or never sent: the platform is as it was. */
export function rejected(failure: Failure, context: FailureContext): Message {
  if (isStopped(failure)) {
    const { who, action, truth } = context;
    return say(REJECTED_CODES[failure.cause], who, `${action} not sent: ${failure.detail}.`, ...[truth].flat());
  }
  const { remedy = remedyFor(failure, context) } = context;
  const verb = UNSENT.includes(failure.cause) ? "not sent" : "rejected";
  return failed(REJECTED_CODES[failure.cause], ` ${verb}:`, failure, { ...context, remedy });
}

/** The provider cannot know the outcome, so the message does not call it a failure. */
export function unknownOutcome(code: Code, failure: Failure, { remedy = "", ...context }: FailureContext): Message {
  const lines = [...[context.truth].flat(), remedy];
  const more = failure.cause === "redirected" ? remedyFor(failure, context) : "";
  return failed(code, ": outcome unknown;", failure, { ...context, truth: lines, remedy: more });
}

const failed = (code: Code, end: string, failure: Failure, { who, action, truth, remedy = "" }: FailureContext) =>
  say(code, who, `${action}${end} ${causeText(failure)}`, facts(failure), ...[truth].flat(), remedy);

/** A delete that was rejected, or whose outcome is unknown. `ifUnknown` has the words for an unknown outcome. */
export function deleteFailed(
  outcome: "rejected" | "unknown",
  failure: Failure,
  context: Omit<FailureContext, "action" | "truth">,
  ifUnknown: { readonly code: Code; readonly truth: string; readonly remedy: string },
): Message {
  const { code, truth, remedy } = ifUnknown;
  const details = { ...context, action: "delete" };
  return outcome === "rejected"
    ? rejected(failure, { ...details, truth: "The resource stays in the state." })
    : unknownOutcome(code, failure, { ...details, truth: `${truth} The resource stays in the state.`, remedy });
}

const UNSENT: readonly Cause[] = ["unreachable", "proxy", "tls"];

/** Was nothing sent, because the platform had rejected the token before? The message about that has the remedy. */
const isStopped = ({ cause, exchange }: Failure): boolean => exchange.attempts === 0 && cause === "unauthenticated";

export function causeText({ exchange, detail, platformMessage }: Failure): string {
  const words = platformMessage === undefined ? "" : `: "${platformMessage}"`;
  return exchange.status === undefined
    ? `${detail} (${exchange.operation})`
    : `the platform returned ${exchange.status} to ${exchange.operation}${words || (detail === "" ? "" : `: ${detail}`)}`;
}

function facts({ exchange }: Failure): string {
  const request = exchange.requestId === undefined ? "" : `, request id ${exchange.requestId}`;
  return `${counted(exchange.attempts, "attempt")} in ${seconds(exchange.elapsedMs)}${request}.`;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export function remedyFor(failure: Failure, { tokenSource, endpoint, workspaceId }: RemedyContext): string {
  const { cause, retryAfterSeconds } = failure;
  switch (isStopped(failure) ? undefined : cause) {
    case "unauthenticated":
      return `${endpoint} rejected the token from ${tokenSource}. Create a new one in the platform's profile settings, set it and rerun. refresh and destroy may use an older saved token: set AGENT_PLATFORM_ACCESS_TOKEN for those.`;
    case "forbidden":
      return `Check that the token is allowed to edit ${workspaceId === undefined ? "this workspace" : `workspace ${workspaceId}`}. The token is from ${tokenSource}.`;
    case "rateLimited":
      return retryAfterSeconds === undefined
        ? "Rerun later, or raise agent-platform:requestTimeout."
        : `Rerun in ${Math.ceil(retryAfterSeconds)} s.`;
    case "notFound":
    case "unreachable":
    case "proxy":
    case "tls":
      return remedyOf(REJECTED_CODES[cause], endpoint);
    case "redirected":
      return `Set agent-platform:baseUrl to the platform's own address (now ${endpoint}).`;
    default:
      return "Fix the problem reported above, then rerun.";
  }
}

// --- responses

/** A response is the platform's text: it must not control a terminal. */
const answeredText = ({ answered }: Mismatch): string => clean(answered, "");

export const mismatchText = (mismatch: Mismatch): string =>
  `${mismatch.field}: sent ${mismatch.asked}, the platform returned ${answeredText(mismatch)}`;

export function mismatched(who: string, mismatches: readonly Mismatch[], remedy: string): Message {
  const imports = mismatches.filter(isImport);
  const others = mismatches.filter((one) => !isImport(one));
  const importText = imports.map((mismatch) => `the platform reports an import error: ${answeredText(mismatch)}`);
  const otherText =
    others.length === 0 ? [] : [`the response differs from the request: ${others.map(mismatchText).join("; ")}`];
  return say("AGP-050", who, `${[...otherText, ...importText].join("; ")}.`, remedy);
}

/** Differences that fail no run. */
export const differsIn = (who: string, fields: readonly string[]): Message =>
  say("AGP-050", who, `the response differs from the request in ${fields.join(", ")}. It counts as applied.`);

export const DIFFERENT_REMEDY = "If this difference is expected, set agent-platform:onMismatch to warn.";

export const MISMATCH_REMEDY = `Saved with what the platform returned; the next \`pulumi up\` sends it again. ${DIFFERENT_REMEDY}`;

export const unverified = (who: string): Message =>
  say("AGP-053", who, "applied but not verified: the response lists no agents (shown once per run).");

export const answerIssues = (who: string, paths: readonly string[]): Message =>
  say(
    "AGP-053",
    who,
    `fields of the response were ignored, because they do not have the documented type: ${paths.slice(0, 5).join(", ")}.`,
  );
