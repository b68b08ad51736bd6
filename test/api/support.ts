import { setImmediate as turn } from "node:timers/promises";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../emulator";
import { type AddCommunityVoiceRequest, addCommunityVoice } from "../../provider/api/addCommunityVoice";
import { assignNumber } from "../../provider/api/assignNumber";
import { type CreateSmsChatRequest, createSmsChat } from "../../provider/api/createSmsChat";
import { type EndChatRequest, endChat } from "../../provider/api/endChat";
import { type Api, createApi } from "../../provider/api/exchange";
import type { Outcome } from "../../provider/api/failure";
import type { Call } from "../../provider/api/operation";
import type { Clock, ProxyServer, World } from "../../provider/base/world";
import type { Settings } from "../../provider/config/settings";
import { systemWorld } from "../../provider/engine/world";
import type { Assignment } from "../../provider/routing/routing";
import { counted } from "../../provider/words/message";
import { namedIn } from "../support/named";
import { settingsOf } from "../support/session";

export const NUMBER = "+15551234567";

export const assignment: Assignment = {
  number: NUMBER,
  routing: { workspaceId: 42, inboundAgents: { "agent_a@12": 70, agent_b: 30 } },
  mayHave: [],
};

export const voice: AddCommunityVoiceRequest = {
  workspaceId: 42,
  voiceProvider: "provider",
  providerVoiceId: "provider-voice",
  voiceName: "Ann",
  publicUserId: "user",
};

export const chat: CreateSmsChatRequest = {
  workspaceId: 42,
  agentId: "chat_agent_a",
  fromNumber: NUMBER,
  toNumber: "+15557654321",
};

/** The chat ID contains a slash, so it must be percent-encoded in a URL path. */
const ended: EndChatRequest = { chatId: "a/b", workspaceId: 42 };

/** Functions that send each operation, using the sample requests above. */
export const SEND: Readonly<Record<keyof Api, (client: Api) => Promise<Outcome<unknown>>>> = {
  assignNumber: (client) => client.assignNumber(assignment),
  createSmsChat: (client) => client.createSmsChat(chat),
  addCommunityVoice: (client) => client.addCommunityVoice(voice),
  endChat: (client) => client.endChat(ended),
};

const platform = { baseUrl: "https://platform.example" };

/** The HTTP calls built from the sample requests above. */
export const CALLS: Readonly<Record<keyof Api, Call<unknown>>> = {
  assignNumber: assignNumber(assignment, platform),
  createSmsChat: createSmsChat(chat, platform),
  addCommunityVoice: addCommunityVoice(voice, platform),
  endChat: endChat(ended, platform),
};

/** A clock whose delays end immediately. Each delay moves `now()` forward by its duration; nothing else does. */
export interface HastyRuntime extends Clock {
  /** The durations of all delays so far, in milliseconds. */
  readonly waits: number[];
}

export function hastyRuntime(chance = 0.5): HastyRuntime {
  let now = 0;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    wallClock: () => Date.now(),
    random: () => chance,
    delay: async (milliseconds) => {
      waits.push(Math.round(milliseconds));
      now += milliseconds;
      await turn();
    },
  };
}

export interface TestClient extends Api {
  readonly runtime: HastyRuntime;
}

/** Overrides for the client's settings and `World`, and the proxy that the client uses, if any. */
export type ClientOptions = Partial<Settings & World> & { readonly proxy?: ProxyServer };

export function clientFor(server: { url: string; token?: string }, options: ClientOptions = {}): TestClient {
  const runtime = hastyRuntime();
  const { proxy, ...overrides } = options;
  const settings = settingsOf({ baseUrl: server.url });
  const merged = { ...systemWorld, clock: runtime, ...settings, ...overrides };
  return { ...createApi(merged, server.token ?? "test-access-token", merged, proxy), runtime };
}

/**
 * Returns a function with which a test starts an emulator. The emulator is closed after the test. Call this inside
 * `describe`, because it registers an `afterEach` hook.
 */
export function emulatorForEach(): (options?: EmulatorOptions) => Promise<Emulator> {
  const running: Emulator[] = [];
  afterEach(async () => {
    for (const emulator of running.splice(0)) {
      await emulator.close();
    }
  });
  return async (options) => {
    const emulator = await startEmulator(options);
    running.push(emulator);
    return emulator;
  };
}

/** Like `emulatorForEach`, but the returned function also creates a client for the emulator. */
export function clientForEach(): (
  options?: ClientOptions,
  emulatorOptions?: EmulatorOptions,
) => Promise<{ emulator: Emulator; client: TestClient }> {
  const start = emulatorForEach();
  return async (options, emulatorOptions) => {
    const emulator = await start(emulatorOptions);
    return { emulator, client: clientFor(emulator, options) };
  };
}

/**
 * Summarizes an outcome in one line, for example `applied: 200`. Leaves out times and request IDs, and reduces the
 * failure's detail to the facts it names (see `namedIn`).
 */
export function facts(outcome: Outcome<unknown>): string {
  if (outcome.failure === undefined) {
    return `applied: ${outcome.status}`;
  }
  const { outcome: kind, cause, detail, platformMessage, exchange } = outcome.failure;
  const attempted = `${exchange.status ?? "no response"}, ${counted(exchange.attempts, "attempt")}`;
  const quoted = platformMessage === undefined ? "" : ` "${platformMessage}"`;
  return `${kind}, ${cause}: ${attempted}: ${namedIn(detail)}${quoted}`;
}
