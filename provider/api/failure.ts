import { isObject, parseJson } from "../base/json";
import { clean, redact, textsSent, withoutSent } from "../base/text";
import type { HttpResponse, Reply, Silence } from "../base/world";
import { NAMESPACE } from "../stack/keys";
import { type Settings, TOKEN_SOURCES } from "../stack/settings";
import { type Code, remedyOf } from "../words/codes";
import { counted } from "../words/message";
import { decodeLoosely, mediaType, type ParsedBody, parseBody } from "./body";
import { MAX_BODY_BYTES } from "./http";

/** Decides whether and when a failed attempt is repeated. Pure: all that it needs is in the question. */

/** The kinds of failures that the decision tells apart. */
export type RetryClass =
  | "rateLimited" /* 429: nothing ran */
  | "unreachable" /* no connection: nothing was sent */
  | "unknown" /* sent, and perhaps carried out */
  | "final";

/** Milliseconds since 1970 of a date as HTTP writes it. */
function parseHttpDate(text: string): number | undefined {
  const date = text.endsWith(" GMT") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}

/** Retry-After in milliseconds: seconds or an HTTP date. Garbage counts as none. */
export function parseRetryAfter(text: string, wallClockMs: number): number | undefined {
  if (/^\d{1,12}$/.test(text)) {
    return Number(text) * 1000;
  }
  const date = parseHttpDate(text);
  return date === undefined ? undefined : Math.max(0, date - wallClockMs);
}

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
  | "rateLimited" /* 429 for longer than the deadline allows */
  | "redirected" /* 3xx: never followed */
  | "unreachable" /* no connection was opened: nothing was sent */
  | "proxy" /* the proxy opened no connection to the platform: nothing was sent */
  | "tls" /* the connection is not to be trusted: nothing was sent */
  | "serverError" /* 5xx */
  | "noResponse" /* sent, and then silence, a reset or a cut response */
  | "unusable";

/* a response that the interface does not describe: not JSON, too large, without an id */

/** What the response, or the connection, says about the way out, where the remedy of the code does not know it. messages have the words. */
export interface Advice {
  readonly why:
    | ("elsewhere" | "inTheWay") /* a redirect */
    | "proxyCredentials" /* no connection */
    | ("page" | "notThePlatform" | "noReason") /* a response without the platform's words */
    | "clearing" /* a request that clears a field was refused */;
  /** Where a redirect leads. */
  readonly address?: string | undefined;
}

/** A failed exchange, in data; messages have the words. */
export interface Failure {
  readonly cause: Cause;
  readonly exchange: Exchange;
  /** The platform's own words: cleaned of control characters, cut, and without the token. */
  readonly platformMessage?: string | undefined;
  /** What happened below HTTP or in the response, in our words: `connection refused by 127.0.0.1:8080`. */
  readonly detail: string;
  /** Was it the platform's own JSON error? Only then does a 404 to the clearing of a number mean that the number does not exist. */
  readonly isPlatformError: boolean;
  readonly advice?: Advice | undefined;
  /** When the platform wants to be asked again, in seconds. */
  readonly retryAfterSeconds?: number | undefined;
}

/** With these causes no connection to the platform was opened. */
const UNSENT: readonly Cause[] = ["unreachable", "proxy", "tls"];

/** Has the platform seen nothing of a request that was not carried out? */
export const isUnsent = ({ cause }: Failure): boolean => UNSENT.includes(cause);

/** `response` is undefined if a 2xx had no usable body. */
export type Outcome<Response> =
  | { outcome: "applied"; response: Response | undefined; exchange: Exchange }
  | { outcome: "rejected"; failure: Failure }
  | { outcome: "unknown"; failure: Failure };

/** Why an attempt failed, and whether it may be repeated. reply.ts and errorStatus.ts say it of a response; here is why none came. */
export interface FailedAttempt {
  readonly cause: Cause;
  readonly retryClass: RetryClass;
  readonly detail: string;
  readonly status?: number | undefined;
  readonly platformMessage?: string | undefined;
  readonly isPlatformError?: boolean;
  readonly advice?: Advice | undefined;
  readonly retryAfterMs?: number | undefined;
}

const failing = (cause: Cause, retryClass: RetryClass, detail: string): FailedAttempt => ({
  cause,
  retryClass,
  detail,
});

