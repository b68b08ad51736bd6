import assert from "node:assert/strict";
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { type Emulator, type EmulatorOptions, type Profile, startEmulator } from "../../emulator";

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body, or undefined if the body is empty or isn't JSON. */
  readonly json: unknown;
}

export interface CallOptions {
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly agent?: Agent;
}

const running: Emulator[] = [];

/** Starts an emulator for one test. The suite must call `closeAfterEach`, which closes the emulator after the test. */
export async function start(options?: EmulatorOptions): Promise<Emulator> {
  const emulator = await startEmulator(options);
  running.push(emulator);
  return emulator;
}

export function closeAfterEach(): void {
  afterEach(async () => {
    for (const emulator of running.splice(0)) {
      await emulator.close();
    }
  });
}

/**
 * Sends a request over a new connection, or over a connection of the HTTP `agent` if there is one. The path is sent
 * exactly as written, whereas `fetch` would normalize it.
 */
export function call(
  emulator: Emulator,
  method: string,
  path: string,
  body?: unknown,
  { token = emulator.token, headers = {}, agent = new Agent() }: CallOptions = {},
): Promise<Reply> {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: "127.0.0.1",
      port: emulator.port,
      method,
      path,
      agent,
      headers: {
        ...(token !== "" && { Authorization: `Bearer ${token}` }),
        ...(text !== undefined && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) }),
        ...headers,
      },
    });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, text, json: parsed(text) });
      });
    });
    outgoing.end(text);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const number = "+15551234567";

export function put(emulator: Emulator, body?: unknown, options?: CallOptions, to = number): Promise<Reply> {
  return call(emulator, "PUT", `/api/numbers/${encodeURIComponent(to)}/agent`, body, options);
}

/**
 * Starts an emulator with this profile, and sends it one PUT for each body. Returns the emulator and the last reply.
 */
export async function puts(profile: Partial<Profile>, ...bodies: unknown[]) {
  const emulator = await start({ profile });
  let reply = await put(emulator, bodies[0]);
  for (const body of bodies.slice(1)) {
    reply = await put(emulator, body);
  }
  return { emulator, reply };
}

export function assertReply(reply: Reply, status: number, body: unknown): void {
  assert.equal(reply.status, status, "the status");
  assert.deepEqual(reply.json, body);
}

/** Asserts that the response has this status and that its body has only an `error` field, as the API specifies. */
export function assertRefused({ status, json }: Reply, expected: number): void {
  assert.equal(status, expected, "the status");
  assert.deepEqual(Object.keys(json as object), ["error"]);
}

/** Asserts that an emulator with this profile refuses a PUT with this body and stores nothing. */
export async function refuses(profile: Partial<Profile>, body: unknown, status: number, to?: string) {
  const emulator = await start({ profile });
  assertRefused(await put(emulator, body, {}, to), status);
  const [logged] = emulator.requests;
  assert.equal(emulator.numbers.size, 0, "the number of stored numbers");
  assert.equal(logged?.applied, false, "`applied` in the log");
  assert.equal(logged?.status, status, "`status` in the log");
}

/** Sends the same PUT `count` times, one after another, and returns the statuses of the responses. */
export async function statusesOf(emulator: Emulator, count: number, body: unknown = {}): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index++) {
    statuses.push((await put(emulator, body)).status);
  }
  return statuses;
}

export const chatBody = {
  workspaceId: 42,
  agent_id: "chat_agent_a",
  from_number: "+15550001111",
  to_number: "+15550002222",
};

export const voiceBody = {
  workspaceId: 42,
  voiceProvider: "provider_a",
  providerVoiceId: "v1",
  voiceName: "Ada",
  publicUserId: "u1",
};

export function postChat(emulator: Emulator, body: unknown = chatBody, options?: CallOptions): Promise<Reply> {
  return call(emulator, "POST", "/api/chats/outbound-sms", body, options);
}

export function postVoice(emulator: Emulator, body: unknown = voiceBody, options?: CallOptions): Promise<Reply> {
  return call(emulator, "POST", "/api/voices/community", body, options);
}

/** Returns a clock that stands still until `move` is called. */
export function fixedClock(): { now(): Date; monotonic(): number; move(ms: number): void } {
  let elapsed = 0;
  const start = Date.UTC(2030, 0, 1);
  return {
    now: () => new Date(start + elapsed),
    monotonic: () => elapsed,
    move(ms) {
      elapsed += ms;
    },
  };
}

/** Returns the error code of a request that must fail, or the error message if there is no code. */
export async function codeOf(failing: Promise<unknown>): Promise<string> {
  try {
    await failing;
  } catch (error) {
    return String((error as { code?: unknown }).code ?? (error as Error).message);
  }
  throw new Error("The request did not fail.");
}

// Parts of a PUT's body: a split between two inbound agents, and an outbound agent.
export const a70 = { agent_id: "agent_a", agent_version: 12, weight: 70 };
export const b30 = { agent_id: "agent_b", agent_version: 4, weight: 30 };
export const split = { inboundAgents: [b30, a70] };
export const outbound = { outboundAgentId: "agent_o", outboundAgentVersion: 3 };

type Json = Readonly<Record<string, unknown>>;

interface PutResponse {
  readonly numbers: readonly Json[];
  readonly assignment: Json;
}

/**
 * Sends each body to an emulator with the default profile and returns the last response. assignment.spec.ts checks such
 * responses in full; other specs compare their own with them.
 */
export const defaultResponse = async (...bodies: unknown[]): Promise<PutResponse> =>
  (await puts({}, ...bodies)).reply.json as PutResponse;

/** Returns a copy of the response with these changes in every number record and in `assignment`. */
export const withChanges = ({ numbers, ...rest }: PutResponse, changes: Json): PutResponse => ({
  ...rest,
  numbers: numbers.map((record) => ({ ...record, ...changes })),
  assignment: { ...rest.assignment, ...changes },
});
