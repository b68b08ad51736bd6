import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isObject, type PlatformResponse } from "./decision";
import { type ActiveFault, type Fault, type FaultKind, isOfPuts } from "./faults";
import type { OpenRequest } from "./requestLog";

/** One request that waits for its response. */
export interface Exchange {
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly entry: OpenRequest;
  /** The platform acts, and returns its response. A second call returns the same response and acts no more. */
  apply(): PlatformResponse;
  /** The response if the platform acted. */
  preview(): PlatformResponse;
}

const json = { "Content-Type": "application/json; charset=utf-8" };

/** A response as bytes. */
export interface Encoded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
}

export function encode({ status, text, body, headers }: PlatformResponse): Encoded {
  if (text === undefined && body === undefined) {
    return { status, headers: { ...headers }, body: Buffer.alloc(0) };
  }
  return { status, headers: { ...json, ...headers }, body: Buffer.from(text ?? JSON.stringify(body)) };
}

/** The timer keeps no process alive, because a closed emulator responds to nothing. */
const later = (ms: number, action: () => void): void => void setTimeout(action, ms).unref();

/** Sends a response as it should be. A 204 and a 304 must not say a length. */
export function send({ response, entry }: Exchange, { status, headers, body }: Encoded): void {
  if (response.destroyed) {
    return;
  }
  entry.status = status;
  const length = status === 204 || status === 304 ? {} : { "Content-Length": String(body.length) };
  response.writeHead(status, { ...headers, ...length, "X-Request-Id": `emulator-${entry.index}` });
  response.end(body);
}

// --- a request that a fault meets

type Of<Kind extends FaultKind> = Fault & { readonly kind: Kind };
type Act<Kind extends FaultKind> = (exchange: Exchange, fault: Of<Kind>, response: PlatformResponse) => void;

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
  const response = applied ? exchange.apply() : exchange.preview();
  (actions[fault.kind] as Act<FaultKind>)(exchange, fault, response);
}

function reset({ socket }: Exchange): void {
  socket.resetAndDestroy();
}

/** A body to break: a response without one gets one, or there would be nothing to cut. */
function withBody(response: PlatformResponse): Encoded {
  const encoded = encode(response);
  const status = response.status === 204 ? 200 : response.status;
  return encoded.body.length > 0 ? encoded : { status, headers: json, body: Buffer.from('{"success":true}') };
}

/** Sends the head; what follows of the body is the fault. */
function sendHead({ entry, response }: Exchange, { status, headers, body }: Encoded): void {
  entry.status = status;
  response.writeHead(status, { ...headers, "Content-Length": String(body.length) }).flushHeaders();
}

function sendBody(exchange: Exchange, response: PlatformResponse, body: Buffer): void {
  send(exchange, { ...withBody(response), body });
}

const actions: { readonly [Kind in Exclude<FaultKind, "hold">]: Act<Kind> } = {
  resetAfterRequest: reset,
  resetInHeaders(exchange) {
    exchange.socket.write("HTTP/1.1 200 OK\r\nContent-Ty");
    later(beforeReset, () => reset(exchange));
  },
  resetInBody(exchange, _fault, response) {
    const encoded = withBody(response);
    sendHead(exchange, encoded);
    exchange.response.write(encoded.body.subarray(0, encoded.body.length / 2));
    later(beforeReset, () => reset(exchange));
  },
  slowHeaders: (exchange, { ms = 1000 }, response) => later(ms, () => send(exchange, encode(response))),
  drip(exchange, { ms = 100 }, response) {
    const encoded = withBody(response);
    sendHead(exchange, encoded);
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
  invalidJson: (exchange, _fault, response) => sendBody(exchange, response, withBody(response).body.subarray(0, -1)),
  huge: (exchange, { bytes = 8 * 2 ** 20 }, response) =>
    sendBody(exchange, response, Buffer.concat([withBody(response).body, Buffer.alloc(bytes, " ")])),
  status(exchange, fault, response) {
    const { status, headers = {} } = fault;
    const own = status < 300 ? response.body : { error: `injected ${status}` };
    const body = "body" in fault ? fault.body : own;
    send(exchange, encode(typeof body === "string" ? { status, text: body, headers } : { status, body, headers }));
  },
  silence: () => {},
  contradict(exchange, fault, { body, ...response }) {
    send(exchange, encode({ ...response, body: body === undefined ? body : contradicted(body, fault) }));
  },
};

const ANOTHER = {
  inbound_agent_id: "agent_of_a_contradiction",
  inbound_agents: [{ agent_id: "agent_of_a_contradiction", weight: 100 }],
};

function contradicted(body: unknown, fault: Of<"contradict">): unknown {
  const { patch = {}, record } = isOfPuts(fault) ? { patch: { assignment: ANOTHER }, record: ANOTHER } : fault;
  const patched = typeof patch === "function" ? patch(structuredClone(body)) : mergePatch(body, patch);
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
