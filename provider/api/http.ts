import { type ClientRequest, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { PlainResponse, Request } from "got";
import { getProxyForUrl } from "proxy-from-env";
import type { HttpRequest, HttpResponse, NoResponse, ProxyServer, ReplyHeaders, Transport } from "../base/world";
import { isLoopbackHost } from "../config/settings";

/**
 * Whether a request may be sent again after an unknown outcome. Repeating a PUT changes nothing, but repeating a POST
 * would create a second chat or voice.
 */
export const isRepeatable = ({ method }: HttpRequest): boolean => method === "PUT";

/**
 * The size at which we stop reading a response body, counted after decompression. The responses that the interface
 * describes are a few kilobytes.
 */
export const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Picks the response headers that the provider uses. If a header is repeated, Node keeps the first Retry-After and
 * joins the request IDs.
 */
function headersOf({ headers }: PlainResponse): ReplyHeaders {
  // Gateways set `cf-ray` and `x-amzn-requestid`.
  const names = ["x-request-id", "request-id", "x-correlation-id", "cf-ray", "x-amzn-requestid"];
  return {
    retryAfter: headers["retry-after"],
    date: headers.date,
    location: headers.location,
    contentType: headers["content-type"],
    requestId: names.map((name) => headers[name]).find((id) => typeof id === "string"),
  };
}

/** The sockets that have connected. A request that reuses one is written immediately, so it may reach the server. */
const openSockets = new WeakSet<Socket>();

/** Returns a function that reports how far the connection got. Must be called before the stream can emit events. */
export function watchConnection(stream: Request): () => NoResponse["reached"] {
  let reached: NoResponse["reached"] = "nowhere";
  let isFollowed = false;
  const opened = (socket: Socket) => {
    openSockets.add(socket);
    reached = "open";
  };
  const follow = (socket: Socket) => {
    isFollowed = true;
    // If too many files are open (EMFILE), Node destroys the socket before it connects, so nothing was sent.
    if (socket.destroyed) {
      return;
    }
    const isTls = socket instanceof TLSSocket;
    if (openSockets.has(socket) || (!socket.connecting && !isTls)) {
      opened(socket);
      return;
    }
    // With a proxy, the TCP connection is already open when TLS starts, so there is no `connect` event to wait for.
    reached = socket.connecting ? "nowhere" : "tcp";
    socket.once("connect", () => {
      reached = "tcp";
    });
    socket.once(isTls ? "secureConnect" : "connect", () => opened(socket));
  };
  stream.once("request", (request: ClientRequest) => request.once("socket", follow));
  return () => {
    const { socket, upload, response } = stream.timings ?? {};
    // If the events were missed, assume that a request with a socket was sent, so that a POST is never repeated.
    return !isFollowed && (socket ?? upload ?? response) !== undefined ? "open" : reached;
  };
}

function errorCode(error: unknown): string {
  const code = typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : "";
}

/** Reads the body and reports whether it was complete. Never throws. */
async function readBody(stream: Request, isTimedOut: () => boolean): Promise<Pick<HttpResponse, "bytes" | "body">> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let body: HttpResponse["body"] = "whole";
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
    // Codes such as `Z_DATA_ERROR` (zlib) and `ERR__ERROR_FORMAT_…` (Brotli) mean that the body can't be decompressed.
    const isUndecodable = /^(?:Z_|ERR__|ERR_BROTLI|ERR_ZSTD)/.test(errorCode(error));
    body = isUndecodable ? "undecodable" : "cut";
    body = isTimedOut() ? "timedOut" : body;
  }
  return { bytes: Buffer.concat(chunks), body };
}

/**
 * Returns the Node.js `Agent` objects that open connections. If there is a proxy, HTTPS connections go through it.
 * @param timeoutMs how long the proxy may take to respond
 */
