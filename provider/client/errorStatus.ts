import type { Advice, Cause } from "../core/api/operations";
import { redact } from "../core/common/redact";
import { parseBaseUrl } from "../core/platform/endpoint";
import { mediaType, parseBody } from "./body";
import type { FailedAttempt, Route } from "./failure";
import { parseHttpDate, parseRetryAfter } from "./retry";
import type { HttpResponse } from "./transport";
import { isPlatformError, type Unshown, wordsOf } from "./words";

/** What a response that is no 2xx says of the request, and of the way out. */

export interface Circumstances extends Route, Unshown {
  readonly request: Unshown["request"] & Redirected;
  readonly wallClockMs: number;
  readonly timeoutMs: number;
}

export function classifyError(reply: HttpResponse, circumstances: Circumstances): FailedAttempt {
  const { status, headers, bytes } = reply;
  const { host, request, token } = circumstances;
  const classified = { ...classifyStatus(status), status };
  if (status === 304) {
    const detail = `${host} returned 304 (not modified), which was not asked for`;
    return { ...classified, detail, advice: { why: "inTheWay", address: host } };
  }
  if (classified.cause === "redirected") {
    const { to, advice } = readRedirect(redact(headers.location ?? "", token) || undefined, request);
    return { ...classified, detail: `${host} redirects to ${to}, which is not followed`, advice };
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
export function errorWords(reply: HttpResponse, unshown: Unshown): ErrorWords {
  const { contentType } = reply.headers;
  const body = parseBody(reply.bytes, contentType, unshown.token);
  const isOwn = body.kind === "json" && isPlatformError(body.value) && mediaType(contentType) === "application/json";
  return { platformMessage: wordsOf(reply, body, unshown), isPlatformError: isOwn };
}

/** What the status and the sender say of the way out. */
function adviceOn(status: number, type: string, { platformMessage, isPlatformError }: ErrorWords): Advice | undefined {
  if (type === "text/html" && status < 500 && status !== 401) {
    return { why: "page" };
  }
  if (status === 404) {
    return isPlatformError ? undefined : { why: "notThePlatform" };
  }
  return platformMessage === undefined ? { why: "noReason" } : undefined;
}

// --- a redirect

/** Where a redirect leads, as far as it may be shown: its path and query may hold secrets. */
interface Redirect {
  readonly to: string;
  readonly advice: Advice;
}

/** The request that was redirected. Its URL begins with the base URL. */
interface Redirected {
  readonly url: URL;
  readonly baseUrl: string;
}

const SIGN_IN =
  /\b(?:log|sign)[-_]?(?:in|on)\b|\b(?:sso|oauth2?|saml2?|auth|authori[sz]e|accounts?|sessions?|portal)\b/i;

/** A path before that of the API, as in `https://host/v2`; a longer one may be a secret. */
const PREFIX = /^(?:\/[\w.~-]{1,30}){0,3}$/;

const withoutSlash = (path: string): string => path.replace(/\/$/, "");

/** The base URL at which the same operation is found. */
function baseUrlAt(target: URL, { url, baseUrl }: Redirected): string | undefined {
  const operation = url.href.slice(baseUrl.length);
  const prefix = target.pathname.slice(0, -operation.length);
  return target.pathname.endsWith(operation) && PREFIX.test(prefix) ? target.origin + prefix : undefined;
}

function readRedirect(location: string | undefined, from: Redirected): Redirect {
  const target =
    location !== undefined && URL.canParse(location, from.url.href) ? new URL(location, from.url.href) : undefined;
  if (target === undefined || !/^https?:$/.test(target.protocol)) {
    return { to: "no address", advice: { why: "inTheWay", address: from.url.host } };
  }
  const address = baseUrlAt(target, from);
  return address === undefined ? toOtherPath(target, from) : toOperation(address, target, from);
}

function toOperation(address: string, { host, hostname }: URL, { url, baseUrl }: Redirected): Redirect {
  if (address === baseUrl) {
    return { to: "the same address", advice: { why: "inTheWay", address: host } };
  }
  const why = hostname === url.hostname ? "moved" : "movedAway";
  return { to: address, advice: { why: parseBaseUrl(address).url === address ? why : "insecure", address } };
}

function toOtherPath({ host, hostname, origin, pathname }: URL, { url }: Redirected): Redirect {
  if (host === url.host && withoutSlash(pathname) === withoutSlash(url.pathname)) {
    const which = pathname.endsWith("/") ? "with" : "without";
    return { to: `the same path ${which} a slash at its end`, advice: { why: "inTheWay", address: host } };
  }
  if (SIGN_IN.test(`${hostname} ${pathname}`)) {
    return { to: `a page of ${host} to sign in`, advice: { why: "signIn", address: host } };
  }
  return {
    to: host === url.host ? "another path of the same host" : origin,
    advice: { why: "elsewhere", address: host },
  };
}
