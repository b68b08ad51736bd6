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
import type { Cause, Exchange, Failure, Outcome } from "./failure";
import { MAX_BODY_BYTES } from "./http";
import type { Call } from "./operation";

/** What one attempt tells. */

/** What is known beside the reply. */
export interface AttemptContext {
  readonly token: string;
  /** `host:port` of the platform and, if there is one, of the proxy. */
  readonly host: string;
  readonly proxy?: string | undefined;
  readonly wallClockMs: number;
  readonly timeoutMs: number;
  /** The exchange so far, with this attempt. */
  readonly exchange: Exchange;
}

export function classify<Response>(reply: HttpReply, call: Call<Response>, context: AttemptContext): Outcome<Response> {
  const outcome =
    reply.came === "nothing"
      ? { failure: failureWithoutResponse(reply, context) }
      : classifyResponse(reply, call, context);
  // A host or a media type is the server's text as well, and may be the token.
  return outcome.failure === undefined
    ? outcome
    : { failure: { ...outcome.failure, detail: withhold(outcome.failure.detail, secretsOf(call, context)) } };
}

const secretsOf = ({ secrets }: Call<unknown>, { token }: AttemptContext): Secrets =>
  new Map([...secrets, ...tokenAsSecret(token)]);

function classifyResponse<Response>(
  reply: HttpResponse,
  call: Call<Response>,
  context: AttemptContext,
): Outcome<Response> {
  const { status, headers, bytes, body: end } = reply;
  const { host, token, timeoutMs } = context;
  const body = parseBody(bytes, headers.contentType, token);
  if (status < 200 || status >= 300) {
    return { failure: failureOfStatus(reply, body, call, context) };
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
    return {
      failure: failed(
        { outcome: "unknown", cause: isSilence ? "noResponse" : "unusable", detail: details[end], retry: true },
        context,
      ),
    };
  }
  const read = call.read(body);
  if ("response" in read) {
    return { response: read.response, status };
  }
  const platformMessage = platformMessageInSuccess(body, secretsOf(call, context));
  if ("refused" in read) {
    const detail = `${host} says that the request failed`;
    return {
      failure: { ...failed({ outcome: "rejected", cause: "refused", detail, retry: false }, context), platformMessage },
    };
  }
  return {
    failure: {
      ...failed({ outcome: "unknown", cause: "unusable", detail: read.unusable, retry: true }, context),
      platformMessage,
    },
  };
}

/** Nothing was sent, or the request may have been carried out, or the body of a 2xx refuses it. */
const failed = (
  failure: Pick<Failure, "outcome" | "cause" | "detail" | "retry">,
  { exchange }: AttemptContext,
): Failure => ({
  ...failure,
  isPlatformError: false,
  exchange,
});