/** The target of a request: `host:port` of the platform and, if there is one, of the proxy. */
export interface Route {
  readonly host: string;
  readonly proxy?: string | undefined;
}

/** Codes of Node for failures that may be over in a second. */
const PASSING: ReadonlySet<string> = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
  ...["ECONNRESET", "EPIPE", "EADDRNOTAVAIL", "EMFILE"],
]);

/** The code, if it has the form of a constant of Node, OpenSSL or llhttp. */
const shownCode = (code: string): string => (/^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : "no code");

/** `30 s`, `0.05 s`. */
const inSeconds = (milliseconds: number): string =>
  `${Number((milliseconds / 1000).toFixed(milliseconds < 1000 ? 3 : 1))} s`;

/** Why no response came. The messages of got are not used, because they quote URLs. */
export function classifySilence(silence: Silence, { host: target, proxy }: Route, timeoutMs: number): FailedAttempt {
  const { reached, timedOut, code } = silence;
  if (proxy !== undefined && reached === "nowhere") {
    return noTunnel(silence, proxy, target, timeoutMs);
  }
  const host = proxy === undefined ? target : `${target} (through the proxy ${proxy})`;
  if (reached !== "open") {
    return notSent(silence, host, timeoutMs);
  }
  if (timedOut) {
    return failing("noResponse", "unknown", `no response from ${host} within ${inSeconds(timeoutMs)}`);
  }
  if (code.startsWith("HPE_")) {
    return failing("unusable", "unknown", `${host} sent something that is not HTTP`);
  }
  return failing("noResponse", "unknown", `${host} closed the connection before it responded (${shownCode(code)})`);
}

/** The proxy opened no tunnel, so the platform has seen nothing. A proxy that is overloaded may accept the request a second later. */
function noTunnel(silence: Silence, proxy: string, target: string, timeoutMs: number): FailedAttempt {
  const { proxyStatus: status } = silence;
  if (status !== undefined) {
    const isPassing = status === 429 || status >= 500;
    const detail = `the proxy ${proxy} returned ${status} to CONNECT ${target}`;
    const advice = status === 407 ? ({ why: "proxyCredentials" } as const) : undefined;
    return { ...failing("proxy", isPassing ? "unreachable" : "final", detail), advice };
  }
  return { ...notSent(silence, `the proxy ${proxy}`, timeoutMs), cause: "proxy" };
}

function notSent({ code, reached, timedOut }: Silence, host: string, timeoutMs: number): FailedAttempt {
  if (timedOut) {
    return failing("unreachable", "unreachable", `no connection to ${host} within ${inSeconds(timeoutMs)}`);
  }
  const isPassing = PASSING.has(code);
  return reached === "tcp" && !isPassing
    ? failing("tls", "final", `no trusted connection to ${host} (${shownCode(code)})`)
    : failing("unreachable", isPassing ? "unreachable" : "final", `no connection to ${host} (${shownCode(code)})`);
}

/** What a response that is no 2xx says of the request, and of the way out. */

export interface Circumstances extends Route, Unshown {
  readonly request: Unshown["request"] & { readonly url: URL };
  readonly wallClockMs: number;
  readonly timeoutMs: number;
}

function classifyError(reply: HttpResponse, circumstances: Circumstances): FailedAttempt {
  const { status, headers, bytes } = reply;
  const { host, token } = circumstances;
  const classified = { ...classifyStatus(status), status };
  if (classified.cause === "redirected") {
    return { ...classified, ...readRedirect(redact(headers.location ?? "", token), status, circumstances) };
  }
  const words = errorWords(reply, circumstances);
  const type = mediaType(headers.contentType);
  // The media type shows a reader who responded, a proxy or the platform.
  const sender = type.endsWith("json") || bytes.length === 0 ? host : `${host}, content-type ${type}`;
  // A date in Retry-After is compared with the server's own date. If the response has none, this machine's clock counts.
  const reference = parseHttpDate(headers.date ?? "") ?? circumstances.wallClockMs;
  const retryAfterMs = parseRetryAfter(headers.retryAfter ?? "", reference);
  return { ...classified, ...words, detail: `from ${sender}`, advice: adviceOn(status, type, words), retryAfterMs };
}

const CAUSE_OF_STATUS: Readonly<Record<number, Cause>> = { 401: "unauthenticated", 403: "forbidden", 404: "notFound" };

/** The server does not know the method or the version of HTTP: nothing was carried out, and a second attempt would not change that. */
const NEVER_CARRIED_OUT = new Set([501, 505]);

