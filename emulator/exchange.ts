import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Answer } from "./refusal";
import type { OpenRequest } from "./requestLog";

/** One request that is being answered. */
export interface Exchange {
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly entry: OpenRequest;
  /** The platform acts, and says what it answers. A second call answers the same and acts no more. */
  apply(): Answer;
  /** What the platform would answer if it acted. */
  preview(): Answer;
  /** Runs later; forgotten when the emulator closes. */
  later(ms: number, action: () => void): void;
}

/** A response as bytes. */
export interface Encoded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
}

export function encode(answer: Answer): Encoded {
  if (answer.text === undefined && answer.body === undefined) {
    return { status: answer.status, headers: { ...answer.headers }, body: Buffer.alloc(0) };
  }
  const text = answer.text ?? JSON.stringify(answer.body);
  return {
    status: answer.status,
    headers: { "Content-Type": "application/json; charset=utf-8", ...answer.headers },
    body: Buffer.from(text),
  };
}

/** Sends a response as it should be. */
export function send(exchange: Exchange, { status, headers, body }: Encoded): void {
  const { response, entry } = exchange;
  if (response.destroyed) {
    return;
  }
  entry.status = status;
  response.writeHead(status, { ...headers, ...lengthOf(status, body), "X-Request-Id": requestId(exchange) });
  response.end(body);
}

/** A 204 and a 304 must not say a length. */
function lengthOf(status: number, body: Buffer): Record<string, string> {
  return status === 204 || status === 304 ? {} : { "Content-Length": String(body.length) };
}

export function requestId({ entry }: Exchange): string {
  return `emulator-${entry.index}`;
}