function failureOfStatus(reply: HttpResponse, body: ParsedBody, call: Call<unknown>, context: AttemptContext): Failure {
  const { status, headers, bytes } = reply;
  const { host, exchange } = context;
  const meaning = meaningOf(status);
  if (meaning.cause === "redirected") {
    const redirect = readRedirect(reply, call, context);
    return { ...meaning, ...redirect, isPlatformError: false, exchange };
  }
  const type = mediaType(headers.contentType);
  const text = new TextDecoder().decode(bytes);
  // Whatever it calls itself, a page of HTML comes from a gateway or a sign-in.
  const isPage = type === "text/html" || /<(?:!doctype\s+)?html\b/i.test(text);
  const isQuoted = !isPage && reply.body === "whole";
  const words = {
    platformMessage: platformMessageIn(body, isQuoted ? text : "", secretsOf(call, context)),
    isPlatformError: type === "application/json" && body.form === "json" && isErrorOfInterface(body.value),
  };
  // The media type shows a reader who responded, a proxy or the platform.
  const sender = type.endsWith("json") || bytes.length === 0 ? host : `${host}, content-type ${type}`;
  // A date in Retry-After is compared with the server's own date. If the response has none, this machine's clock
  // counts.
  const reference = parseHttpDate(headers.date ?? "") ?? context.wallClockMs;
  const retryAfterMs = parseRetryAfter(headers.retryAfter ?? "", reference);
  return {
    ...meaning,
    ...words,
    detail: `from ${sender}`,
    hint: isForeign(status, isPage, words) ? { why: "inTheWay" } : undefined,
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
  // A redirect may be the response to a request that was carried out, as a 303 is. Another attempt would be redirected
  // as well.
  if (status >= 300 && status < 400) {
    return { cause: "redirected", outcome: "unknown", retry: false };
  }
  if (status >= 400 && status < 500) {
    const causes: Readonly<Record<number, Cause>> = { 401: "unauthenticated", 403: "forbidden", 404: "notFound" };
    return { cause: causes[status] ?? "refused", outcome: "rejected", retry: false };
  }
  // The server does not know the method or the version of HTTP: nothing was carried out, and a second attempt would not
  // change that.
  if (status === 501 || status === 505) {
    return { cause: "serverError", outcome: "rejected", retry: false };
  }
  return { cause: status < 600 ? "serverError" : "unusable", outcome: "unknown", retry: true };
}

/** Is it a response of another server: a page without the platform's words, or a 404 that is not its own error? */
function isForeign(
  status: number,
  isPage: boolean,
  { platformMessage, isPlatformError }: Pick<Failure, "platformMessage" | "isPlatformError">,
): boolean {
  const isBlocked = isPage && platformMessage === undefined && status < 500 && status !== 401 && status !== 429;
  return isBlocked || (status === 404 && !isPlatformError);
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

/** Reads the address of a redirect. It shows the origin alone, because the path and the query may hold secrets. */
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
    return { detail: `${host} redirects to another of its own paths, which is not followed` };
  }
  const address = withhold(target.origin, secretsOf(call, context));
  const detail = `${host} redirects to ${address}, which is not followed`;
  // An address that repeats a secret is not the platform's own, and nobody should set it.
  return address === target.origin ? { detail, hint: { why: "elsewhere", address } } : { detail };
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
function failureWithoutResponse(reply: NoResponse, context: AttemptContext): Failure {
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
    return failed({ outcome: "unknown", cause: "noResponse", detail, retry: true }, context);
  }
  if (code.startsWith("HPE_")) {
    const detail = `${host} sent something that is not HTTP`;
    return failed({ outcome: "unknown", cause: "unusable", detail, retry: true }, context);
  }
  const detail = `${host} closed the connection before it responded (${printedCode(code)})`;
  return failed({ outcome: "unknown", cause: "noResponse", detail, retry: true }, context);
}

/**
 * The proxy opened no tunnel, so the platform has seen nothing. A proxy that is overloaded may accept the request a
 * second later.
 */
function failureOfProxy(reply: NoResponse, proxy: string, context: AttemptContext): Failure {
  const { proxyStatus: status } = reply;
  if (status === undefined) {
    return { ...failureToConnect(reply, `the proxy ${proxy}`, context), cause: "proxy" };
  }
  const detail = `the proxy ${proxy} returned ${status} to CONNECT ${context.host}`;
  const retry = status === 429 || status >= 500;
  return failed({ outcome: "not sent", cause: "proxy", detail, retry }, context);
}

function failureToConnect({ code, reached, timedOut }: NoResponse, host: string, context: AttemptContext): Failure {
  if (timedOut) {
    const detail = `no connection to ${host} within ${inSeconds(context.timeoutMs)}`;
    return failed({ outcome: "not sent", cause: "unreachable", detail, retry: true }, context);
  }
  const isPassing = PASSING.has(code);
  const [cause, connection]: [Cause, string] =
    reached === "tcp" && !isPassing ? ["tls", "trusted connection"] : ["unreachable", "connection"];
  const detail = `no ${connection} to ${host} (${printedCode(code)})`;
  return failed({ outcome: "not sent", cause, detail, retry: isPassing }, context);
}
