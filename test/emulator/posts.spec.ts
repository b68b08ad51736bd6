import assert from "node:assert/strict";
import type { Emulator, Profile } from "../../emulator";
import { call, chatBody, closeAfterEach, fixedClock, postChat, postVoice, start, voiceBody } from "./support";

function postEnd(emulator: Emulator, chatId: string, body: unknown = { workspaceId: 42 }) {
  return call(emulator, "POST", `/api/chats/${chatId}/end`, body);
}

/** An emulator whose every request comes at `dateOfStart`. */
const startAt = (profile: Partial<Profile> = {}) => start({ profile, clock: fixedClock() });
const dateOfStart = "2030-01-01T00:00:00.000Z";

const chat = {
  agentId: "chat_agent_a",
  version: 7,
  status: "open",
  type: "web_chat",
  metadata: {},
  customAttributes: {},
  startedAt: dateOfStart,
  endedAt: null,
  transcript: "",
  messages: [],
  chatCost: {},
  chatAnalysis: {},
  collectedDynamicVariables: {},
  service_dynamic_variables: {},
  overrideDynamicVariables: {},
};

describe("emulator: chats", () => {
  closeAfterEach();

  it("starts a chat and answers it whole", async () => {
    const emulator = await startAt();
    const body = { ...chatBody, metadata: { order: 7 }, service_dynamic_variables: { name: "Ada" } };
    const reply = await postChat(emulator, body);
    const chatId = emulator.chats[0]?.chatId;
    assert.match(chatId ?? "", /^chat_[0-9a-f]{16}$/);
    const shown = { ...chat, chatId, metadata: { order: 7 }, service_dynamic_variables: { name: "Ada" } };
    assert.deepEqual([reply.status, reply.json], [201, shown]);
    assert.deepEqual([emulator.chats[0]?.startedAt, emulator.chats[0]?.ended], [dateOfStart, false]);
  });

  it("refuses a body with a field of a wrong type", async () => {
    const emulator = await startAt();
    const reply = await postChat(emulator, { ...chatBody, metadata: "text" });
    assert.deepEqual([reply.status, reply.json], [400, { error: "metadata has the wrong type" }]);
    assert.deepEqual(emulator.chats, []);
  });

  for (const postResponse of ["minimal", "withoutId"] as const) {
    it(`postResponse=${postResponse} (row 20)`, async () => {
      const emulator = await startAt({ postResponse });
      const reply = await postChat(emulator);
      assert.deepEqual(reply.json, postResponse === "minimal" ? { chatId: emulator.chats[0]?.chatId } : chat);
    });
  }

  for (const [endChat, endedChat] of [
    ["chat", "again"],
    ["noContent", "404"],
    ["noContent", "409"],
    ["noContent", "410"],
  ] as const) {
    it(`ends a chat once: endChat=${endChat} (row 21), endedChat=${endedChat} (row 22)`, async () => {
      const clock = fixedClock();
      const emulator = await start({ profile: { endChat, endedChat }, clock });
      await postChat(emulator);
      const chatId = emulator.chats[0]?.chatId ?? "";
      const ended = { ...chat, chatId, status: "completed", endedAt: dateOfStart };
      const first = await postEnd(emulator, chatId);
      assert.deepEqual([first.status, first.json], endChat === "chat" ? [200, ended] : [204, undefined]);
      assert.deepEqual([emulator.chats[0]?.ended, emulator.chats[0]?.endedAt], [true, dateOfStart]);
      assert.deepEqual([emulator.requests[1]?.operation, emulator.requests[1]?.chatId], ["endChat", chatId]);
      clock.move(1000);
      const second = await postEnd(emulator, chatId);
      const refused = [Number(endedChat), { error: `chat ${chatId} is already ended` }];
      assert.deepEqual([second.status, second.json], endedChat === "again" ? [200, ended] : refused);
      assert.equal(emulator.chats[0]?.endedAt, dateOfStart);
    });
  }

  it("answers 404 to the end of a chat that never was", async () => {
    const reply = await postEnd(await startAt(), "chat_x");
    assert.deepEqual([reply.status, reply.json], [404, { error: "chat chat_x not found" }]);
  });
});

describe("emulator: voices", () => {
  closeAfterEach();

  it("adds a voice each time, and answers it whole", async () => {
    const emulator = await startAt();
    for (const index of [0, 1]) {
      const reply = await postVoice(emulator);
      const voiceId = emulator.voices[index]?.voiceId;
      assert.match(voiceId ?? "", /^voice_[0-9a-f]{16}$/);
      const shown = {
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
        createdAt: dateOfStart,
        updatedAt: dateOfStart,
      };
      assert.deepEqual([reply.status, reply.json], [200, shown]);
      assert.deepEqual(emulator.voices[index], { voiceId, ...voiceBody, createdAt: dateOfStart });
    }
    assert.notEqual(emulator.voices[0]?.voiceId, emulator.voices[1]?.voiceId);
  });
});
