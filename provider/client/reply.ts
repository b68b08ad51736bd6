import type { Advice, Cause } from "../core/api/operations";
import { redact } from "../core/common/redact";
import { mediaType, type ParsedBody, type ParsedResponse, parseBody } from "./body";
import { classifySilence, type FailedAttempt, failing, inSeconds, type Route } from "./failure";
import { type Redirected, readRedirect } from "./redirect";
import { parseHttpDate, parseRetryAfter } from "./retry";
import { type HttpResponse, MAX_BODY_BYTES, type Reply } from "./transport";
import { isPlatformError, type Unshown, wordsOf, wordsOfUnusable } from "./words";

/** What an operation makes of the whole body of a 2xx. */
export type Reading<Response> =
  | ParsedResponse<Response | undefined>
  | { refused: true } /* the body says that the request failed */
  | { unusable: string };

export type Reader<Response> = (body: ParsedBody) => Reading<Response>;

/** One attempt, classified. */
export type Attempt<Response> = AppliedAttempt<Response> | FailedAttempt;

interface AppliedAttempt<Response> {
  readonly cause?: undefined;
  readonly response: Response | undefined;
  readonly issues: string[];
  readonly status: number;
}

interface Circumstances extends Route, Unshown {
  readonly request: Unshown["request"] & Redirected;
  readonly wallClockMs: number;
  readonly timeoutMs: number;
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
  if ("value" in reading) {
    return { response: reading.value, issues: reading.issues, status };
  }
  if ("refused" in reading) {
    const words = errorWords(reply, circumstances);
    return { ...failing("refused", "final", `${circumstances.host} says that the request failed`), status, ...words };
  }
  // A response that is not JSON may be a login page, so its words are not shown.
  const platformMessage = body.kind === "json" ? wordsOfUnusable(reply, body.value, circumstances) : undefined;
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

// --- any other status

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

function classifyError(reply: HttpResponse, circumstances: Circumstances): FailedAttempt {
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

type Words = Pick<FailedAttempt, "platformMessage" | "isPlatformError">;

/** The words of an error, and whether they are the platform's own. */
function errorWords(reply: HttpResponse, unshown: Unshown): Words {
  const { contentType } = reply.headers;
  const body = parseBody(reply.bytes, contentType, unshown.token);
  const isOwn = body.kind === "json" && isPlatformError(body.value) && mediaType(contentType) === "application/json";
  return { platformMessage: wordsOf(reply, body, unshown), isPlatformError: isOwn };
}

/** What the status and the sender say of the way out. */
function adviceOn(status: number, type: string, { platformMessage, isPlatformError }: Words): Advice | undefined {
  if (type === "text/html" && status < 500 && status !== 401) {
    return { why: "page" };
  }
  if (status === 404) {
    return isPlatformError ? undefined : { why: "notThePlatform" };
  }
  return platformMessage === undefined ? { why: "noReason" } : undefined;
}
