import type { Advice, Cause, Failure } from "../api/operations";
import { clean } from "../common/redact";
import { NAMESPACE, type Settings, TOKEN_SOURCES } from "../config/settings";
import type { UnappliedReason } from "../numbers/state";
import { isImport, type Mismatch, type Unproven, type Verdict } from "../numbers/verify";
import { type Code, remedyOf } from "./codes";
import { counted, inBrackets, labelOfUrn, type Message, messageOf, shortList } from "./message";

// --- failed exchanges

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

export const STAYS = "The resource stays in the state.";

/** The code of a PUT. The outcome of one that is redirected is unknown, and there is more to do than to send it again. */
export const failureCode = (reason: "rejected" | "unknown" | "not sent", { cause }: Failure): Code =>
  reason !== "unknown" || cause === "redirected" ? CODES_OF_CAUSES[cause] : "AGP-040";

/** What to do, if the response or the connection says it. @param address where a redirect leads; else the base URL that is set */
const ADVICE: Readonly<Record<Advice["why"], (address: string) => string>> = {
  elsewhere: (address) =>
    `If ${address} is the platform's own address, set ${NAMESPACE}:baseUrl to it: the token is sent there. If you do not know that, ask the platform's vendor.`,
  inTheWay: (address) =>
    `Check the path of the base URL (${address}), and what is between: a gateway, a cache, a sign-in. Let requests to the API through.`,
  proxyCredentials: () =>
    "Write the user name and the password of the proxy into HTTPS_PROXY: `http://user:password@host:port`.",
  page: (address) =>
    `A page came instead of a response of the API. Check the base URL (${address}), and what is between: a firewall, a gateway, a sign-in.`,
  notThePlatform: (address) =>
    `If the response is not the platform's own, check the base URL (${address}). Else check the number or id, and the workspace.`,
  clearing: () =>
    `If the platform refuses how a field is cleared, set ${NAMESPACE}:clearWith to \`null\`, \`empty\` or \`omit\`. Else correct the arguments.`,
  noReason: () =>
    "The platform gives no reason. Check the arguments, then ask its support, with the request id if there is one.",
};

export function remedyFor(code: Code, failure: Failure | undefined, { tokenSource, endpoint }: PlatformAccess): string {
  if (code === "AGP-034" && failure?.retryAfterSeconds !== undefined) {
    return `Rerun in ${Math.ceil(failure.retryAfterSeconds)} s.`;
  }
  const { why, address = endpoint } = failure?.advice ?? {};
  if (why !== undefined && (!["noReason", "clearing"].includes(why) || code === "AGP-030")) {
    return ADVICE[why](address);
  }
  // After a rotation in the stack's config, a new token there would change nothing.
  if (code === "AGP-031" && tokenSource === "state") {
    return "A destroy uses the token of the saved state. Set AGENT_PLATFORM_ACCESS_TOKEN to a new one and rerun.";
  }
  const token = code === "AGP-031" || code === "AGP-032" ? ` The token is from ${TOKEN_SOURCES[tokenSource]}.` : "";
  return `${remedyOf(code, endpoint)}${token}`;
}

export function causeText({ exchange, detail, platformMessage }: Failure): string {
  const words = platformMessage === undefined ? "" : `: "${platformMessage}"`;
  return exchange.status === undefined
    ? `${detail} (${exchange.operation})`
    : `the platform returned ${exchange.status} to ${exchange.operation}${words || (detail === "" ? "" : `: ${detail}`)}`;
}

/** What the platform's support asks for. */
export function attemptsText({ exchange }: Failure): string {
  const request = exchange.requestId === undefined ? "" : `, request id ${exchange.requestId}`;
  return `${counted(exchange.attempts, "attempt")} in ${(exchange.elapsedMs / 1000).toFixed(1)} s${request}.`;
}

// --- responses

export function mismatchText(mismatch: Mismatch): string {
  const returned = clean(mismatch.returned, "");
  return isImport(mismatch)
    ? `the platform reports an import error: ${returned}`
    : `${mismatch.field}: sent ${mismatch.asked}, the platform returned ${returned}`;
}

export const differsIn = (who: string, fields: readonly string[]): Message =>
  messageOf(
    "AGP-050",
    who,
    `the response differs from the request in ${fields.join(", ")}. It counts as applied.`,
    "If that is not expected, check the number in the platform's web application.",
  );

