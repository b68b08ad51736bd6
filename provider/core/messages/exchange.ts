import type { Code } from "../codes";
import type { Cause, Failure } from "../operations";
import { clean } from "../redact";
import type { Mismatch } from "../verify";
import { counted, type Message, say } from "./message";

// --- failed exchanges

export interface FailureContext {
  /** `NumberAssignment "+1555…"`. */
  readonly who: string;
  /** What was being done: create, update, delete. */
  readonly action: string;
  /** What is true now, in one sentence, or in lines. */
  readonly truth: string | readonly string[];
  /** What to do, where the cause alone does not say it. */
  readonly remedy?: string | undefined;
  readonly tokenSource: string;
  readonly endpoint: string;
  readonly workspaceId?: number | undefined;
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
  stopped: "AGP-031",
} as const satisfies Record<Cause, Code>;

/** Refused, or never sent: the platform is as it was. */
export function rejected(failure: Failure, context: FailureContext): Message {
  const { who, action, truth } = context;
  const verb = isUnsent(failure.cause) ? "not sent" : "rejected";
  return say(
    REJECTED_CODES[failure.cause],
    who,
    `${action} ${verb}: ${causeText(failure)}`,
    facts(failure),
    ...[truth].flat(),
    context.remedy ?? remedyFor(failure, context),
  );
}

/** Nobody can know from here: never worded as a failure. */
export function unknownOutcome(code: Code, failure: Failure, context: FailureContext): Message {
  const { who, action, truth, remedy } = context;
  return say(
    code,
    who,
    `${action} UNKNOWN OUTCOME: ${causeText(failure)}`,
    facts(failure),
    ...[truth].flat(),
    remedy ?? "",
  );
}

const isUnsent = (cause: Cause): boolean =>
  cause === "unreachable" || cause === "proxy" || cause === "tls" || cause === "stopped";

export function causeText({ exchange, detail, platformMessage }: Failure): string {
  const words = platformMessage === undefined ? "" : `: "${platformMessage}"`;
  return exchange.status === undefined
    ? `${detail} (${exchange.operation})`
    : `the platform answered ${exchange.status} to ${exchange.operation}${words || (detail === "" ? "" : `: ${detail}`)}`;
}

function facts({ exchange }: Failure): string {
  const request = exchange.requestId === undefined ? "" : `, request id ${exchange.requestId}`;
  return `${counted(exchange.attempts, "attempt")} in ${seconds(exchange.elapsedMs)}${request}.`;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export function remedyFor(
  { cause, retryAfterSeconds }: Failure,
  { tokenSource, endpoint, workspaceId }: FailureContext,
): string {
  switch (cause) {
    case "unauthenticated":
      return (
        `The token is from ${tokenSource}, for ${endpoint}. Make a new token (profile settings of the platform), set it, and run again. ` +
        "For refresh and destroy set AGENT_PLATFORM_ACCESS_TOKEN: the token saved in the stack may be older."
      );
    case "forbidden":
      return `Check that the token may edit ${workspaceId === undefined ? "this workspace" : `workspace ${workspaceId}`}. The token is from ${tokenSource}.`;
    case "notFound":
      return `Check the number or id, the workspace and the base URL (${endpoint}).`;
    case "rateLimited":
      return retryAfterSeconds === undefined
        ? "Run again later, or lower agent-platform:concurrency."
        : `Run again in ${Math.ceil(retryAfterSeconds)} s.`;
    case "unreachable":
      return `Check the base URL (${endpoint}) and the network, and run again.`;
    case "proxy":
      return "Check the proxy that HTTPS_PROXY names, with its user name and password. To reach the platform directly, add its host to NO_PROXY.";
    case "tls":
      return "Check the platform's certificate. A certificate authority of your own goes into NODE_EXTRA_CA_CERTS.";
    case "redirected":
      return `Set agent-platform:baseUrl to where the platform answers itself (now ${endpoint}).`;
    default:
      return "Mend what the platform objects to, and run again.";
  }
}

// --- answers

/** What the answer holds is the platform's text: it must not drive a terminal. */
const answeredText = ({ answered }: Mismatch): string => clean(answered, "");

export const mismatchText = (mismatch: Mismatch): string =>
  `${mismatch.field}: asked for ${mismatch.asked}, answered ${answeredText(mismatch)}`;

/** A value that the program keeps secret is not printed, be it asked for or shown. */
export const withoutSecrets = (mismatches: readonly Mismatch[], secretArguments: readonly string[] = []): Mismatch[] =>
  mismatches.map((one) =>
    secretArguments.includes(one.field) ? { ...one, asked: "a secret value", answered: "another value" } : one,
  );

export function mismatched(who: string, mismatches: readonly Mismatch[], remedy: string): Message {
  const imports = mismatches.filter(({ field }) => field === "platformImportError");
  const others = mismatches.filter(({ field }) => field !== "platformImportError");
  const importText = imports.map((mismatch) => `the platform reports an import error: ${answeredText(mismatch)}`);
  const otherText = others.length === 0 ? [] : [`accepted but different: ${others.map(mismatchText).join("; ")}`];
  return say(others.length === 0 ? "AGP-051" : "AGP-050", who, `${[...otherText, ...importText].join("; ")}.`, remedy);
}

export const WARNED_ONLY = "A warning only: agent-platform:onMismatch decides.";

export const MISMATCH_REMEDY =
  "Saved with what the platform shows; the next `pulumi up` sends it again. If the platform is right to answer so, set agent-platform:onMismatch to warn.";

export const stillBound = (who: string, mismatches: readonly Mismatch[], tried: readonly string[]): Message =>
  say(
    "AGP-052",
    who,
    `still bound after clearing with ${tried.join(", ")}: ${mismatches.map(mismatchText).join("; ")}.`,
    "The resource stays in the state. Clear it in the platform's web application, or set agent-platform:clearWith to what the platform takes.",
  );

export const unverified = (who: string): Message =>
  say("AGP-053", who, `applied, unverified: the platform's answer shows no bindings. Said once a run.`);

export const answerIssues = (who: string, paths: readonly string[]): Message =>
  say(
    "AGP-054",
    who,
    `ignored in the platform's answer, because of another type than the interface says: ${paths.slice(0, 5).join(", ")}.`,
  );
