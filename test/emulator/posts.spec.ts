import assert from "node:assert/strict";
import type { Emulator, Profile } from "../../emulator";
import { checkRows } from "../support/rows";
import {
  assertRefused,
  assertReply,
  call,
  chatBody,
  closeAfterEach,
  fixedClock,
  postChat,
  postVoice,
  start,
  voiceBody,
} from "./support";

function postEnd(emulator: Emulator, chatId: string, body: unknown = { workspaceId: 42 }) {
  return call(emulator, "POST", `/api/chats/${chatId}/end`, body);
}

/** Starts an emulator whose clock stands still at `startDate`. */
const startWithFixedClock = (profile: Partial<Profile> = {}) => start({ profile, clock: fixedClock() });
const startDate = "2030-01-01T00:00:00.000Z";

const chat = {
  agentId: "chat_agent_a",
  version: 7,
  status: "open",
  type: "web_chat",
  metadata: {},
  customAttributes: {},
  startedAt: startDate,
  endedAt: null,
  transcript: "",
  messages: [],
  chatCost: {},
  chatAnalysis: {},
  collectedDynamicVariables: {},
  service_dynamic_variables: {},
  overrideDynamicVariables: {},
};

describe("the emulator's chat API", () => {
  closeAfterEach();

  it("returns all fields of a new chat", async () => {
    const emulator = await startWithFixedClock();
    const body = { ...chatBody, metadata: { order: 7 }, service_dynamic_variables: { name: "Ada" } };
    const reply = await postChat(emulator, body);
    const chatId = emulator.chats[0]?.chatId;
    assert.match(chatId ?? "", /^chat_[0-9a-f]{16}$/);
    const expected = { ...chat, chatId, metadata: { order: 7 }, service_dynamic_variables: { name: "Ada" } };
    assertReply(reply, 201, expected);
    assert.equal(emulator.chats[0]?.startedAt, startDate);
    assert.equal(emulator.chats[0]?.ended, false, "the chat has ended");
  });

  it("rejects a chat with a field of the wrong type", async () => {
    const emulator = await startWithFixedClock();
    const reply = await postChat(emulator, { ...chatBody, metadata: "text" });
    assertRefused(reply, 400);
    assert.deepEqual(emulator.chats, []);
  });

  // See assumption 20 in docs/assumptions.md.
  it("returns only a new chat's ID if configured to", async () => {
    const emulator = await startWithFixedClock({ postResponse: "minimal" });
    const reply = await postChat(emulator);
    assert.deepEqual(reply.json, { chatId: emulator.chats[0]?.chatId });
  });

  it("omits a new chat's ID if configured to", async () => {
    const reply = await postChat(await startWithFixedClock({ postResponse: "withoutId" }));
    assert.deepEqual(reply.json, chat);
  });

  // See assumptions 21 and 22 in docs/assumptions.md.
  const endTwice = async (profile: Partial<Profile>) => {
    const clock = fixedClock();
    const emulator = await start({ profile, clock });
    await postChat(emulator);
    const chatId = emulator.chats[0]?.chatId ?? "";
    const first = await postEnd(emulator, chatId);
    assert.equal(emulator.chats[0]?.ended, true, "the chat has ended");
    assert.equal(emulator.chats[0]?.endedAt, startDate);
    assert.equal(emulator.requests[1]?.operation, "endChat");
    assert.equal(emulator.requests[1]?.chatId, chatId);
    clock.move(1000);
    const second = await postEnd(emulator, chatId);
    assert.equal(emulator.chats[0]?.endedAt, startDate);
    return { first, second, ended: { ...chat, chatId, status: "completed", endedAt: startDate } };
  };

  it("returns the same chat if it is ended twice", async () => {
    const { first, second, ended } = await endTwice({ endChat: "chat", endedChat: "again" });
    assertReply(first, 200, ended);
    assertReply(second, 200, ended);
  });

  it("rejects a second request to end a chat if configured to", () =>
    checkRows(["404", "409", "410"] as const, String, async (endedChat) => {
      const { first, second } = await endTwice({ endChat: "noContent", endedChat });
      assertReply(first, 204, undefined);
      assertRefused(second, Number(endedChat));
    }));

  it("rejects a request to end an unknown chat", async () => {
    const reply = await postEnd(await startWithFixedClock(), "chat_x");
    assertRefused(reply, 404);
  });
});

describe("the emulator's voice API", () => {
  closeAfterEach();

  it("creates a separate voice for each identical request", async () => {
    const emulator = await startWithFixedClock();
    for (const index of [0, 1]) {
      const reply = await postVoice(emulator);
      const voiceId = emulator.voices[index]?.voiceId;
      assert.match(voiceId ?? "", /^voice_[0-9a-f]{16}$/);
      const expected = {
        voiceId,
        name: "Ada",
        gender: "neutral",
        language: "en",
        accent: "neutral",
        description: "",
        provider: "provider_a",
        previewUrl: `https://voices.invalid/${voiceId}.mp3`,
        playbackOverrideUrl: null,
        tags: [],
        createdAt: startDate,
        updatedAt: startDate,
      };
      assertReply(reply, 200, expected);
      assert.deepEqual(emulator.voices[index], { voiceId, ...voiceBody, createdAt: startDate });
    }
    assert.notEqual(emulator.voices[0]?.voiceId, emulator.voices[1]?.voiceId);
  });
});
