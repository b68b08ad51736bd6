import type { Advice, Cause } from "../core/api/operations";
import { redact } from "../core/common/redact";
import { mediaType, type ParsedBody, type ParsedResponse, parseBody } from "./body";
import { type Redirected, readRedirect } from "./redirect";
import { parseHttpDate, parseRetryAfter, type RetryClass } from "./retry";
import { MAX_BODY_BYTES, type Reply } from "./transport";
import { isPlatformError, titleOf, type Unshown, wordsOf, wordsOfUnusable } from "./words";

/** What an operation makes of the whole body of a 2xx. */
export type Reading<Response> =
  | ParsedResponse<Response | undefined>
  | { refused: true } /* the body says that the request failed */
  | { unusable: string };

export type Reader<Response> = (body: ParsedBody) => Reading<Response>;

/** One attempt, classified. */
export type Classified<Response> = Applied<Response> | Failed;

interface Applied<Response> {
  readonly cause?: undefined;
  readonly response: Response | undefined;
  readonly issues: string[];
  readonly status: number;
}

/** Why an attempt failed, and whether it may be repeated. */
export interface Failed {
  readonly cause: Cause;
  readonly retryClass: RetryClass;
  readonly detail: string;
  readonly status?: number | undefined;
  readonly platformMessage?: string | undefined;
  readonly isPlatformError?: boolean;
  readonly advice?: Advice | undefined;
  readonly retryAfterMs?: number | undefined;
}

const failing = (cause: Cause, retryClass: RetryClass, detail: string): Failed => ({ cause, retryClass, detail });

/** The target of a request: `host:port` of the platform and, if there is one, of the proxy. */
interface Route {
  readonly host: string;
  readonly proxy?: string | undefined;
}

interface Circumstances extends Route, Unshown {
  readonly request: Unshown["request"] & Redirected;
  readonly wallClockMs: number;
  readonly timeoutMs: number;
}

type HttpResponse = Extract<Reply, { came: "response" }>;

const CAUSES: Readonly<Record<number, Cause>> = {
  401: "unauthenticated",
  403: "forbidden",
  404: "notFound",
  429: "rateLimited",
};
/** The server does not know the method or the version of HTTP: nothing was carried out, and a second attempt would not change that. */
const NEVER_CARRIED_OUT = new Set([501, 505]);

/** A status that is no 2xx (faults F16-F27). A redirect is sent once, because another attempt would be redirected as well. */
function classifyStatus(status: number): Pick<Failed, "cause" | "retryClass"> {
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
    return { cause: CAUSES[status] ?? "refused", retryClass: "final" };
  }
  if (NEVER_CARRIED_OUT.has(status)) {
    return { cause: "serverError", retryClass: "final" };
  }
  return { cause: status < 600 ? "serverError" : "unusable", retryClass: "unknown" };
}

/** The host and the media type of the response, and the title of a page: they show a reader who responded, a proxy or the platform. */
function senderOf(reply: HttpResponse, circumstances: Circumstances): string {
  const type = mediaType(reply.headers.contentType);
  const kind = type.endsWith("json") || reply.bytes.length === 0 ? "" : `, content-type ${type}`;
  const title = titleOf(reply, circumstances);
  return `from ${circumstances.host}${kind}${title === undefined ? "" : `, a page with the title "${title}"`}`;
}

/** What the status and the sender say of the way out. */
function adviceOf(
  { status, headers }: HttpResponse,
  words: Pick<Failed, "platformMessage" | "isPlatformError">,
): Advice | undefined {
  if (mediaType(headers.contentType) === "text/html" && status < 500 && status !== 401) {
    return { why: "page" };
  }
  if (status === 404) {
    return words.isPlatformError ? undefined : { why: "notThePlatform" };
  }
  return words.platformMessage === undefined ? { why: "noReason" } : undefined;
}

/** The words of an error, and whether they are the platform's own. */
function errorWords(
  reply: HttpResponse,
  { token, request }: Circumstances,
): Pick<Failed, "platformMessage" | "isPlatformError"> {
  const body = parseBody(reply.bytes, reply.headers.contentType, token);
  const isOwn = body.kind === "json" && isPlatformError(body.value);
  return {
    platformMessage: wordsOf(reply, body, { token, request }),
    isPlatformError: isOwn && mediaType(reply.headers.contentType) === "application/json",
  };
}

