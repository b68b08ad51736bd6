import { type Secrets, tokenAsSecret, withhold } from "../base/secrets";
import { parseUrl } from "../base/text";
import type { HttpReply, HttpResponse, NoResponse } from "../base/world";
import {
  isErrorOfInterface,
  mediaType,
  type ParsedBody,
  parseBody,
  platformMessageIn,
  platformMessageInSuccess,
} from "./body";
import type { Cause, Exchange, Failure, Outcome, Success } from "./failure";
import { MAX_BODY_BYTES } from "./http";
import type { Call } from "./operation";

/**
 * Decides what the result of a single attempt means: whether the request was carried out, rejected or never sent, and
 * whether a retry might help.
 */

/** What `classify` needs to know apart from the reply and the request. */
export interface AttemptContext {
  readonly token: string;
  /** The `host:port` of the platform and of the proxy, if any, for use in messages. */
  readonly host: string;
  readonly proxy?: string | undefined;
  readonly wallClockMs: number;
  readonly timeoutMs: number;
  /** The exchange so far, including this attempt. */
  readonly exchange: Exchange;
}

/** Why an attempt failed. `classify` adds the exchange. */
type AttemptFailure = Omit<Failure, "exchange">;

export function classify<Response>(reply: HttpReply, call: Call<Response>, context: AttemptContext): Outcome<Response> {
  const result =
    reply.came === "nothing" ? failureWithoutResponse(reply, context) : classifyResponse(reply, call, context);
  if ("response" in result) {
    return result;
  }
  // The server may have put a secret into a string that `detail` quotes, such as the host name in a redirect.
  const detail = withhold(result.detail, secretsOf(call, context));
  return { failure: { ...result, detail, exchange: context.exchange } };
}

const secretsOf = ({ secrets }: Call<unknown>, { token }: AttemptContext): Secrets =>
  new Map([...secrets, ...tokenAsSecret(token)]);

function classifyResponse<Response>(
  reply: HttpResponse,
  call: Call<Response>,
  context: AttemptContext,
): Success<Response> | AttemptFailure {
  const { status, headers, bytes, body: end } = reply;
  const { host, token, timeoutMs } = context;
  const body = parseBody(bytes, headers.contentType, token);
  if (status < 200 || status >= 300) {
    return failureOfStatus(reply, body, call, context);
  }
  if (end !== "whole") {
    // The status suggests success, but without the whole body we don't know what was created or assigned.
    const details = {
      tooLarge: `the response is larger than ${MAX_BODY_BYTES} bytes`,
      undecodable: `the response cannot be decompressed, content-type ${mediaType(headers.contentType)}`,
      timedOut: `the response from ${host} was not complete within ${inSeconds(timeoutMs)}`,
      cut: `${host} closed the connection in the middle of its response, after ${bytes.length} bytes`,
    };
    const isSilence = end === "timedOut" || end === "cut";
    return { outcome: "unknown", cause: isSilence ? "noResponse" : "unusable", detail: details[end], retry: true };
  }
  const read = call.read(body);
  if ("response" in read) {
    return { response: read.response, status };
  }
  const platformMessage = platformMessageInSuccess(body, secretsOf(call, context));
  if ("refused" in read) {
    const detail = `${host} says that the request failed`;
    return { outcome: "rejected", cause: "refused", detail, platformMessage, retry: false };
  }
  return { outcome: "unknown", cause: "unusable", detail: read.unusable, platformMessage, retry: true };
}

function failureOfStatus(
  reply: HttpResponse,
  body: ParsedBody,
  call: Call<unknown>,
  context: AttemptContext,
): AttemptFailure {
  const { status, headers, bytes } = reply;
  const { host } = context;
  const meaning = meaningOf(status);
  if (meaning.cause === "redirected") {
    return { ...meaning, ...readRedirect(reply, call, context) };
  }
  const type = mediaType(headers.contentType);
  const text = new TextDecoder().decode(bytes);
  // Treat an HTML body as a gateway page or a sign-in form, even if its media type says otherwise.
  const isPage = type === "text/html" || /<(?:!doctype\s+)?html\b/i.test(text);
  const isQuoted = !isPage && reply.body === "whole";
  const platformError = {
    platformMessage: platformMessageIn(body, isQuoted ? text : "", secretsOf(call, context)),
    isPlatformError: type === "application/json" && body.form === "json" && isErrorOfInterface(body.value),
  };
  // Show the media type of a body that isn't JSON, such as text/html, to help the user tell whether a proxy or the
  // platform responded.
  const sender = type.endsWith("json") || bytes.length === 0 ? host : `${host}, content-type ${type}`;
  // Retry-After may be a date. Compare it with the response's Date header, or with our own clock if there is none.
  const reference = parseHttpDate(headers.date ?? "") ?? context.wallClockMs;
  const retryAfterMs = parseRetryAfter(headers.retryAfter ?? "", reference);
  return {
    ...meaning,
    ...platformError,
    detail: `from ${sender}`,
    hint: isFromAnotherServer(status, isPage, platformError) ? { why: "inTheWay" } : undefined,
    retryAfterMs,
  };
}

function meaningOf(status: number): Pick<Failure, "cause" | "outcome" | "retry"> {
  if (status === 429) {
    return { cause: "rateLimited", outcome: "rejected", retry: true };
  }
  if (status === 408) {
    return { cause: "noResponse", outcome: "unknown", retry: true };
  }
  // On a redirect, the platform may already have carried out the request, as it does before a 303. Don't retry, because
  // the retry would only be redirected again.
  if (status >= 300 && status < 400) {
    return { cause: "redirected", outcome: "unknown", retry: false };
  }
  if (status >= 400 && status < 500) {
    const causes: Readonly<Record<number, Cause>> = { 401: "unauthenticated", 403: "forbidden", 404: "notFound" };
    return { cause: causes[status] ?? "refused", outcome: "rejected", retry: false };
  }
  // The server doesn't support the method (501) or the HTTP version (505), so nothing was carried out and a retry won't
  // help.
  if (status === 501 || status === 505) {
    return { cause: "serverError", outcome: "rejected", retry: false };
  }
  return { cause: status < 600 ? "serverError" : "unusable", outcome: "unknown", retry: true };
}

