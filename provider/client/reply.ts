import type { Cause } from "../core/operations";
import { clean, redact } from "../core/redact";
import { type Body, decodeLoosely, mediaType, parseBody, type Read, withoutToken } from "./body";
import { type FailureClass, type OperationKind, parseHttpDate, parseRetryAfter } from "./retry";
import { MAX_BODY_BYTES, type Reply, SWITCHED_PROTOCOLS } from "./transport";
import { platformWords } from "./wire";

/** What an operation makes of the whole body of a 2xx. */
export type Reading<Answer> =
  | { applied: Answer | undefined; issues: string[] }
  | { refused: true } /* the body says that the request failed */
  | { unusable: string };

export type Reader<Answer> = (body: Body) => Reading<Answer>;

/** One attempt, classified. `failure` says whether it may be repeated, `outcome` what is known if it is not. */
export type Classified<Answer> =
  | { outcome: "applied"; answer: Answer | undefined; issues: string[]; status: number }
  | Failed;

export interface Failed {
  readonly outcome: "rejected" | "unknown";
  readonly cause: Cause;
  readonly failure: FailureClass;
  readonly detail: string;
  readonly status?: number | undefined;
  readonly platformMessage?: string | undefined;
  readonly isPlatformError: boolean;
  readonly retryAfterMs?: number | undefined;
}

export interface Circumstances extends Route {
  readonly kind: OperationKind;
  readonly token: string;
  readonly wallClockMs: number;
  readonly timeoutMs: number;
}

type Answered = Extract<Reply, { came: "answer" }>;

const CAUSES: Readonly<Record<number, Cause>> = {
  401: "unauthenticated",
  403: "forbidden",
  404: "notFound",
  429: "rateLimited",
};
/** The server says of itself that it does not know the method or the version: nothing was carried out, and nothing will be. */
const NEVER_CARRIED_OUT = new Set([501, 505]);

interface StatusClass {
  readonly outcome: "rejected" | "unknown";
  readonly cause: Cause;
  readonly failure: FailureClass;
}

/** A status that is no 2xx (faults F16-F27). A redirect may say where to see what a POST has made (303), so it is no refusal of one. */
function classifyStatus(status: number, kind: OperationKind): StatusClass {
  if (status === 429) {
    return { outcome: "rejected", cause: "rateLimited", failure: "rateLimited" };
  }
  if (status === 408) {
    return { outcome: "unknown", cause: "noAnswer", failure: "unknown" };
  }
  if (status >= 300 && status < 400) {
    return kind === "post"
      ? { outcome: "unknown", cause: "redirected", failure: "unknown" }
      : { outcome: "rejected", cause: "redirected", failure: "final" };
  }
  if (status >= 400 && status < 500) {
    return { outcome: "rejected", cause: CAUSES[status] ?? "refused", failure: "final" };
  }
  if (NEVER_CARRIED_OUT.has(status)) {
    return { outcome: "rejected", cause: "serverError", failure: "final" };
  }
  return { outcome: "unknown", cause: status < 600 ? "serverError" : "unusable", failure: "unknown" };
}

/** The host that a redirect leads to, and no more of it: path and query may hold anything. */
function redirectTarget(location: string | undefined, host: string): string {
  const isUrl = location !== undefined && URL.canParse(location, `http://${host}`);
  return (isUrl && clean(new URL(location, `http://${host}`).host, "", 100)) || "elsewhere";
}

/** Who answered, and with what: a 404 of some proxy is told from the platform's by its host and its media type. */
function statusDetail({ status, headers, bytes }: Answered, { host }: Circumstances): string {
  if (status >= 300 && status < 400) {
    return status === 304
      ? `${host} returned 304 (not modified), which was not asked for`
      : `${host} redirects to ${redirectTarget(headers.location, host)}, which is not followed`;
  }
  const type = mediaType(headers.contentType);
  return type.endsWith("json") || bytes.length === 0 ? `from ${host}` : `from ${host}, content-type ${type}`;
}

function shownWords(text: string | undefined, token: string): string | undefined {
  const shown = text === undefined ? "" : clean(text, token);
  return shown === "" ? undefined : shown;
}