/** Without the resource, so that it is the same line for all of them: a run prints it once. */
export const unverified = (why: Unproven): Message =>
  messageOf("AGP-053", undefined, `applied but not verified: ${UNPROVEN[why]} (shown once per run).`);

const UNPROVEN: Record<Unproven, string> = {
  "no agents": "the response lists no agents",
  "no versions": "the response does not show the versions of the agents",
  later: "the platform returned 202, so the change may still be to come",
};

// --- requests that are not sent, and deletes

export const refreshReadsNothing = (kind: string): Message =>
  messageOf("AGP-066", kind, "refresh changes nothing: the API has no read endpoint.");

/** @param urn of the resource, if it is known */
export const endpointDiffers = (who: string, saved: string, now: string, urn?: string): Message =>
  messageOf(
    "AGP-060",
    who,
    `Nothing was sent: the state was created against ${saved}; the settings point to ${now}.`,
    `Set agent-platform:baseUrl to ${saved} and run again, or remove the resource from the state with \`pulumi state delete${urn === undefined ? "" : ` '${urn}'`}\`.`,
  );

export const declaredElsewhere = (who: string, numbers: readonly string[]): Message =>
  messageOf(
    "AGP-061",
    who,
    `${counted(numbers.length, "number")} not cleared, because the program now declares ${numbers.length === 1 ? "it" : "them"} elsewhere${inBrackets(numbers)}.`,
  );

export const notKnown = (who: string, numbers: readonly string[]): Message =>
  messageOf(
    "AGP-062",
    who,
    `the platform does not know ${counted(numbers.length, "number")} (404), so there is nothing to clear${inBrackets(numbers)}.`,
  );

export const stillShown = (left: readonly string[]): string => `the platform still returns ${left.join(", ")}`;

/** @param owner the URN of the resource that declares the number */
export const unconfirmed = (owner: string): string =>
  `${labelOfUrn(owner)} declares this number, but it is not certain that its routing was applied`;

/** The mark of a failed run counts for a day, and may be of another one (edge/runMarks.ts). */
export const RUN_FAILED =
  "something failed or was skipped in this run, or in one of the last 24 hours, so it is unknown what is declared";

export const postponed = (who: string, why: string): Message =>
  messageOf("AGP-074", who, [`Delete not sent: ${why}.`, STAYS]);

/** The program has other resources in another process: its version of this package, or its provider is another one. */
export const checkedElsewhere = (who: string, urn: string): Message =>
  messageOf(
    "AGP-074",
    who,
    ["Delete not sent: another process of the provider knows what the program declares, and this one does not.", STAYS],
    `If the program has another version of this package now, go back, run \`pulumi up\`, and change that alone. After \`--replace\`, forget the original, whose numbers keep their agents: \`pulumi state delete '${urn}'\`.`,
  );

export const deletedFirst = (who: string): Message =>
  messageOf("AGP-075", who, [
    "Delete not sent: `deleteBeforeReplace` would clear numbers before it is known which ones the program still declares.",
    "The resource stays in the state, and its numbers keep their agents.",
  ]);

// --- groups

/** A number that may not have what was sent. */
export interface FailedNumber {
  readonly number: string;
  readonly reason: UnappliedReason;
  /** Why, in words that are the same for the same cause. */
  readonly cause: string;
  /** Undefined if something that was no request kept it back. */
  readonly code?: Code | undefined;
  /** Of a request that the platform did not accept. */
  readonly failure?: Failure | undefined;
  /** What the response shows, of a request that the platform accepted. */
  readonly verdict?: Verdict | undefined;
}

/** Was a request of the number tried? It may have failed before the platform saw it. */
export const isTried = ({ reason, failure }: Pick<FailedNumber, "reason" | "failure">): boolean =>
  reason !== "not sent" || failure !== undefined;

type FailedNumbers = Omit<FailedNumber, "number"> & { readonly numbers: string[] };

/** Failures by cause, most frequent first and what was never sent last, so that 400 equal ones are one line. */
function byCause(failed: readonly FailedNumber[]): FailedNumbers[] {
  const groups = new Map<string, FailedNumbers>();
  for (const { number, ...one } of failed) {
    const key = `${one.reason} ${one.cause}`;
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, { ...one, numbers: [number] });
    } else {
      group.numbers.push(number);
    }
  }
  // Requests end in any order, and a reader expects sorted numbers.
  for (const { numbers } of groups.values()) {
    numbers.sort();
  }
  const isLast = (one: FailedNumbers) => Number(!isTried(one));
  return [...groups.values()].sort((a, b) => isLast(a) - isLast(b) || b.numbers.length - a.numbers.length);
}