function classifyError(reply: HttpResponse, circumstances: Circumstances): Failed {
  const { status, headers } = reply;
  const { host, request } = circumstances;
  const classified = { ...classifyStatus(status), status };
  if (status === 304) {
    const detail = `${host} returned 304 (not modified), which was not asked for`;
    return { ...classified, detail, advice: { why: "inTheWay", address: host } };
  }
  if (classified.cause === "redirected") {
    const { to, advice } = readRedirect(redact(headers.location ?? "", circumstances.token) || undefined, request);
    return { ...classified, detail: `${host} redirects to ${to}, which is not followed`, advice };
  }
  const failed = { ...classified, ...errorWords(reply, circumstances) };
  // A date in Retry-After is compared with the server's own date (F59). If the response has none, this machine's clock counts.
  const reference = parseHttpDate(headers.date ?? "") ?? circumstances.wallClockMs;
  const retryAfterMs = parseRetryAfter(headers.retryAfter ?? "", reference);
  return { ...failed, detail: senderOf(reply, circumstances), advice: adviceOf(reply, failed), retryAfterMs };
}

/** Why the body of a 2xx cannot be used. The operation was most likely carried out, but it is not known what it made. */
const BROKEN: Readonly<
  Record<Exclude<HttpResponse["body"], "whole">, (reply: HttpResponse, circumstances: Circumstances) => [Cause, string]>
> = {
  tooLarge: () => ["unusable", `the response is larger than ${MAX_BODY_BYTES} bytes`],
  undecodable: ({ headers }) => [
    "unusable",
    `the response cannot be decompressed, content-type ${mediaType(headers.contentType)}`,
  ],
  timedOut: (_, { host, timeoutMs }) => [
    "noResponse",
    `the response from ${host} was not complete within ${inSeconds(timeoutMs)}`,
  ],
  cut: ({ bytes }, { host }) => [
    "noResponse",
    `${host} closed the connection in the middle of its response, after ${bytes.length} bytes`,
  ],
};