async function agentsFor(
  options: { keepAlive: boolean; maxFreeSockets?: number },
  proxy: ProxyServer | undefined,
  timeoutMs: number,
): Promise<{ readonly http: HttpAgent; readonly https: HttpsAgent }> {
  const agentOptions = { ...options, rejectUnauthorized: true };
  if (proxy === undefined) {
    return { http: new HttpAgent(agentOptions), https: new HttpsAgent(agentOptions) };
  }
  const { HttpsProxyAgent } = await import("hpagent");
  const through = {
    ...agentOptions,
    timeout: timeoutMs,
    proxy: proxy.url,
    proxyRequestOptions: { rejectUnauthorized: true },
  };
  // A base URL may use http only on loopback, and requests to loopback never go through a proxy.
  return { http: new HttpAgent(agentOptions), https: new HttpsProxyAgent(through) };
}

export function openTransport(proxy: ProxyServer | undefined, attemptMs: number, concurrency: number): Transport {
  const makeAgents = async () => ({
    kept: await agentsFor({ keepAlive: true, maxFreeSockets: concurrency }, proxy, attemptMs),
    // Open a new connection for a POST. On an idle connection that the server has just closed, the request would fail
    // with an unknown outcome, and a POST can't be repeated.
    fresh: await agentsFor({ keepAlive: false }, proxy, attemptMs),
  });
  let agents: ReturnType<typeof makeAgents> | undefined;

  return async (request, timeoutMs) => {
    const { url, method, headers, body } = request;
    const { got } = await import("got");
    agents ??= makeAgents();
    const { kept, fresh } = await agents;
    const stream = got.stream(url, {
      method,
      headers,
      body,
      agent: isRepeatable(request) ? kept : fresh,
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      decompress: true,
    });
    const reached = watchConnection(stream);
    let isTimedOut = false;
    const timer = setTimeout(() => {
      isTimedOut = true;
      stream.destroy(new Error("timed out"));
    }, timeoutMs);
    try {
      const head = await new Promise<PlainResponse>((resolve, reject) => {
        stream.once("response", resolve);
        // Keep this listener for the stream's whole life, because an unhandled error event would end the process.
        stream.on("error", reject);
      });
      const read = await readBody(stream, () => isTimedOut);
      return { came: "response", status: head.statusCode, headers: headersOf(head), ...read };
    } catch (error) {
      // If a proxy refuses the tunnel, hpagent reports its status only in the error message.
      const [, status] = /^Bad response: (\d{3})$/.exec(error instanceof Error ? error.message : "") ?? [];
      return {
        came: "nothing",
        reached: reached(),
        timedOut: isTimedOut,
        code: errorCode(error),
        proxyStatus: status === undefined ? undefined : Number(status),
      };
    } finally {
      clearTimeout(timer);
      stream.destroy();
    }
  };
}

/** Returns `host:port` of a URL, for use in messages. */
export const hostAndPort = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;

/**
 * Returns the proxy that the environment sets for the base URL, or why it can't be used. `problem` omits the proxy's
 * address, which may contain a password.
 */
export function chooseProxy(baseUrl: string): { readonly proxy?: ProxyServer; readonly problem?: string } {
  const text = isLoopbackHost(new URL(baseUrl).hostname) ? "" : getProxyForUrl(baseUrl);
  if (text === "") {
    return {};
  }
  try {
    const url = new URL(text);
    // Throws if hpagent couldn't decode the user name and password.
    decodeURIComponent(url.username + url.password);
    // hpagent only supports http and https, and it can't connect to an IPv6 address such as `[::1]`.
    if (/^https?:$/.test(url.protocol) && !url.hostname.startsWith("[")) {
      return { proxy: { url, host: hostAndPort(url) } };
    }
  } catch {
    // The proxy's address or its password can't be parsed.
  }
  return {
    problem:
      "The proxy address in HTTPS_PROXY or ALL_PROXY cannot be used. Write it as http://host:port or http://user:password@host:port, with % as %25.",
  };
}
