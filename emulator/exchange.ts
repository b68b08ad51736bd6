import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isObject, type PlatformResponse } from "./decision";
import { type ActiveFault, type Fault, isPutOnly } from "./faults";
import type { OpenRequest } from "./requestLog";

/**
 * A request that is waiting for its response. Call `apply` or `preview` at most once, because each call counts against
 * the rate limit. Call neither after the client has disconnected.
 */
export interface Exchange {
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly entry: OpenRequest;
  /** Applies the request and returns the platform's response. */
  apply(): PlatformResponse;
  /** Returns the response that the platform would send, without applying the request. */
  preview(): PlatformResponse;
}

const json = { "Content-Type": "application/json; charset=utf-8" };

/** A response whose body is already encoded as bytes. */
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

/**
 * Sends a complete response, unless the connection is gone. A response with status 204 or 304 must not have a
 * Content-Length.
 */
export function send({ response, entry }: Exchange, { status, headers, body }: Encoded): void {
  if (response.destroyed) {
    return;
  }
  entry.status = status;
  const length = status === 204 || status === 304 ? {} : { "Content-Length": String(body.length) };
  // `setHeader` ignores the case of names, so a fault's header replaces ours instead of being sent beside it.
  for (const [name, value] of Object.entries({ "X-Request-Id": `emulator-${entry.index}`, ...headers, ...length })) {
    response.setHeader(name, value);
  }
  response.writeHead(status).end(body);
}

// --- faults

/**
 * Applies a fault to a request, for example by resetting its connection. If `applied` is true, the platform first
 * applies the request, as if there were no fault.
 */
export function applyFault(exchange: Exchange, { fault, applied, released }: ActiveFault): void {
  if (fault.kind === "hold") {
    const appliedEarly = applied ? exchange.apply() : undefined;
    void released.then(() => exchange.socket.destroyed || send(exchange, encode(appliedEarly ?? exchange.apply())));
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

/**
 * How many milliseconds to wait before resetting a connection halfway through a response. Without the wait, the
 * client's operating system might discard unread bytes.
 */
const BEFORE_RESET = 15;

function cutInBody({ entry, response, socket }: Exchange, whole: PlatformResponse): void {
  const { status, headers, body } = encode(whole.body === undefined ? { status: 200, body: { success: true } } : whole);
  entry.status = status;
  response.writeHead(status, { ...headers, "Content-Length": String(body.length) }).flushHeaders();
  response.write(body.subarray(0, body.length / 2));
  // Don't let this timer keep the process alive. Closing the emulator closes the connection anyway, so the timer then
  // has nothing left to do.
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

/**
 * Merges `patch` into `base`. Two objects are merged field by field, at any depth. `undefined` removes a field, and any
 * other value replaces the one in `base`.
 */
function mergePatch(base: unknown, patch: unknown): unknown {
  if (!isObject(base) || !isObject(patch)) {
    return patch;
  }
  const merged = Object.entries(patch).map(([name, value]) => [name, mergePatch(base[name], value)]);
  return Object.fromEntries(
    Object.entries({ ...base, ...Object.fromEntries(merged) }).filter(([, value]) => value !== undefined),
  );
}
