import type { Cause } from "../core/operations";
import { clean, redact } from "../core/redact";
import { type Body, decodeLoosely, mediaType, parseBody, type Read, withoutToken } from "./body";
import { inSeconds, judgeSilence } from "./networkFailure";
import { type FailureClass, parseRetryAfter } from "./retry";
import { MAX_BODY_BYTES, type Reply } from "./transport";
import { platformWords } from "./wire";

/** What an operation makes of the whole body of a 2xx. */
export type Reading<Answer> =
  | { applied: Answer | undefined; issues: string[] }
  | { no: true } /* the body says that it was not done */
  | { unusable: string };

export type Reader<Answer> = (body: Body) => Reading<Answer>;

/** One attempt, judged. `failure` says whether it may be repeated, `outcome` what is known if it is not. */
export type Verdict<Answer> =
  | { outcome: "applied"; answer: Answer | undefined; issues: string[]; status: number }
  | Failed;

export interface Failed {
  outcome: "rejected" | "unknown";
  cause: Cause;
  failure: FailureClass;
  detail: string;
  status?: number | undefined;
  platformMessage?: string | undefined;
  isPlatformError: boolean;
  retryAfterMs?: number | undefined;
}

export interface Circumstances {
  host: string;
  token: string;
  wallClockMs: number;
  timeoutMs: number;
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

interface StatusVerdict {
  outcome: "rejected" | "unknown";
  cause: Cause;
  failure: FailureClass;
}

/** A status that is no 2xx (faults F16-F27). */
export function judgeStatus(status: number): StatusVerdict {
  if (status === 429) {
    return { outcome: "rejected", cause: "rateLimited", failure: "rateLimited" };
  }
  if (status === 408) {
    return { outcome: "unknown", cause: "noAnswer", failure: "unknown" };
  }
  if (status >= 300 && status < 400) {
    return { outcome: "rejected", cause: "redirected", failure: "final" };
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
      ? `${host} has nothing newer, which was not asked`
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
  if (body.kind === "json") {
    const { words, isPlatformError } = platformWords(body.value);
    return { platformMessage: shownWords(words, token), isPlatformError };
  }
  const type = mediaType(reply.headers.contentType);
  const isWords = /^(?:text\/plain|unknown|.*json)$/.test(type) && reply.body === "whole";
  const isText = body.kind === "unreadable" && !body.isPage && isWords;
  return {
    platformMessage: isText ? shownWords(decodeLoosely(reply.bytes), token) : undefined,
    isPlatformError: false,
  };
}

function judgeError(reply: Answered, circumstances: Circumstances): Failed {
  const reference = Date.parse(reply.headers.date ?? "");
  return {
    ...judgeStatus(reply.status),
    ...errorWords(reply, circumstances.token),
    detail: statusDetail(reply, circumstances),
    status: reply.status,
    // The server's own clock is the one that its dates are meant by (F59); where it tells none, ours.
    retryAfterMs: parseRetryAfter(
      reply.headers.retryAfter,
      Number.isNaN(reference) ? circumstances.wallClockMs : reference,
    ),
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
      return { cause: "unusable", detail: `the answer is larger than ${MAX_BODY_BYTES} bytes` };
    case "undecodable":
      return {
        cause: "unusable",
        detail: `the answer cannot be decompressed, content-type ${mediaType(headers.contentType)}`,
      };
    case "timedOut":
      return { cause: "noAnswer", detail: `the answer of ${host} was not complete within ${inSeconds(timeoutMs)}` };
    case "cut":
      return {
        cause: "noAnswer",
        detail: `${host} closed the connection within its answer, after ${bytes.length} bytes`,
      };
  }
}

/** A 2xx whose body cannot be used: carried out, most likely, but what was made is not known. */
function unreadable(reply: Answered, cause: Cause, detail: string): Failed {
  return { outcome: "unknown", cause, failure: "unknown", detail, status: reply.status, isPlatformError: false };
}

function judgeSuccess<Answer>(reply: Answered, circumstances: Circumstances, read: Reader<Answer>): Verdict<Answer> {
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
  if ("no" in reading) {
    const detail = `${circumstances.host} says that it was not done`;
    return { outcome: "rejected", cause: "refused", failure: "final", detail, status, ...words };
  }
  // Words of an answer that is not the platform's JSON are not shown: a login page is no message.
  return { ...unreadable(reply, "unusable", reading.unusable), ...(body.kind === "json" ? words : {}) };
}

function judgeReply<Answer>(reply: Reply, circumstances: Circumstances, read: Reader<Answer>): Verdict<Answer> {
  if (reply.came === "nothing") {
    const silence = judgeSilence(reply, circumstances.host, circumstances.timeoutMs);
    return { ...silence, outcome: silence.failure === "unknown" ? "unknown" : "rejected", isPlatformError: false };
  }
  const isSuccess = reply.status >= 200 && reply.status < 300;
  return isSuccess ? judgeSuccess(reply, circumstances, read) : judgeError(reply, circumstances);
}

/** Every reply is applied, rejected or unknown. */
export function judge<Answer>(reply: Reply, circumstances: Circumstances, read: Reader<Answer>): Verdict<Answer> {
  const verdict = judgeReply(reply, circumstances, read);
  // A host or a media type is the server's text as well, and may be the token.
  return verdict.outcome === "applied" ? verdict : { ...verdict, detail: redact(verdict.detail, circumstances.token) };
}

/** The reading of an answer that the schema understood, or why it did not. */
export function readOr<Answer>(read: Read<Answer> | undefined, unusable: string): Reading<Answer> {
  return read ? { applied: read.value, issues: read.issues } : { unusable };
}