/** An error body in whatever form it came (F42): the interface's JSON, other JSON, plain text. A page of HTML, or half a body, is not quoted. */
function errorWords(reply: Answered, token: string): { platformMessage: string | undefined; isPlatformError: boolean } {
  const body = parseBody(reply.bytes, reply.headers.contentType);
  const type = mediaType(reply.headers.contentType);
  if (body.kind === "json") {
    const { words, isPlatformError } = platformWords(body.value);
    return {
      platformMessage: shownWords(words, token),
      isPlatformError: isPlatformError && type === "application/json",
    };
  }
  const isWords = /^(?:text\/plain|unknown|.*json)$/.test(type) && reply.body === "whole";
  const isText = body.kind === "unreadable" && !body.isPage && isWords;
  return {
    platformMessage: isText ? shownWords(decodeLoosely(reply.bytes), token) : undefined,
    isPlatformError: false,
  };
}

function classifyError(reply: Answered, circumstances: Circumstances): Failed {
  const reference = parseHttpDate(reply.headers.date ?? "");
  return {
    ...classifyStatus(reply.status, circumstances.kind),
    ...errorWords(reply, circumstances.token),
    detail: statusDetail(reply, circumstances),
    status: reply.status,
    // The server's own clock is the one that its dates are meant by (F59); where it tells none, ours.
    retryAfterMs: parseRetryAfter(reply.headers.retryAfter, reference ?? circumstances.wallClockMs),
  };
}

function brokenBody(
  { body, bytes, headers }: Answered,
  { host, timeoutMs }: Circumstances,
): { cause: Cause; detail: string } | undefined {
  switch (body) {
    case "whole":
      return undefined;
    case "tooLarge":
      return { cause: "unusable", detail: `the response is larger than ${MAX_BODY_BYTES} bytes` };
    case "undecodable":
      return {
        cause: "unusable",
        detail: `the response cannot be decompressed, content-type ${mediaType(headers.contentType)}`,
      };
    case "timedOut":
      return { cause: "noAnswer", detail: `the response from ${host} was not complete within ${inSeconds(timeoutMs)}` };
    case "cut":
      return {
        cause: "noAnswer",
        detail: `${host} closed the connection in the middle of its response, after ${bytes.length} bytes`,
      };
  }
}

/** A 2xx whose body cannot be used: carried out, most likely, but what was made is not known. */
function unreadable(reply: Answered, cause: Cause, detail: string): Failed {
  return { outcome: "unknown", cause, failure: "unknown", detail, status: reply.status, isPlatformError: false };
}

function classifySuccess<Answer>(
  reply: Answered,
  circumstances: Circumstances,
  read: Reader<Answer>,
): Classified<Answer> {
  const { status } = reply;
  const broken = brokenBody(reply, circumstances);
  if (broken) {
    return unreadable(reply, broken.cause, broken.detail);
  }
  const body = withoutToken(parseBody(reply.bytes, reply.headers.contentType), reply.bytes, circumstances.token);
  const reading = read(body);
  if ("applied" in reading) {
    return { outcome: "applied", answer: reading.applied, issues: reading.issues, status };
  }
  const words = errorWords(reply, circumstances.token);
  if ("refused" in reading) {
    const detail = `${circumstances.host} says that the request failed`;
    return { outcome: "rejected", cause: "refused", failure: "final", detail, status, ...words };
  }
  // Words of a response that is not the platform's JSON are not shown: a login page is no message.
  return { ...unreadable(reply, "unusable", reading.unusable), ...(body.kind === "json" ? words : {}) };
}

function classify<Answer>(reply: Reply, circumstances: Circumstances, read: Reader<Answer>): Classified<Answer> {
  if (reply.came === "nothing") {
    const silence = classifySilence(reply, circumstances, circumstances.timeoutMs);
    return { ...silence, outcome: silence.failure === "unknown" ? "unknown" : "rejected", isPlatformError: false };
  }
  const isSuccess = reply.status >= 200 && reply.status < 300;
  return isSuccess ? classifySuccess(reply, circumstances, read) : classifyError(reply, circumstances);
}

/** Every reply is applied, rejected or unknown. */
export function classifyReply<Answer>(
  reply: Reply,
  circumstances: Circumstances,
  read: Reader<Answer>,
): Classified<Answer> {
  const classified = classify(reply, circumstances, read);
  // A host or a media type is the server's text as well, and may be the token.
  return classified.outcome === "applied"
    ? classified
    : { ...classified, detail: redact(classified.detail, circumstances.token) };
}

/** The reading of a response that the schema understood, or why it did not. */
export function readOr<Answer>(read: Read<Answer> | undefined, unusable: string): Reading<Answer> {
  return read ? { applied: read.value, issues: read.issues } : { unusable };
}

/** Why no response came, from the error code and from how far the connection got; got's own texts quote URLs and are not used. */
export interface NetworkFailure {
  readonly cause: Cause;
  readonly failure: FailureClass;
  readonly detail: string;
}

