import { isUtf8 } from "node:buffer";
import { SIGNATURE, UNKNOWNS } from "../base/engine";
import { isObject, parseJson } from "../base/json";
import { clean, parseUrl, redact, textsSent, withoutSent } from "../base/text";
import type { HttpReply, HttpRequest, HttpResponse, NoResponse } from "../base/world";
import { MAX_BODY_BYTES } from "./http";

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

/** What the response or the connection shows of the remedy, beyond what the remedy of the code says. HINTS has the words. */
export interface Hint {
  readonly why:
    | ("elsewhere" | "inTheWay") /* a redirect */
    | "proxyCredentials" /* no connection */
    | ("page" | "notThePlatform" | "noReason") /* a response without the platform's words */
    | ("clearing" | "clearingAlone") /* a request that clears a field, or does nothing else, was refused */;
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
  /** Was it the platform's own JSON error? Only then does a 404 to the clearing of a number mean that the number does not exist. */
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

/** What an operation reads in the whole body of a 2xx. `refused`: the body says that the request failed. */
export type Read<Response> =
  | { readonly response: Response | undefined }
  | { readonly refused: true }
  | { readonly unusable: string };

/** One request, but for the headers that all have. It says how its response is read. */
export interface Call<Response> extends HttpRequest {
  readonly operation: string;
  readonly read: (body: ParsedBody) => Read<Response>;
}

// --- one attempt

/** What is known beside the reply. */
export interface Seen {
  readonly token: string;
  /** `host:port` of the platform and, if there is one, of the proxy. */
  readonly host: string;
  readonly proxy?: string | undefined;
  readonly wallClockMs: number;
  readonly timeoutMs: number;
  /** The exchange so far, with this attempt. */
  readonly exchange: Exchange;
}

export function classify<Response>(reply: HttpReply, call: Call<Response>, seen: Seen): Outcome<Response> {
  const outcome =
    reply.came === "nothing" ? { failure: failureWithoutResponse(reply, seen) } : classifyResponse(reply, call, seen);
  // A host or a media type is the server's text as well, and may be the token.
  return outcome.failure === undefined
    ? outcome
    : { failure: { ...outcome.failure, detail: redact(outcome.failure.detail, seen.token) } };
}

function classifyResponse<Response>(reply: HttpResponse, call: Call<Response>, seen: Seen): Outcome<Response> {
  const { status, headers, bytes, body: end } = reply;
  const { host, token, timeoutMs, exchange } = seen;
  const body = parseBody(bytes, headers.contentType, token);
  if (status < 200 || status >= 300) {
    return { failure: failureOfStatus(reply, body, call, seen) };
  }
  if (end !== "whole") {
    // The operation was most likely carried out, but it is not known what it made.
    const details = {
      tooLarge: `the response is larger than ${MAX_BODY_BYTES} bytes`,
      undecodable: `the response cannot be decompressed, content-type ${mediaType(headers.contentType)}`,
      timedOut: `the response from ${host} was not complete within ${inSeconds(timeoutMs)}`,
      cut: `${host} closed the connection in the middle of its response, after ${bytes.length} bytes`,
    };
    const isSilence = end === "timedOut" || end === "cut";
    return { failure: unknown(isSilence ? "noResponse" : "unusable", details[end], seen) };
  }
  const read = call.read(body);
  if ("response" in read) {
    return { response: read.response, status };
  }
  // A response that is not JSON may be a login page, so its words are not shown.
  const platformMessage = body.form === "json" ? wordsIn(body.value, call, token) : undefined;
  if ("refused" in read) {
    const detail = `${host} says that the request failed`;
    const failure = { outcome: "rejected", cause: "refused", detail, platformMessage, isPlatformError: false } as const;
    return { failure: { ...failure, retry: false, exchange } };
  }
  return { failure: { ...unknown("unusable", read.unusable, seen), platformMessage } };
}

/** Nothing was sent, and that may be over in a second, or not. */
const notSent = (cause: Cause, detail: string, retry: boolean, { exchange }: Seen): Failure => ({
  outcome: "not sent",
  cause,
  detail,
  isPlatformError: false,
  retry,
  exchange,
});

/** The request may have been carried out. */
const unknown = (cause: Cause, detail: string, { exchange }: Seen): Failure => ({
  outcome: "unknown",
  cause,
  detail,
  isPlatformError: false,
  retry: true,
  exchange,
});

function failureOfStatus(reply: HttpResponse, body: ParsedBody, call: Call<unknown>, seen: Seen): Failure {
  const { status, headers, bytes } = reply;
  const { host, token, exchange } = seen;
  const meaning = meaningOf(status);
  if (meaning.cause === "redirected") {
    const redirect = readRedirect(redact(headers.location ?? "", token), status, call.url, host);
    return { ...meaning, ...redirect, isPlatformError: false, exchange };
  }
  const type = mediaType(headers.contentType);
  const isPage = isPageOfHtml(type, decodeLoosely(bytes));
  const words = {
    platformMessage: wordsOf(reply, body, isPage, call, token),
    isPlatformError: type === "application/json" && body.form === "json" && isPlatformError(body.value),
  };
  // The media type shows a reader who responded, a proxy or the platform.
  const sender = type.endsWith("json") || bytes.length === 0 ? host : `${host}, content-type ${type}`;
  // A date in Retry-After is compared with the server's own date. If the response has none, this machine's clock counts.
  const reference = parseHttpDate(headers.date ?? "") ?? seen.wallClockMs;
  const retryAfterMs = parseRetryAfter(headers.retryAfter ?? "", reference);
  return {
    ...meaning,
    ...words,
    detail: `from ${sender}`,
    hint: hintOf(status, isPage, words),
    retryAfterMs,
    exchange,
  };
}

function meaningOf(status: number): Pick<Failure, "cause" | "outcome" | "retry"> {
  if (status === 429) {
    return { cause: "rateLimited", outcome: "rejected", retry: true };
  }
  if (status === 408) {
    return { cause: "noResponse", outcome: "unknown", retry: true };
  }
  // A redirect may be the response to a request that was carried out, as a 303 is. Another attempt would be redirected as well.
  if (status >= 300 && status < 400) {
    return { cause: "redirected", outcome: "unknown", retry: false };
  }
  if (status >= 400 && status < 500) {
    const causes: Readonly<Record<number, Cause>> = { 401: "unauthenticated", 403: "forbidden", 404: "notFound" };
    return { cause: causes[status] ?? "refused", outcome: "rejected", retry: false };
  }
  // The server does not know the method or the version of HTTP: nothing was carried out, and a second attempt would not change that.
  if (status === 501 || status === 505) {
    return { cause: "serverError", outcome: "rejected", retry: false };
  }
  return { cause: status < 600 ? "serverError" : "unusable", outcome: "unknown", retry: true };
}

/** What the status and the sender say of the way out. */
function hintOf(
  status: number,
  isPage: boolean,
  { platformMessage, isPlatformError }: Pick<Failure, "platformMessage" | "isPlatformError">,
): Hint | undefined {
  if (isPage && platformMessage === undefined && status < 500 && status !== 401 && status !== 429) {
    return { why: "page" };
  }
  if (status === 404) {
    return isPlatformError ? undefined : { why: "notThePlatform" };
  }
  return platformMessage === undefined ? { why: "noReason" } : undefined;
}

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

/** Where a redirect leads, as far as it may be shown: the path and the query may hold secrets. */
function readRedirect(location: string, status: number, url: URL, host: string): Pick<Failure, "detail" | "hint"> {
  const target = location === "" ? undefined : parseUrl(location, url);
  if (target === undefined || !/^https?:$/.test(target.protocol)) {
    return { detail: `${host} returned ${status} without an address`, hint: { why: "inTheWay" } };
  }
  return target.origin === url.origin
    ? { detail: `${host} redirects to a path of its own, which is not followed`, hint: { why: "inTheWay" } }
    : {
        detail: `${host} redirects to ${target.origin}, which is not followed`,
        hint: { why: "elsewhere", address: target.origin },
      };
}

// --- the body of a response

/** A whole response body as data. `detail` says why a body cannot be read, and never quotes it. */
export type ParsedBody =
  | { form: "empty" }
  | { form: "json"; value: unknown }
  | { form: "unreadable"; detail: string; isMarkup: boolean };

/** The media type without its parameters; "unknown" if the header, which may be any text, does not have the form of one. */
function mediaType(contentType: string | undefined): string {
  return /^[\w.+-]{1,40}\/[\w.+-]{1,60}/.exec(contentType ?? "")?.[0].toLowerCase() ?? "unknown";
}

/** Is it a page of HTML, whatever it calls itself? It comes from a gateway or a sign-in. */
const isPageOfHtml = (type: string, text: string): boolean =>
  type === "text/html" || /<(?:!doctype\s+)?html\b/i.test(text);

/** Text of a body, with or without a byte order mark; bytes that are not UTF-8 are replaced. */
const decodeLoosely = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/**
 * The value as the engine can save it, without the token. It refuses a resource with half a character, an infinite number (JSON has 1e999), or a
 * text of its own for secrets and unknown values. Then what was sent would not be saved, and a message would be sent a second time.
 */
function saveable(value: unknown, token: string): unknown {
  if (typeof value === "string") {
    return UNKNOWNS.has(value) ? "" : redact(value.toWellFormed(), token);
  }
  if (typeof value === "number") {
    return Number.isFinite(value) ? value : null;
  }
  if (Array.isArray(value)) {
    return value.map((item) => saveable(item, token));
  }
  if (!isObject(value)) {
    return value;
  }
  // JavaScript or the engine takes these for more than a key.
  const entries = Object.entries(value).filter(([key]) => key !== "__proto__" && key !== SIGNATURE);
  return Object.fromEntries(entries.map(([key, item]) => [redact(key.toWellFormed(), token), saveable(item, token)]));
}

/** A whole body. The token is taken out of all texts and keys, because parts of them go into messages and into the state. */
export function parseBody(bytes: Uint8Array, contentType: string | undefined, token: string): ParsedBody {
  const text = isUtf8(bytes) ? decodeLoosely(bytes) : undefined;
  const type = mediaType(contentType);
  const isMarkup = type === "text/html" || text?.trimStart().startsWith("<") === true;
  const unreadable = (what: string): ParsedBody => ({
    form: "unreadable",
    detail: `${what}, ${bytes.length} bytes, content-type ${type}`,
    isMarkup,
  });
  if (text === undefined) {
    return unreadable("not UTF-8");
  }
  if (text.trim() === "") {
    return { form: "empty" };
  }
  try {
    return { form: "json", value: saveable(JSON.parse(text), token) };
  } catch {
    // Or it is so deep that no stack is deep enough for it.
    return unreadable("not JSON");
  }
}

// --- no response

/** Codes of Node for failures that may be over in a second. */
const PASSING: ReadonlySet<string> = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
  ...["ECONNRESET", "EPIPE", "EADDRNOTAVAIL", "EMFILE"],
]);