/** A redirect is sent once, because another attempt would be redirected as well. */
function classifyStatus(status: number): Pick<FailedAttempt, "cause" | "retryClass"> {
  if (status === 429) {
    return { cause: "rateLimited", retryClass: "rateLimited" };
  }
  if (status === 408) {
    return { cause: "noResponse", retryClass: "unknown" };
  }
  if (status >= 300 && status < 400) {
    return { cause: "redirected", retryClass: "final" };
  }
  if (status >= 400 && status < 500) {
    return { cause: CAUSE_OF_STATUS[status] ?? "refused", retryClass: "final" };
  }
  if (NEVER_CARRIED_OUT.has(status)) {
    return { cause: "serverError", retryClass: "final" };
  }
  return { cause: status < 600 ? "serverError" : "unusable", retryClass: "unknown" };
}

type ErrorWords = Pick<FailedAttempt, "platformMessage" | "isPlatformError">;

/** The words of an error, and whether they are the platform's own. */
function errorWords(reply: HttpResponse, unshown: Unshown): ErrorWords {
  const { contentType } = reply.headers;
  const body = parseBody(reply.bytes, contentType, unshown.token);
  const isOwn = body.kind === "json" && isPlatformError(body.value) && mediaType(contentType) === "application/json";
  return { platformMessage: wordsOf(reply, body, unshown), isPlatformError: isOwn };
}

/** What the status and the sender say of the way out. */
function adviceOn(status: number, type: string, { platformMessage, isPlatformError }: ErrorWords): Advice | undefined {
  if (type === "text/html" && status < 500 && status !== 401 && status !== 429) {
    return { why: "page" };
  }
  if (status === 404) {
    return isPlatformError ? undefined : { why: "notThePlatform" };
  }
  return platformMessage === undefined ? { why: "noReason" } : undefined;
}

// --- a redirect

/** Where a redirect leads, as far as it may be shown: the path and the query may hold secrets. */
function readRedirect(
  location: string,
  status: number,
  { host, request: { url } }: Circumstances,
): Pick<FailedAttempt, "detail" | "advice"> {
  const isAddress = location !== "" && URL.canParse(location, url.href);
  const target = isAddress ? new URL(location, url.href) : undefined;
  if (target === undefined || !/^https?:$/.test(target.protocol)) {
    return { detail: `${host} returned ${status} without an address`, advice: { why: "inTheWay" } };
  }
  return target.origin === url.origin
    ? { detail: `${host} redirects to a path of its own, which is not followed`, advice: { why: "inTheWay" } }
    : {
        detail: `${host} redirects to ${target.origin}, which is not followed`,
        advice: { why: "elsewhere", address: target.origin },
      };
}

/** Why the platform refuses, in its own words. The interface specifies one form of them (7.1). */

/** The texts of the forms `{error}`, `{message}`, `{detail}` and `{errors: []}`, also inside each other. */
function textsOf(json: unknown, depth = 0): string[] {
  if (depth > DEEPEST) {
    return [];
  }
  if (typeof json === "string") {
    return json.trim() === "" ? [] : [json.trim()];
  }
  if (Array.isArray(json)) {
    return json.flatMap((item) => textsOf(item, depth + 1));
  }
  return isObject(json)
    ? [json.error, json.message, json.detail, json.errors].flatMap((value) => textsOf(value, depth + 1))
    : [];
}

const DEEPEST = 8;

/** The words of gateways about a path that they do not know. */
const ROUTER_WORDS =
  /^(?:404\W*)?(?:(?:page|path|route|endpoint|url|service)\W+)?not\W*found\W*$|\bno (?:matching )?route\b/i;

/** Is it `{error}` as the interface has it, with nothing beside it, and in words that a gateway does not use of an unknown path? */
export const isPlatformError = (json: unknown): boolean =>
  isObject(json) &&
  Object.keys(json).length === 1 &&
  typeof json.error === "string" &&
  json.error !== "" &&
  !ROUTER_WORDS.test(json.error);

/** What must not be shown of a request. */
export interface Unshown {
  readonly token: string;
  readonly request: { readonly body: string; readonly headers?: Readonly<Record<string, string>> | undefined };
}

/** More of a text is not looked through. */
const LONGEST_TEXT = 4000;

const LONGEST_QUOTE = 200;

