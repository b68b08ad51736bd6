import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type Answer, isObject } from "./decision";
import type { ActiveFault, Fault, FaultKind } from "./faults";
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
}

const json = { "Content-Type": "application/json; charset=utf-8" };

/** A response as bytes. */
export interface Encoded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
}

export function encode({ status, text, body, headers }: Answer): Encoded {
  if (text === undefined && body === undefined) {
    return { status, headers: { ...headers }, body: Buffer.alloc(0) };
  }
  return { status, headers: { ...json, ...headers }, body: Buffer.from(text ?? JSON.stringify(body)) };
}

/** The timer keeps no process alive, because a closed emulator has nothing left to answer. */
const later = (ms: number, action: () => void): void => void setTimeout(action, ms).unref();

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

function requestId({ entry }: Exchange): string {
  return `emulator-${entry.index}`;
}

// --- a request that a fault meets

type Of<Kind extends FaultKind> = Extract<Fault, { readonly kind: Kind }>;
type Act<Kind extends FaultKind> = (exchange: Exchange, fault: Of<Kind>, answer: Answer) => void;

/** A little time between the last bytes and the RST, which would otherwise drop them unread from the client's buffer. */
const beforeReset = 15;

/** Meets a request with a fault; the platform has acted or not, as the fault says. */
export function actOut(exchange: Exchange, { fault, applied, released }: ActiveFault): void {
  if (fault.kind === "hold") {
    if (applied) {
      exchange.apply();
    }
    void released.then(() => exchange.socket.destroyed || send(exchange, encode(exchange.apply())));
    return;
  }
  const answer = applied ? exchange.apply() : exchange.preview();
  (actions[fault.kind] as Act<FaultKind>)(exchange, fault, answer);
}

function reset({ socket }: Exchange): void {
  socket.resetAndDestroy();
}

/** The bytes that Node itself would send, so that a fault can cut them anywhere. */
function rawHead(exchange: Exchange, encoded: Encoded): string {
  const headers = { ...encoded.headers, ...sized(encoded), "X-Request-Id": requestId(exchange) };
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}\r\n`));
  return `HTTP/1.1 ${encoded.status} ${STATUS_CODES[encoded.status] ?? ""}\r\n${lines.join("")}\r\n`;
}

const sized = ({ body }: Encoded) => ({ "Content-Length": String(body.length) });

/** A body to break: a response without one gets one, or there would be nothing to cut. */
function withBody(answer: Answer): Encoded {
  const encoded = encode(answer);
  const status = answer.status === 204 ? 200 : answer.status;
  return encoded.body.length > 0 ? encoded : { status, headers: json, body: Buffer.from('{"success":true}') };
}

/** Writes the head; what follows of the body is the fault. */
function writeHead(exchange: Exchange, encoded: Encoded): void {
  exchange.entry.status = encoded.status;
  exchange.socket.write(rawHead(exchange, encoded));
}

function padded(answer: Answer, bytes: number): Buffer {
  return Buffer.concat([withBody(answer).body, Buffer.alloc(bytes, " ")]);
}

function sendBody(exchange: Exchange, answer: Answer, body: Buffer): void {
  send(exchange, { ...withBody(answer), body });
}

const actions: { readonly [Kind in Exclude<FaultKind, "hold">]: Act<Kind> } = {
  resetAfterRequest: reset,
  resetInHeaders(exchange, _fault, answer) {
    const encoded = withBody(answer);
    const head = rawHead(exchange, encoded);
    exchange.socket.write(head.slice(0, head.length / 2));
    later(beforeReset, () => reset(exchange));
  },
  resetInBody(exchange, _fault, answer) {
    const encoded = withBody(answer);
    writeHead(exchange, encoded);
    exchange.socket.write(encoded.body.subarray(0, encoded.body.length / 2));
    later(beforeReset, () => reset(exchange));
  },
  slowHeaders: (exchange, { ms = 1000 }, answer) => later(ms, () => send(exchange, encode(answer))),
  drip(exchange, { ms = 100 }, answer) {
    const encoded = withBody(answer);
    exchange.entry.status = encoded.status;
    exchange.response.writeHead(encoded.status, { ...encoded.headers, ...sized(encoded) }).flushHeaders();
    const next = (index: number): void => {
      if (exchange.response.destroyed) {
        return;
      }
      if (index === encoded.body.length) {
        return void exchange.response.end();
      }
      exchange.response.write(encoded.body.subarray(index, index + 1));
      later(ms, () => next(index + 1));
    };
    next(0);
  },
  invalidJson: (exchange, _fault, answer) => sendBody(exchange, answer, withBody(answer).body.subarray(0, -1)),
  huge: (exchange, { bytes = 8 * 2 ** 20 }, answer) => sendBody(exchange, answer, padded(answer, bytes)),
  status(exchange, fault) {
    const { status, headers = {} } = fault;
    const body = "body" in fault ? fault.body : { error: `injected ${status}` };
    const answer: Answer = typeof body === "string" ? { status, text: body, headers } : { status, body, headers };
    send(exchange, encode(answer));
  },
  silence: () => {},
  contradict(exchange, fault, answer) {
    send(exchange, encode(answer.body === undefined ? answer : { ...answer, body: contradicted(answer.body, fault) }));
  },
};

function contradicted(body: unknown, { patch, record }: Of<"contradict">): unknown {
  const patched = typeof patch === "function" ? patch(structuredClone(body)) : mergePatch(body, patch ?? {});
  if (record === undefined || !isObject(patched) || !Array.isArray(patched.numbers)) {
    return patched;
  }
  return { ...patched, numbers: patched.numbers.map((one) => mergePatch(one, record)) };
}

/** Objects merge field by field, `undefined` takes a field away, everything else replaces what was there. */
function mergePatch(base: unknown, patch: unknown): unknown {
  if (!isObject(base) || !isObject(patch)) {
    return patch;
  }
  const merged = Object.entries(patch).map(([name, value]) => [name, mergePatch(base[name], value)]);
  return Object.fromEntries(
    Object.entries({ ...base, ...Object.fromEntries(merged) }).filter(([, value]) => value !== undefined),
  );
}
