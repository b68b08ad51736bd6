import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isObject, type PlatformResponse } from "./decision";
import { type ActiveFault, type Fault, isPutOnly } from "./faults";
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
interface Encoded {
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
  if (fault.kind === "status") {
    send(exchange, encode(statusResponse(fault, response)));
  } else if (fault.kind === "contradict") {
    send(exchange, encode({ ...response, body: response.body && contradicted(response.body, fault) }));
  } else if (fault.inBody) {
    cutInBody(exchange, response);
  } else {
    exchange.socket.resetAndDestroy();
  }
}

/** A little time between the last bytes and the RST, which would otherwise drop them unread from the client's buffer. */
const BEFORE_RESET = 15;

function cutInBody({ entry, response, socket }: Exchange, whole: PlatformResponse): void {
  const { status, headers, body } = encode(whole.body === undefined ? { status: 200, body: { success: true } } : whole);
  entry.status = status;
  response.writeHead(status, { ...headers, "Content-Length": String(body.length) }).flushHeaders();
  response.write(body.subarray(0, body.length / 2));
  // The timer keeps no process alive, because a closed emulator responds to nothing.
  setTimeout(() => socket.resetAndDestroy(), BEFORE_RESET).unref();
}

function statusResponse(fault: Fault & { readonly kind: "status" }, response: PlatformResponse): PlatformResponse {
  const { status, headers = {} } = fault;
  const defaultBody = status < 300 ? response.body : { error: `injected ${status}` };
  const body = "body" in fault ? fault.body : defaultBody;
  return typeof body === "string" ? { status, text: body, headers } : { status, body, headers };
}

const OTHER_AGENT = {
  inbound_agent_id: "agent_of_a_contradiction",
  inbound_agents: [{ agent_id: "agent_of_a_contradiction", weight: 100 }],
};

function contradicted(body: unknown, fault: Fault & { readonly kind: "contradict" }): unknown {
  const { patch = {}, record } = isPutOnly(fault) ? { patch: { assignment: OTHER_AGENT }, record: OTHER_AGENT } : fault;
  const patched = typeof patch === "function" ? patch(structuredClone(body)) : mergePatch(body, patch);
  if (record === undefined || !isObject(patched) || !Array.isArray(patched.numbers)) {
    return patched;
  }
  return { ...patched, numbers: patched.numbers.map((entry) => mergePatch(entry, record)) };
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