/** The code, if it has the form of a constant of Node, OpenSSL or llhttp. */
const printedCode = (code: string): string => (/^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : "no code");

/** `30 s`, `0.05 s`. */
const inSeconds = (milliseconds: number): string =>
  `${Number((milliseconds / 1000).toFixed(milliseconds < 1000 ? 3 : 1))} s`;

/** Why no response came. The messages of got are not used, because they quote URLs. */
function failureWithoutResponse(reply: NoResponse, seen: Seen): Failure {
  const { reached, timedOut, code } = reply;
  const { proxy } = seen;
  if (proxy !== undefined && reached === "nowhere") {
    return failureOfProxy(reply, proxy, seen);
  }
  const host = proxy === undefined ? seen.host : `${seen.host} (through the proxy ${proxy})`;
  if (reached !== "open") {
    return failureToConnect(reply, host, seen);
  }
  if (timedOut) {
    return unknown("noResponse", `no response from ${host} within ${inSeconds(seen.timeoutMs)}`, seen);
  }
  return code.startsWith("HPE_")
    ? unknown("unusable", `${host} sent something that is not HTTP`, seen)
    : unknown("noResponse", `${host} closed the connection before it responded (${printedCode(code)})`, seen);
}

/** The proxy opened no tunnel, so the platform has seen nothing. A proxy that is overloaded may accept the request a second later. */
function failureOfProxy(reply: NoResponse, proxy: string, seen: Seen): Failure {
  const { proxyStatus: status } = reply;
  if (status === undefined) {
    return { ...failureToConnect(reply, `the proxy ${proxy}`, seen), cause: "proxy" };
  }
  const detail = `the proxy ${proxy} returned ${status} to CONNECT ${seen.host}`;
  const failure = notSent("proxy", detail, status === 429 || status >= 500, seen);
  return status === 407 ? { ...failure, hint: { why: "proxyCredentials" } } : failure;
}