type Silence = Extract<Reply, { came: "nothing" }>;

/** Codes of a network that may be better in a second. */
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

const UNKNOWN_AUTHORITY =
  "its certificate is signed by an unknown authority (set NODE_EXTRA_CA_CERTS for a private one)";
const TLS_REASONS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed (set NODE_EXTRA_CA_CERTS for a private authority)",
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  EPROTO: "it does not speak TLS on this port",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS on this port",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not speak TLS on this port",
};

/** A code is a constant of Node, OpenSSL or llhttp; anything else is not shown. */
function shownCode(code: string): string {
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : "no code";
}

/** `30 s`, `0.05 s`. */
export function inSeconds(milliseconds: number): string {
  return `${Number((milliseconds / 1000).toFixed(milliseconds < 1000 ? 3 : 1))} s`;
}

/** A proxy that refuses a request does so again a second later; one that cannot serve it now may be better then. */
function refusedByProxy(proxy: string, target: string, status: number): NetworkFailure {
  const detail = `the proxy ${proxy} returned ${status} to CONNECT ${target}`;
  if (status === 407) {
    return { cause: "proxy", failure: "final", detail: `${detail}: it does not accept the user name and password` };
  }
  const isPassing = status === 429 || status >= 500;
  return { cause: "proxy", failure: isPassing ? "unreachable" : "final", detail };
}

/** No tunnel through the proxy came about: the platform has seen nothing. */
function noTunnel(silence: Silence, proxy: string, target: string, timeoutMs: number): NetworkFailure {
  if (silence.proxyStatus !== undefined) {
    return refusedByProxy(proxy, target, silence.proxyStatus);
  }
  if (silence.timedOut) {
    const detail = `the proxy ${proxy} opened no connection to ${target} within ${inSeconds(timeoutMs)}`;
    return { cause: "proxy", failure: "unreachable", detail };
  }
  if (silence.code.startsWith("HPE_")) {
    return { cause: "proxy", failure: "final", detail: `the proxy ${proxy} does not speak HTTP` };
  }
  const failure = notSent(
    { ...silence, reached: silence.code in TLS_REASONS ? "tcp" : "nowhere" },
    `the proxy ${proxy}`,
    timeoutMs,
  );
  return { ...failure, cause: "proxy" };
}

function notSent({ code, reached, timedOut }: Silence, host: string, timeoutMs: number): NetworkFailure {
  if (timedOut) {
    return {
      cause: "unreachable",
      failure: "unreachable",
      detail: `no connection to ${host} within ${inSeconds(timeoutMs)}`,
    };
  }
  if (code === "ENOTFOUND") {
    return { cause: "unreachable", failure: "unknownHost", detail: `no address is known for ${host}` };
  }
  const passing = PASSING[code];
  if (passing) {
    return { cause: "unreachable", failure: "unreachable", detail: passing(host) };
  }
  if (reached === "tcp") {
    const reason = TLS_REASONS[code] ?? shownCode(code);
    return { cause: "tls", failure: "final", detail: `no trusted connection to ${host}: ${reason}` };
  }
  return { cause: "unreachable", failure: "final", detail: `no connection to ${host}: ${shownCode(code)}` };
}

/** Where a request was to go: `host:port` of the platform and, if there is one, of the proxy in between. */
export interface Route {
  readonly host: string;
  readonly proxy?: string | undefined;
}

export function classifySilence(reply: Silence, { host: target, proxy }: Route, timeoutMs: number): NetworkFailure {
  if (proxy !== undefined && reply.reached === "nowhere") {
    return noTunnel(reply, proxy, target, timeoutMs);
  }
  const host = proxy === undefined ? target : `${target} (through the proxy ${proxy})`;
  if (reply.reached !== "open") {
    return notSent(reply, host, timeoutMs);
  }
  if (reply.timedOut) {
    return { cause: "noAnswer", failure: "unknown", detail: `no response from ${host} within ${inSeconds(timeoutMs)}` };
  }
  if (reply.code === SWITCHED_PROTOCOLS) {
    return {
      cause: "unusable",
      failure: "unknown",
      detail: `${host} returned 101 (switching protocols), which was not asked for`,
    };
  }
  if (reply.code.startsWith("HPE_")) {
    return { cause: "unusable", failure: "unknown", detail: `${host} sent something that is not HTTP` };
  }
  return {
    cause: "noAnswer",
    failure: "unknown",
    detail: `${host} closed the connection before it responded (${shownCode(reply.code)})`,
  };
}