/**
 * Returns true if the response probably came from a server other than the platform, such as a proxy that returns a
 * sign-in page.
 */
function isFromAnotherServer(
  status: number,
  isPage: boolean,
  { platformMessage, isPlatformError }: Pick<Failure, "platformMessage" | "isPlatformError">,
): boolean {
  const isBlocked = isPage && platformMessage === undefined && status < 500 && status !== 401 && status !== 429;
  return isBlocked || (status === 404 && !isPlatformError);
}

/** Parses an HTTP date into milliseconds since 1970. */
function parseHttpDate(text: string): number | undefined {
  const date = text.endsWith(" GMT") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}

/** Parses Retry-After, which holds seconds or an HTTP date, into milliseconds. Returns undefined for anything else. */
function parseRetryAfter(text: string, wallClockMs: number): number | undefined {
  if (/^\d{1,12}$/.test(text)) {
    return Number(text) * 1000;
  }
  const date = parseHttpDate(text);
  return date === undefined ? undefined : Math.max(0, date - wallClockMs);
}

/** Describes the target of a redirect. Shows only the origin, because the path and query may contain secrets. */
function readRedirect(
  { headers: { location = "" }, status }: HttpResponse,
  call: Call<unknown>,
  context: AttemptContext,
): Pick<Failure, "detail" | "hint"> {
  const { host } = context;
  const target = location === "" ? undefined : parseUrl(location, call.url);
  if (target === undefined || !/^https?:$/.test(target.protocol)) {
    return { detail: `${host} returned ${status} without an address` };
  }
  if (target.origin === call.url.origin) {
    return { detail: `${host} redirects to another path on the same host, but redirects are not followed` };
  }
  const address = withhold(target.origin, secretsOf(call, context));
  const detail = `${host} redirects to ${address}, but redirects are not followed`;
  // If `withhold` changed the address, it contains a secret and can't be the platform's own, so don't suggest it as a
  // base URL.
  return address === target.origin ? { detail, hint: { why: "elsewhere", address } } : { detail };
}

// --- no response

/** Node's codes for errors that often disappear within a second, so that a retry may succeed. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
  ...["ECONNRESET", "EPIPE", "EADDRNOTAVAIL", "EMFILE"],
]);

/**
 * Returns an error code such as `ECONNRESET` for use in a message. Returns `no code` if the code doesn't look like a
 * constant from Node, OpenSSL or llhttp.
 */
const printedCode = (code: string): string => (/^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : "no code");

/** Formats a duration, such as `30 s` or `0.05 s`. */
const inSeconds = (milliseconds: number): string =>
  `${Number((milliseconds / 1000).toFixed(milliseconds < 1000 ? 3 : 1))} s`;

/** Returns a failure that explains why there was no response. We don't use got's messages, because they quote URLs. */
function failureWithoutResponse(reply: NoResponse, context: AttemptContext): AttemptFailure {
  const { reached, timedOut, code } = reply;
  const { proxy } = context;
  if (proxy !== undefined && reached === "nowhere") {
    return failureOfProxy(reply, proxy, context);
  }
  const host = proxy === undefined ? context.host : `${context.host} (through the proxy ${proxy})`;
  if (reached !== "open") {
    return failureToConnect(reply, host, context);
  }
  if (timedOut) {
    const detail = `no response from ${host} within ${inSeconds(context.timeoutMs)}`;
    return { outcome: "unknown", cause: "noResponse", detail, retry: true };
  }
  if (code.startsWith("HPE_")) {
    const detail = `${host} sent something that is not HTTP`;
    return { outcome: "unknown", cause: "unusable", detail, retry: true };
  }
  const detail = `${host} closed the connection before it responded (${printedCode(code)})`;
  return { outcome: "unknown", cause: "noResponse", detail, retry: true };
}

/** Returns the failure for a proxy that couldn't be reached or didn't open a tunnel. Nothing reached the platform. */
function failureOfProxy(reply: NoResponse, proxy: string, context: AttemptContext): AttemptFailure {
  const { proxyStatus: status } = reply;
  if (status === undefined) {
    return { ...failureToConnect(reply, `the proxy ${proxy}`, context), cause: "proxy" };
  }
  const detail = `the proxy ${proxy} returned ${status} for CONNECT ${context.host}`;
  // Retry if the proxy may only be overloaded.
  const retry = status === 429 || status >= 500;
  return { outcome: "not sent", cause: "proxy", detail, retry };
}

function failureToConnect(
  { code, reached, timedOut }: NoResponse,
  host: string,
  context: AttemptContext,
): AttemptFailure {
  if (timedOut) {
    const detail = `could not connect to ${host} within ${inSeconds(context.timeoutMs)}`;
    return { outcome: "not sent", cause: "unreachable", detail, retry: true };
  }
  const isTransient = TRANSIENT_CODES.has(code);
  const [cause, failed]: [Cause, string] =
    reached === "tcp" && !isTransient
      ? ["tls", "could not establish a trusted connection to"]
      : ["unreachable", "could not connect to"];
  const detail = `${failed} ${host} (${printedCode(code)})`;
  return { outcome: "not sent", cause, detail, retry: isTransient };
}
