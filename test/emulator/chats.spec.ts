import assert from "node:assert/strict";
import type { Profile } from "../../emulator";
import { without } from "./expected";
import {
  chatBody,
  dateOfStart,
  fixedClock,
  nullsBut,
  postChat,
  postEnd,
  postVoice,
  start,
  startAt,
  voiceBody,
} from "./support";

const chat = {
  chatId: "chat_3bd1b9ab",
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
  it("starts a chat and answers it whole", async () => {
    const emulator = await startAt();
    const body = { ...chatBody, metadata: { order: 7 }, service_dynamic_variables: { name: "Ada" } };
    const reply = await postChat(emulator, body);
    const [started] = emulator.chats;
    assert.equal(reply.status, 201);
    assert.deepEqual(reply.json, {
      ...chat,
      chatId: started?.chatId,
      metadata: { order: 7 },
      service_dynamic_variables: { name: "Ada" },
    });
    assert.match(started?.chatId ?? "", /^chat_[0-9a-f]{16}$/);
    assert.deepEqual(emulator.chats, [
      {
        chatId: started?.chatId,
        workspaceId: 42,
        agentId: "chat_agent_a",
        fromNumber: "+15550001111",
        toNumber: "+15550002222",
        metadata: { order: 7 },
        serviceDynamicVariables: { name: "Ada" },
        startedAt: dateOfStart,
        endedAt: undefined,
        ended: false,
      },
    ]);
  });

  it("gives every chat an identifier of its own, the same for the same seed", async () => {
    const ids = async (seed: number) => {
      const emulator = await start({ seed });
      await postChat(emulator);
      await postChat(emulator);
      return emulator.chats.map(({ chatId }) => chatId);
    };
    const [first, second] = await ids(1);
    assert.notEqual(first, second);
    assert.deepEqual(await ids(1), [first, second]);
    assert.notDeepEqual(await ids(2), [first, second]);
  });

  for (const [chatRequires, body, error] of [
    ["basic", { ...chatBody, agent_id: undefined }, "agent_id is required"],
    ["basic", { ...chatBody, to_number: null }, "to_number is required"],
    ["basic", { ...chatBody, metadata: "text" }, "metadata has the wrong type"],
    ["metadata", chatBody, "metadata is required"],
  ] as const) {
    it(`chatRequires=${chatRequires} (row 18): ${error}`, async () => {
      const emulator = await startAt({ chatRequires });
      const reply = await postChat(emulator, body);
      assert.deepEqual([reply.status, reply.json], [400, { error }]);
      assert.deepEqual(emulator.chats, []);
    });
  }

  it("chatRequires=nothing (row 18) starts a chat from an empty body", async () => {
    const emulator = await startAt({ chatRequires: "nothing" });
    assert.equal((await postChat(emulator, {})).status, 201);
    assert.equal(emulator.chats.length, 1);
  });

  const shown = (changes: object) => ({ ...chat, ...changes });
  for (const [profile, status, expected] of [
    [{ chatType: "sms" }, 201, shown({ type: "sms" })],
    [{ chatType: "absent" }, 201, without(chat, "type")],
    [{ chatStatus: "in_progress" }, 201, shown({ status: "in_progress" })],
    [{ chatStatus: "absent" }, 201, without(chat, "status")],
    [{ chatAnswer: "minimal" }, 201, { chatId: "" }],
    [{ chatAnswer: "nulls" }, 201, nullsBut(chat, "chatId", "")],
    [{ chatAnswer: "withoutId" }, 201, without(chat, "chatId")],
    [{ postStatuses: "swapped" }, 200, chat],
  ] as const satisfies readonly (readonly [Partial<Profile>, number, object])[]) {
    it(`${JSON.stringify(profile)} (rows 19 and 20)`, async () => {
      const emulator = await startAt(profile);
      const reply = await postChat(emulator);
      const id = "chatId" in expected ? { chatId: emulator.chats[0]?.chatId } : {};
      assert.deepEqual([reply.status, reply.json], [status, { ...expected, ...id }]);
      assert.equal(emulator.chats.length, 1);
    });
  }

  describe("endChat (row 21)", () => {
    const ended = { ...chat, status: "completed", endedAt: dateOfStart };
    for (const [endChat, status, expected] of [
      ["chat", 200, ended],
      ["empty", 200, {}],
      ["noContent", 204, undefined],
    ] as const) {
      it(endChat, async () => {
        const emulator = await startAt({ endChat });
        await postChat(emulator);
        const chatId = emulator.chats[0]?.chatId ?? "";
        const reply = await postEnd(emulator, chatId);
        assert.deepEqual([reply.status, reply.json], [status, endChat === "chat" ? { ...ended, chatId } : expected]);
        assert.deepEqual([emulator.chats[0]?.ended, emulator.chats[0]?.endedAt], [true, dateOfStart]);
        assert.equal(emulator.requests[1]?.chatId, chatId);
        assert.equal(emulator.requests[1]?.operation, "endChat");
      });
    }
  });

  describe("endedChat (row 22)", () => {
    for (const endedChat of ["again", "404", "409", "410"] as const) {
      it(endedChat, async () => {
        const clock = fixedClock();
        const emulator = await start({ profile: { endedChat }, clock });
        await postChat(emulator);
        const chatId = emulator.chats[0]?.chatId ?? "";
        await postEnd(emulator, chatId);
        clock.move(1000);
        const reply = await postEnd(emulator, chatId);
        const again = { ...chat, chatId, status: "completed", endedAt: dateOfStart };
        const expected =
          endedChat === "again" ? [200, again] : [Number(endedChat), { error: `chat ${chatId} is already ended` }];
        assert.deepEqual([reply.status, reply.json], expected);
        assert.equal(emulator.chats[0]?.endedAt, dateOfStart);
      });
    }
  });

  it("answers 404 to the end of a chat that never was", async () => {
    const reply = await postEnd(await startAt(), "chat_x");
    assert.deepEqual([reply.status, reply.json], [404, { error: "chat chat_x not found" }]);
  });

  it("refuses a workspace of the wrong type at the end of a chat", async () => {
    const reply = await postEnd(await startAt(), "chat_x", { workspaceId: "42" });
    assert.deepEqual([reply.status, reply.json], [400, { error: "workspaceId has the wrong type" }]);
  });

  it("foreignAccount=403 refuses another workspace in every POST", async () => {
    const emulator = await startAt({ foreignAccount: "403" });
    const error = "this token opens another account or workspace";
    for (const reply of [
      await postChat(emulator, { ...chatBody, workspaceId: 43 }),
      await postVoice(emulator, { ...voiceBody, workspaceId: 43 }),
      await postEnd(emulator, "chat_x", { workspaceId: 43 }),
    ]) {
      assert.deepEqual([reply.status, reply.json], [403, { error }]);
    }
  });
});
