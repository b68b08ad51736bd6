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

/** The ID of the chat needs an escape in a path. */
const ended: EndChatRequest = { chatId: "a/b", workspaceId: 42 };

/** Each operation, sent with the values above. */
export const SEND: Readonly<Record<keyof Api, (client: Api) => Promise<Outcome<unknown>>>> = {
  assignNumber: (client) => client.assignNumber(assignment),
  createSmsChat: (client) => client.createSmsChat(chat),
  addCommunityVoice: (client) => client.addCommunityVoice(voice),
  endChat: (client) => client.endChat(ended),
};

const platform = { baseUrl: "https://platform.example" };

/** The request that each operation makes of the values above. */
export const CALLS: Readonly<Record<keyof Api, Call<unknown>>> = {
  assignNumber: assignNumber(assignment, platform),
  createSmsChat: createSmsChat(chat, platform),
  addCommunityVoice: addCommunityVoice(voice, platform),
  endChat: endChat(ended, platform),
};

/** A clock that waits alone move, and on which each is over as soon as it is asked for. */
export interface HastyRuntime extends Clock {
  readonly waits: number[];
}

export function hastyRuntime(chance = 0.5): HastyRuntime {
  let skipped = 0;
  const waits: number[] = [];
  return {
    waits,
    now: () => skipped,
    wallClock: () => Date.now(),
    random: () => chance,
    delay: async (milliseconds) => {
      waits.push(Math.round(milliseconds));
      skipped += milliseconds;
      await turn();
    },
  };
}

export interface TestClient extends Api {
  readonly runtime: HastyRuntime;
}

/** The settings of a client and what it sees of the world, as far as a test has its own. */
export type ClientOptions = Partial<Settings & World> & { readonly proxy?: ProxyServer };

export function clientFor(server: { url: string; token?: string }, options: ClientOptions = {}): TestClient {
  const runtime = hastyRuntime();
  const { proxy, ...own } = options;
  const settings = settingsOf({ baseUrl: server.url });
  const all = { ...systemWorld, clock: runtime, ...settings, ...own };
  return { ...createApi(all, server.token ?? "test-access-token", all, proxy), runtime };
}

/** An emulator for each test of the suite that calls this. */
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

/** An emulator and a client of it for each test of the suite that calls this. */
export function clientForEach(): (
  options?: ClientOptions,
  of?: EmulatorOptions,
) => Promise<{ emulator: Emulator; client: TestClient }> {
  const start = emulatorForEach();
  return async (options, of) => {
    const emulator = await start(of);
    return { emulator, client: clientFor(emulator, options) };
  };
}

/** What is certain of an outcome, in one line: everything but times, ids and the words of the detail. `applied: 200`. */
export function facts(outcome: Outcome<unknown>): string {
  if (outcome.failure === undefined) {
    return `applied: ${outcome.status}`;
  }
  const { outcome: became, cause, detail, platformMessage, exchange } = outcome.failure;
  const tries = `${exchange.status ?? "no response"}, ${counted(exchange.attempts, "attempt")}`;
  const words = platformMessage === undefined ? "" : ` "${platformMessage}"`;
  return `${became}, ${cause}: ${tries}: ${namedIn(detail)}${words}`;
}
