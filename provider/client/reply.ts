import { redact } from "../core/common/redact";
import { mediaType, type ParsedBody, parseBody } from "./body";
import { type Circumstances, classifyError, errorWords } from "./errorStatus";
import { classifySilence, type FailedAttempt, failing, inSeconds } from "./failure";
import { type HttpResponse, MAX_BODY_BYTES, type Reply } from "./transport";
import { wordsIn } from "./words";

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