function failureToConnect({ code, reached, timedOut }: NoResponse, host: string, seen: Seen): Failure {
  if (timedOut) {
    return notSent("unreachable", `no connection to ${host} within ${inSeconds(seen.timeoutMs)}`, true, seen);
  }
  const isPassing = PASSING.has(code);
  return reached === "tcp" && !isPassing
    ? notSent("tls", `no trusted connection to ${host} (${printedCode(code)})`, false, seen)
    : notSent("unreachable", `no connection to ${host} (${printedCode(code)})`, isPassing, seen);
}

// --- the words of the platform

/** The texts of an error. The interface specifies one form (7.1); other servers write the forms `{error}`, `{message}`, `{detail}` and `{errors: []}`, also inside each other. */
function textsOf(json: unknown, depth = 0): string[] {
  if (depth > 8) {
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

/** The text without the token, and without what the request has sent. It is cut last: of a value that is cut, a part would stay. */
function fitToShow(text: string, { body, headers }: HttpRequest, token: string, longest?: number): string | undefined {
  const sent = textsSent({ ...(parseJson(body) as object), ...headers });
  return clean(withoutSent(redact(text, token), sent), token, longest) || undefined;
}

/** The words of a body, in one of the common forms. Of a 2xx nothing else is shown, because it may hold a chat or a voice. */
const wordsIn = (json: unknown, request: HttpRequest, token: string): string | undefined =>
  fitToShow([...new Set(textsOf(json))].join("; "), request, token);

/** Why a response refuses, fit to be shown: its words, else its beginning. A page of HTML is not quoted, nor a part of a body. */
function wordsOf(
  reply: HttpResponse,
  body: ParsedBody,
  isPage: boolean,
  request: HttpRequest,
  token: string,
): string | undefined {
  const words = body.form === "json" ? wordsIn(body.value, request, token) : undefined;
  const text = decodeLoosely(reply.bytes);
  const isNothing = body.form === "json" && /^\s*(?:null|\{\s*\}|\[\s*\]|"\s*")\s*$/.test(text);
  const isQuoted = !isNothing && !isPage && reply.body === "whole";
  return words ?? (isQuoted ? fitToShow(text, request, token, 200) : undefined);
}
