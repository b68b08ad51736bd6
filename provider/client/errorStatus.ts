import type { Advice, Cause } from "../core/api/operations";
import { redact } from "../core/common/redact";
import { mediaType, parseBody } from "./body";
import type { FailedAttempt, Route } from "./failure";
import { parseHttpDate, parseRetryAfter } from "./retry";
import type { HttpResponse } from "./transport";
import { isPlatformError, type Unshown, wordsOf } from "./words";

/** What a response that is no 2xx says of the request, and of the way out. */

export interface Circumstances extends Route, Unshown {
  readonly request: Unshown["request"] & { readonly url: URL };
  readonly wallClockMs: number;
  readonly timeoutMs: number;
}

export function classifyError(reply: HttpResponse, circumstances: Circumstances): FailedAttempt {
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
export function errorWords(reply: HttpResponse, unshown: Unshown): ErrorWords {
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