function fitToShow(text: string, { token, request }: Unshown, longest?: number): string | undefined {
  const sent = textsSent({ ...(parseJson(request.body) as object), ...request.headers });
  return clean(withoutSent(text.slice(0, LONGEST_TEXT), sent), token, longest) || undefined;
}

/** The words of a body, in one of the common forms. Of a 2xx nothing else is shown, because it may hold a chat or a voice. */
function wordsIn(json: unknown, unshown: Unshown): string | undefined {
  return fitToShow([...new Set(textsOf(json))].join("; "), unshown);
}

/** Why a response refuses, fit to be shown: its words, else its beginning. A page of HTML is not quoted, nor a part of a body. */
function wordsOf(reply: HttpResponse, body: ParsedBody, unshown: Unshown): string | undefined {
  const words = body.kind === "json" ? wordsIn(body.value, unshown) : undefined;
  const text = decodeLoosely(reply.bytes);
  const isNothing = body.kind === "json" && /^\s*(?:null|\{\s*\}|\[\s*\]|"\s*")\s*$/.test(text);
  const isPage = mediaType(reply.headers.contentType) === "text/html" || /<(?:!doctype )?html/i.test(text);
  return words ?? (isNothing || isPage || reply.body !== "whole" ? undefined : fitToShow(text, unshown, LONGEST_QUOTE));
}

/** What an operation makes of the whole body of a 2xx. */
export type Reading<Response> =
  | { readonly response: Response | undefined }
  | { refused: true } /* the body says that the request failed */
  | { unusable: string };

export type Reader<Response> = (body: ParsedBody) => Reading<Response>;

/** One attempt, classified. */
export type Attempt<Response> = AppliedAttempt<Response> | FailedAttempt;

interface AppliedAttempt<Response> {
  readonly cause?: undefined;
  readonly response: Response | undefined;
  readonly status: number;
}

/** Every reply is applied, rejected or unknown. */
export function classifyReply<Response>(
  reply: Reply,
  circumstances: Circumstances,
  read: Reader<Response>,
): Attempt<Response> {
  const attempt = classify(reply, circumstances, read);
  // A host or a media type is the server's text as well, and may be the token.
  return attempt.cause === undefined ? attempt : { ...attempt, detail: redact(attempt.detail, circumstances.token) };
}

function classify<Response>(reply: Reply, circumstances: Circumstances, read: Reader<Response>): Attempt<Response> {
  if (reply.came === "nothing") {
    return classifySilence(reply, circumstances, circumstances.timeoutMs);
  }
  const isSuccess = reply.status >= 200 && reply.status < 300;
  return isSuccess ? classifySuccess(reply, circumstances, read) : classifyError(reply, circumstances);
}

// --- a 2xx

function classifySuccess<Response>(
  reply: HttpResponse,
  circumstances: Circumstances,
  read: Reader<Response>,
): Attempt<Response> {
  const { status } = reply;
  if (reply.body !== "whole") {
    return { ...brokenBody(reply, reply.body, circumstances), status };
  }
  const body = parseBody(reply.bytes, reply.headers.contentType, circumstances.token);
  const reading = read(body);
  if ("response" in reading) {
    return { ...reading, status };
  }
  if ("refused" in reading) {
    const words = errorWords(reply, circumstances);
    return { ...failing("refused", "final", `${circumstances.host} says that the request failed`), status, ...words };
  }
  // A response that is not JSON may be a login page, so its words are not shown.
  const platformMessage = body.kind === "json" ? wordsIn(body.value, circumstances) : undefined;
  return { ...failing("unusable", "unknown", reading.unusable), status, platformMessage };
}

/** The operation was most likely carried out, but it is not known what it made. */
function brokenBody(
  { bytes, headers }: HttpResponse,
  end: Exclude<HttpResponse["body"], "whole">,
  { host, timeoutMs }: Circumstances,
): FailedAttempt {
  const details = {
    tooLarge: `the response is larger than ${MAX_BODY_BYTES} bytes`,
    undecodable: `the response cannot be decompressed, content-type ${mediaType(headers.contentType)}`,
    timedOut: `the response from ${host} was not complete within ${inSeconds(timeoutMs)}`,
    cut: `${host} closed the connection in the middle of its response, after ${bytes.length} bytes`,
  };
  return failing(end === "timedOut" || end === "cut" ? "noResponse" : "unusable", "unknown", details[end]);
}

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
