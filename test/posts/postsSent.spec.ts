import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { communityVoice, smsChat } from "../../provider/posts/kinds";
import { SavedError } from "../../provider/run/errors";
import { emulatorForEach } from "../api/support";
import { declare, withMiniStack } from "../support/miniStack";
import { newRun } from "../support/session";
import { CHAT, chat, voice } from "./inputs";

/** Voices and chats: what is sent, saved and said, in one process, without the engine. */
describe("a voice", () => {
  const start = emulatorForEach();

  it("is saved as its inputs and its response, stays as it is, and stays in the library", async () => {
    const emulator = await start();
    const run = newRun(emulator.url, emulator.token);
    emulator.inject({ kind: "contradict", patch: { tags: ["warm"], gender: null, accent: 7 } });
    const { id, state } = await communityVoice.create(voice, run);
    assert.equal(id, emulator.voices[0]?.voiceId);
    assert.deepEqual(
      [state.voiceId, state.voiceName, state.tags, state.endpoint],
      [id, "Nova", ["warm"], emulator.url],
    );
    assert.ok(!("gender" in state) && !("accent" in state), "neither null nor of another type");
    assert.deepEqual(await communityVoice.update(id, state, voice, run), state);
    await communityVoice.delete(id, state, run);
    assert.deepEqual(run.warnings, [
      'AGP-063 CommunityVoice "nova": removed from the state only; the voice "Nova" stays in workspace 42, because the API cannot delete voices. To remove it, use the platform\'s web application.',
    ]);
    assert.equal(emulator.requests.length, 1);
  });
});

describe("a chat", () => {
  const start = emulatorForEach();

  it("is saved as its response and its inputs, is recorded without a request, and is ended once", async () => {
    const emulator = await start();
    const run = newRun(emulator.url, emulator.token);
    emulator.inject({
      kind: "contradict",
      patch: { agentId: "chat_agent_other", version: "one", transcript: "hello" },
    });
    const { id, state } = await smsChat.create({ ...chat, metadata: { a: 1 } }, run);
    assert.deepEqual(
      [state.chatId, state.agentId, state.metadata, state.transcript],
      [id, "chat_agent_a", { a: 1 }, "hello"],
    );
    assert.ok(!("version" in state), "of another type");
    const news = { ...chat, metadata: { a: 2 } };
    const updated = await smsChat.update(id, state, news, run);
    assert.deepEqual([updated.metadata, updated.transcript], [{ a: 2 }, "hello"]);
    await smsChat.delete(id, updated, newRun(emulator.url, emulator.token));
    assert.deepEqual([emulator.requests.length, emulator.chats[0]?.ended, run.warnings.length], [2, true, 0]);
  });

  it("stays in the state if the platform says that its end failed, and is ended by the next run", () =>
    withMiniStack({}, async ({ up, destroy, engine, emulator }) => {
      await up([declare("smsChat", CHAT)]);
      emulator.inject({ kind: "status", status: 200, body: { success: false, error: "busy" } });
      const { failures } = await destroy();
      assert.match(
        failures.map(({ message }) => message).join(),
        /delete rejected: the platform returned 200 to POST \/api\/chats\/\{chatId\}\/end: "busy"\..*The resource stays in the state\./s,
      );
      assert.equal(engine.state.length, 1);
      assert.deepEqual((await destroy()).failures, []);
      assert.deepEqual([engine.state.length, emulator.requests.length], [0, 3]);
    }));

  it("is not named by its number while it is unresolved, if the program makes that secret afterwards", () =>
    withMiniStack({}, async ({ up, preview, emulator }) => {
      emulator.inject({ kind: "reset" });
      await up([declare("smsChat", CHAT)]);
      const hidden = declare("smsChat", { ...CHAT, secretArguments: ["toNumber"] });
      const runs = [await preview([hidden]), await up([hidden]), await up([])];
      assert.deepEqual(
        runs.map(({ said }) => /AGP-04\d/.exec(said)?.[0]),
        ["AGP-041", "AGP-041", "AGP-041"],
      );
      assert.doesNotMatch(JSON.stringify(runs), new RegExp(CHAT.toNumber.slice(1)));
    }));

  it("is not ended if its replacement is the same chat", () =>
    withMiniStack({}, async ({ up, engine, emulator }) => {
      await up([declare("smsChat", CHAT)]);
      const [before] = engine.state;
      emulator.inject({ kind: "contradict", patch: { chatId: before?.id } });
      const { failures, steps } = await up([declare("smsChat", { ...CHAT, sendKey: "again" })]);
      assert.deepEqual([failures, steps.map(({ op }) => op)], [[], ["createReplacement", "deleteReplaced"]]);
      assert.deepEqual([engine.state[0]?.id, emulator.requests.length], [before?.id, 2]);
    }));

  it("is saved as unresolved after an error that was not foreseen, because it may have been sent", async () => {
    const failing = async () => {
      throw new Error("not foreseen");
    };
    const run = newRun("http://127.0.0.1:9", "an-access-token", {}, { openTransport: () => failing });
    await assert.rejects(smsChat.create(chat, run), (error) => {
      assert.ok(error instanceof SavedError);
      assert.match(
        error.message,
        /^AGP-041 SmsChat "welcome": create: outcome unknown; not foreseen .*\n {2}1 attempt in /,
      );
      return true;
    });
  });
});