function classifySuccess<Response>(
  reply: HttpResponse,
  circumstances: Circumstances,
  read: Reader<Response>,
): Classified<Response> {
  const { status } = reply;
  if (reply.body !== "whole") {
    const [cause, detail] = BROKEN[reply.body](reply, circumstances);
    return { cause, retryClass: "unknown", detail, status };
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

function classify<Response>(reply: Reply, circumstances: Circumstances, read: Reader<Response>): Classified<Response> {
  if (reply.came === "nothing") {
    return classifySilence(reply, circumstances, circumstances.timeoutMs);
  }
  const isSuccess = reply.status >= 200 && reply.status < 300;
  return isSuccess ? classifySuccess(reply, circumstances, read) : classifyError(reply, circumstances);
}

/** Every reply is applied, rejected or unknown. */
export function classifyReply<Response>(
  reply: Reply,
  circumstances: Circumstances,
  read: Reader<Response>,
): Classified<Response> {
  const classified = classify(reply, circumstances, read);
  // A host or a media type is the server's text as well, and may be the token.
  return classified.cause === undefined
    ? classified
    : { ...classified, detail: redact(classified.detail, circumstances.token) };
}

type Silence = Extract<Reply, { came: "nothing" }>;

/** Codes of failures that may be over in a second. */
const PASSING: Readonly<Record<string, (host: string) => string>> = {
  ECONNREFUSED: (host) => `connection refused by ${host}`,
  EAI_AGAIN: (host) => `the name server did not respond for ${host}`,
  ETIMEDOUT: (host) => `no connection to ${host} in time`,
  EHOSTUNREACH: (host) => `no route to ${host}`,
  ENETUNREACH: (host) => `no route to the network of ${host}`,
  ECONNRESET: (host) => `${host} closed the connection before anything was sent`,
  EPIPE: (host) => `${host} closed the connection before anything was sent`,
  EADDRNOTAVAIL: (host) => `no local port is left for a connection to ${host}`,
  EMFILE: (host) => `too many open files for a connection to ${host}`,
};

const UNKNOWN_AUTHORITY = "its certificate is signed by an unknown authority";
const NO_TLS = "it does not speak TLS on this port";
const TLS_REASONS: Readonly<Record<string, readonly [text: string, why?: Advice["why"]]>> = {
  CERT_HAS_EXPIRED: ["its certificate has expired", "expired"],
  CERT_NOT_YET_VALID: ["its certificate is not valid yet", "expired"],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["its certificate is self-signed", "unknownAuthority"],
  SELF_SIGNED_CERT_IN_CHAIN: [UNKNOWN_AUTHORITY, "unknownAuthority"],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [UNKNOWN_AUTHORITY, "unknownAuthority"],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [UNKNOWN_AUTHORITY, "unknownAuthority"],
  ERR_TLS_CERT_ALTNAME_INVALID: ["its certificate is for another host"],
  EPROTO: [NO_TLS],
  ERR_SSL_WRONG_VERSION_NUMBER: [NO_TLS],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: [NO_TLS],
};

/** The code, if it has the form of a constant of Node, OpenSSL or llhttp. */
function shownCode(code: string): string {
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : "no code";
}

/** `30 s`, `0.05 s`. */
export function inSeconds(milliseconds: number): string {
  return `${Number((milliseconds / 1000).toFixed(milliseconds < 1000 ? 3 : 1))} s`;
}

/** The proxy opened no tunnel, so the platform has seen nothing. A proxy that is overloaded may accept the request a second later. */
function noTunnel(silence: Silence, proxy: string, target: string, timeoutMs: number): Failed {
  const { proxyStatus: status, code } = silence;
  if (status !== undefined) {
    const isPassing = status === 429 || status >= 500;
    const detail = `the proxy ${proxy} returned ${status} to CONNECT ${target}`;
    const advice = status === 407 ? ({ why: "proxyCredentials" } as const) : undefined;
    return { ...failing("proxy", isPassing ? "unreachable" : "final", detail), advice };
  }
  const reached = code in TLS_REASONS ? "tcp" : "nowhere";
  return { ...notSent({ ...silence, reached }, `the proxy ${proxy}`, timeoutMs), cause: "proxy" };
}

function notSent({ code, reached, timedOut }: Silence, host: string, timeoutMs: number): Failed {
  if (timedOut) {
    return failing("unreachable", "unreachable", `no connection to ${host} within ${inSeconds(timeoutMs)}`);
  }
  if (code === "ENOTFOUND") {
    return failing("unreachable", "unknownHost", `no address is known for ${host}`);
  }
  const passing = PASSING[code];
  if (passing) {
    return failing("unreachable", "unreachable", passing(host));
  }
  if (reached === "tcp") {
    const [reason, why] = TLS_REASONS[code] ?? [shownCode(code)];
    const advice = why && { why };
    return { ...failing("tls", "final", `no trusted connection to ${host}: ${reason}`), advice };
  }
  return failing("unreachable", "final", `no connection to ${host}: ${shownCode(code)}`);
}

/** Why no response came. The messages of got are not used, because they quote URLs. */
export function classifySilence(reply: Silence, { host: target, proxy }: Route, timeoutMs: number): Failed {
  if (proxy !== undefined && reply.reached === "nowhere") {
    return noTunnel(reply, proxy, target, timeoutMs);
  }
  const host = proxy === undefined ? target : `${target} (through the proxy ${proxy})`;
  if (reply.reached !== "open") {
    return notSent(reply, host, timeoutMs);
  }
  if (reply.timedOut) {
    return failing("noResponse", "unknown", `no response from ${host} within ${inSeconds(timeoutMs)}`);
  }
  if (reply.code.startsWith("HPE_")) {
    return failing("unusable", "unknown", `${host} sent something that is not HTTP`);
  }
  const detail = `${host} closed the connection before it responded (${shownCode(reply.code)})`;
  return failing("noResponse", "unknown", detail);
}
