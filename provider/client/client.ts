/** The one user of got. It is loaded at the first request: a preview sends nothing and does not pay for it. */
import { type ClientRequest, Agent as HttpAgent, type IncomingHttpHeaders } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Socket } from "node:net";
import type { Request } from "got";
import type { Client, Outcome } from "../core/operations";
import { addCommunityVoiceCall, assignNumberCall, type Call, createSmsChatCall, endChatCall } from "./calls";
import { type Context, exchange } from "./exchange";
import { createLimiter } from "./limiter";
import { type ClientOptions, parseOptions } from "./options";
import {
  MAX_BODY_BYTES,
  type Reply,
  type ReplyHeaders,
  SWITCHED_PROTOCOLS,
  type Transport,
  type WireRequest,
} from "./transport";

type Reached = Extract<Reply, { came: "nothing" }>["reached"];
type BodyEnd = Extract<Reply, { came: "answer" }>["body"];

/** Codes of zlib (`Z_DATA_ERROR`) and of its Brotli (`ERR__ERROR_FORMAT_…`). */
const DECOMPRESSION = /^(?:Z_|ERR__|ERR_BROTLI|ERR_ZSTD)/;

interface Head {
  status: number;
  headers: ReplyHeaders;
}

function only(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** Node joins or drops repeated headers; Retry-After is read from the raw list, since two of them are two opinions (F26). */
function headersOf(headers: IncomingHttpHeaders, raw: readonly string[]): ReplyHeaders {
  const retryAfter = raw.filter((_, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === "retry-after");
  return {
    retryAfter,
    date: headers.date,
    location: headers.location,
    contentType: headers["content-type"],
    requestId: only(headers["x-request-id"]) ?? only(headers["request-id"]) ?? only(headers["x-correlation-id"]),
  };
}

/** Follows the connection: bytes of the request can have left only once it was open (F64). */
function watchConnection(stream: Request, isTls: boolean): () => Reached {
  let reached: Reached = "nowhere";
  const follow = (socket: Socket) => {
    // Without a file left for it (EMFILE) a connection is over before it began.
    if (socket.destroyed) {
      return;
    }
    if (!socket.connecting) {
      reached = "open";
      return;
    }
    socket.once("connect", () => {
      reached = isTls ? "tcp" : "open";
    });
    socket.once("secureConnect", () => {
      reached = "open";
    });
  };
  stream.once("request", (request: ClientRequest) => {
    request.once("socket", follow);
    // A 101 nobody asked for: the connection is no HTTP any more, and got would wait on it (F15).
    request.once("upgrade", (_response: unknown, socket: Socket) => {
      socket.destroy();
      stream.destroy(Object.assign(new Error("101"), { code: SWITCHED_PROTOCOLS }));
    });
  });
  return () => reached;
}

function codeOf(error: unknown): string {
  const code = typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : "";
}

function readHead(stream: Request): Promise<Head> {
  return new Promise((resolve, reject) => {
    stream.once("response", (response) => {
      resolve({ status: response.statusCode, headers: headersOf(response.headers, response.rawHeaders) });
    });
    // Stays on for the stream's whole life: an error that nobody hears would end the process.
    stream.on("error", reject);
  });
}

/** The body as far as it came, with how it ended; never throws. */
async function readBody(stream: Request, isTimedOut: () => boolean): Promise<{ bytes: Uint8Array; body: BodyEnd }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let body: BodyEnd = "whole";
  try {
    for await (const chunk of stream) {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) {
        body = "tooLarge";
        break;
      }
      chunks.push(chunk);
    }
  } catch (error) {
    body = isTimedOut() ? "timedOut" : DECOMPRESSION.test(codeOf(error)) ? "undecodable" : "cut";
  }
  return { bytes: Buffer.concat(chunks), body };
}

function createTransport(concurrency: number): Transport {
  const keep = { keepAlive: true, maxFreeSockets: concurrency, rejectUnauthorized: true };
  const kept = { http: new HttpAgent(keep), https: new HttpsAgent(keep) };
  // A POST is never repeated, so it must not meet a connection that the server has just closed: each gets a new one (F64).
  // With a number of maxSockets Node would hand connections on even here; the limiter bounds them anyway.
  const close = { keepAlive: false, maxSockets: Number.POSITIVE_INFINITY, rejectUnauthorized: true };
  const fresh = { http: new HttpAgent(close), https: new HttpsAgent(close) };

  async function open(request: WireRequest): Promise<Request> {
    const { got } = await import("got");
    return got.stream(request.url, {
      method: request.method,
      headers: request.headers,
      body: request.body,
      agent: request.kind === "put" ? kept : fresh,
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      decompress: true,
    });
  }

  return async (request, timeoutMs) => {
    const stream = await open(request);
    let isTimedOut = false;
    const timer = setTimeout(() => {
      isTimedOut = true;
      stream.destroy(new Error("timed out"));
    }, timeoutMs);
    const reached = watchConnection(stream, request.url.protocol === "https:");
    try {
      const head = await readHead(stream);
      const { bytes, body } = await readBody(stream, () => isTimedOut);
      return { came: "answer", status: head.status, headers: head.headers, bytes, body };
    } catch (error) {
      return { came: "nothing", reached: reached(), timedOut: isTimedOut, code: codeOf(error) };
    } finally {
      clearTimeout(timer);
      stream.destroy();
    }
  };
}

/** The four operations, without Pulumi. Throws an InvalidOptionsError where no client can be made of the options. */
export function createClient(options: ClientOptions): Client {
  const settings = parseOptions(options);
  const context: Context = {
    settings,
    limiter: createLimiter(settings.concurrency, settings.deadlineMs, settings.runtime),
    transport: createTransport(settings.concurrency),
  };
  const run = <Answer>(call: Call<Answer>): Promise<Outcome<Answer>> => exchange(context, call);
  return {
    assignNumber: async (request) => run(assignNumberCall(request)),
    addCommunityVoice: async (request) => run(addCommunityVoiceCall(request, settings.headers)),
    createSmsChat: async (request) => run(createSmsChatCall(request)),
    endChat: async (request) => run(endChatCall(request)),
  };
}

export type { AttemptLog, ClientOptions } from "./options";