/** What the state has of the numbers now. `nothing`: they are new. `stays`: their delete failed. `leftover`: the delete of numbers that left a group failed. */
export type SavedAs = "saved" | "nothing" | "untouched" | "stays" | "leftover";

const OUTCOMES: Record<UnappliedReason, { applied: string; cleared: string }> = {
  rejected: { applied: "routing unchanged", cleared: "not cleared" },
  unknown: { applied: "outcome unknown: old or new routing", cleared: "outcome unknown: cleared or not" },
  different: { applied: "the response differs", cleared: "not cleared" },
  "not sent": { applied: "routing unchanged", cleared: "not cleared" },
};

const SAVED_SENTENCES: Record<SavedAs, (missed: number) => string> = {
  saved: (missed) => `Saved; the next \`pulumi up\` sends ${missed === 1 ? "this number" : `these ${missed}`} only.`,
  nothing: () => "Nothing is saved.",
  untouched: () => "The saved state is unchanged.",
  stays: () => STAYS,
  // A failed delete saves nothing, so the next one clears all of them again.
  leftover: () =>
    "The original stays in the state, and the next `pulumi up` clears its numbers that the program does not declare by then.",
};

/** A failed delete may have cleared numbers, and it saves nothing. So an operator who keeps the resource has to send its routing again. */
const TO_KEEP = "To keep the routing after all, change `triggers` and run `pulumi up`.";

const MOST_CAUSES = 8;

/** What failed: of one number its cause, of a group the causes with counts and the first few numbers, and what to do about the first. */
export function numbersFailed(
  who: string,
  failed: readonly FailedNumber[],
  { all, savedAs, isSingle }: { readonly all: number; readonly savedAs: SavedAs; readonly isSingle: boolean },
  target: PlatformAccess,
): Message {
  const verb = savedAs === "stays" || savedAs === "leftover" ? "cleared" : "applied";
  const causes = byCause(failed);
  const [single] = isSingle ? causes : [];
  const first = causes.find(({ code }) => code !== undefined);
  const code = (single && first?.code) ?? "AGP-070";
  const remedy = first?.code === undefined ? remedyOf(code) : remedyFor(first.code, first.failure, target);
  return messageOf(
    code,
    who,
    [
      ...(single
        ? [`${OUTCOMES[single.reason][verb]}; ${single.cause}.`, single.failure ? attemptsText(single.failure) : ""]
        : countedCauses(causes, all, verb)),
      SAVED_SENTENCES[savedAs](failed.length),
    ],
    savedAs === "stays" ? `${remedy}\n${TO_KEEP}` : remedy,
  );
}

function countedCauses(causes: readonly FailedNumbers[], all: number, verb: "applied" | "cleared"): string[] {
  const missed = sumOf(causes);
  const unsent = sumOf(causes.filter((one) => !isTried(one)));
  const others = sumOf(causes.slice(MOST_CAUSES));
  return [
    `${[`${all - missed} of ${all} ${verb}`, ...ifAny(missed - unsent, "failed"), ...ifAny(unsent, "not sent")].join(", ")}.`,
    ...causes.slice(0, MOST_CAUSES).map((one) => causeLine(one, verb)),
    ...ifAny(others, "× for other reasons"),
  ];
}

const sumOf = (causes: readonly FailedNumbers[]): number =>
  causes.reduce((sum, { numbers }) => sum + numbers.length, 0);

const ifAny = (count: number, what: string): string[] => (count === 0 ? [] : [`${count} ${what}`]);

const causeLine = ({ cause, code, reason, numbers }: FailedNumbers, verb: "applied" | "cleared"): string =>
  `${numbers.length} × ${code === undefined ? "" : `${code} `}${cause.replace(/\.$/, "")}: ${shortList(numbers)} (${OUTCOMES[reason][verb]})`;

// --- state

export const unreadableState = (who: string, fields: readonly string[]): Message =>
  messageOf(
    "AGP-080",
    who,
    `the saved state cannot be read: ${fields.join(", ")} ${fields.length === 1 ? "is" : "are"} missing or of the wrong type, perhaps after an edit by hand.`,
  );
