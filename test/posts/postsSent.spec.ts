import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../emulator";
import { communityVoice, smsChat } from "../../provider/posts/kinds";
import { render, SavedError } from "../../provider/words/message";
import { declare, withMiniStack } from "../support/miniStack";
import { CHAT, chat, voice } from "../support/posts";
import { rejectionAs } from "../support/rejected";
import { refusal, said, TOKEN } from "../support/said";
import { newRun } from "../support/session";

/** Voices and chats: what is sent, saved and said, in one process, without the engine. */

let emulator: Emulator;

const run = () => newRun(emulator.url, TOKEN, { attempts: 1 });

/** A state with the fields of the response. */
const saved = (state: object) => state as Readonly<Record<string, unknown>>;

describe("voices and chats", () => {
  beforeEach(async () => {
    emulator = await startEmulator({ token: TOKEN });
  });
  afterEach(() => emulator.close());

  describe("a voice", () => {
    it("is saved as its inputs and its response", async () => {
      emulator.inject({ kind: "contradict", patch: { tags: ["warm"], gender: null, accent: 7 } });
      const { id, state } = await communityVoice.create(voice, run());
      assert.equal(id, emulator.voices[0]?.voiceId);
      const { voiceId, voiceName, tags, endpoint } = saved(state);
      assert.deepEqual([voiceId, voiceName, tags, endpoint], [id, "Nova", ["warm"], emulator.url]);
      assert.ok(!("gender" in state) && !("accent" in state), "neither null nor of another type");
    });

    it("stays in the library after its delete: AGP-063", async () => {
      const { id, state } = await communityVoice.create(voice, run());
      const next = run();
      await communityVoice.delete(id, state, next);
      assert.deepEqual(next.warnings, [
        'AGP-063 CommunityVoice "nova": removed from the state only; the voice "Nova" stays in workspace 42, because the API cannot delete voices. To remove it, use the platform\'s web application.',
      ]);
      assert.equal(emulator.requests.length, 1);
    });

    it("of unknown outcome is told with both ways to resolve it: AGP-041", async () => {
      emulator.inject({ kind: "reset" });
      assert.equal(
        await said(communityVoice.create(voice, run())),
        `AGP-041 CommunityVoice "nova": create: outcome unknown; 127.0.0.1:8080 closed the connection before it responded (ECONNRESET) (POST /api/voices/community).
  1 attempt in 0.0 s.
  The voice "Nova" may have been added to workspace 42, and will not be sent again automatically.
  Check the voice library, then set one of these arguments on CommunityVoice "nova":
  if it exists:          adopt: "<voiceId>"
  if it does not exist:  retryUnresolved: "unresolved-1f0c"   (adds the voice, once)
  More: npx pulumi-agent-platform help AGP-041`,
      );
    });
  });

  describe("a chat", () => {
    it("is saved as its inputs and its response", async () => {
      emulator.inject({
        kind: "contradict",
        patch: { agentId: "chat_agent_other", version: "one", transcript: "hello" },
      });
      const { id, state } = await smsChat.create({ ...chat, metadata: { a: 1 } }, run());
      const { chatId, agentId, metadata, transcript } = saved(state);
      assert.deepEqual([chatId, agentId, metadata, transcript], [id, "chat_agent_a", { a: 1 }, "hello"]);
      assert.ok(!("version" in state), "of another type");
    });

    it("records new metadata without a request", async () => {
      const { id, state } = await smsChat.create({ ...chat, metadata: { a: 1 } }, run());
      const updated = await smsChat.update(id, state, { ...chat, metadata: { a: 2 } }, run());
      assert.deepEqual([updated.metadata, saved(updated).chatId, emulator.requests.length], [{ a: 2 }, id, 1]);
    });

    it("is saved as unresolved after an unforeseen error", async () => {
      const failing = async () => {
        throw new Error("not foreseen");
      };
      const offline = newRun("http://127.0.0.1:9", TOKEN, {}, { openTransport: () => failing });
      const error = await rejectionAs(SavedError, smsChat.create(chat, offline));
      assert.match(
        error.message,
        /^AGP-041 SmsChat "welcome": create: outcome unknown; not foreseen .*\n {2}1 attempt in /,
      );
    });

    it("is reported with the new base URL if it is redirected", async () => {
      emulator.inject({ kind: "status", status: 302, headers: { location: "https://elsewhere.example/" } });
      const text = await said(smsChat.create(chat, run()));
      assert.match(text, /^AGP-041 SmsChat "welcome": create: outcome unknown; /);
      assert.match(text, /\n {2}If https:\/\/elsewhere\.example is the platform's own address, .*\n {2}Check /);
    });

    it("is not named by a number that has become secret", () =>
      withMiniStack({}, async (stack) => {
        stack.emulator.inject({ kind: "reset" });
        await stack.up([declare("smsChat", CHAT)]);
        const hidden = declare("smsChat", { ...CHAT, secretArguments: ["toNumber"] });
        const runs = [await stack.preview([hidden]), await stack.up([hidden]), await stack.up([])];
        assert.deepEqual(
          runs.map(({ said }) => /AGP-04\d/.exec(said)?.[0]),
          ["AGP-041", "AGP-041", "AGP-041"],
        );
        assert.doesNotMatch(JSON.stringify(runs), new RegExp(CHAT.toNumber.slice(1)));
      }));

    it("is resolved by one retry, without a warning", () =>
      withMiniStack({}, async (stack) => {
        stack.emulator.inject({ kind: "reset" });
        await stack.up([declare("smsChat", CHAT)]);
        const retryUnresolved = stack.engine.state[0]?.id;
        const { failures, said } = await stack.up([declare("smsChat", { ...CHAT, retryUnresolved })]);
        assert.deepEqual([failures, said, stack.emulator.requests.length], [[], "", 2]);
      }));

    it("is refused with two resolutions: AGP-001", () => {
      const both = { ...chat, adopt: "chat_1", retryUnresolved: "unresolved-1" };
      assert.deepEqual(smsChat.check(undefined, both, run().settings).failures.map(render), [
        "AGP-001 adopt and retryUnresolved are both set. Keep only adopt if it exists, or only retryUnresolved if it does not.",
      ]);
    });
  });

  describe("the end of a chat", () => {
    it("is sent once", async () => {
      const { id, state } = await smsChat.create(chat, run());
      await smsChat.delete(id, state, run());
      assert.deepEqual([emulator.requests.length, emulator.chats[0]?.ended], [2, true]);
    });

    it("stays in the state if its outcome is unknown: AGP-043", async () => {
      const { id, state } = await smsChat.create(chat, run());
      emulator.inject({ kind: "reset", applied: false });
      assert.equal(
        await said(smsChat.delete(id, state, run())),
        `AGP-043 SmsChat "welcome": delete: outcome unknown; 127.0.0.1:8080 closed the connection before it responded (ECONNRESET) (POST /api/chats/{chatId}/end).
  1 attempt in 0.0 s.
  The resource stays in the state, and the chat ${JSON.stringify(id)} may or may not have ended.
  Run the same command again. Ending a chat twice does no harm.
  More: npx pulumi-agent-platform help AGP-043`,
      );
    });

    it("stays in the state if the platform refuses it: AGP-032", async () => {
      const { id, state } = await smsChat.create(chat, run());
      emulator.inject(refusal(403));
      assert.match(
        await said(smsChat.delete(id, state, run())),
        /^AGP-032 SmsChat "welcome": delete rejected: .*\n.*\n {2}The resource stays in the state\.\n.* The token comes from the saved state\.\n/,
      );
    });

    it("is sent again by the next run if it failed", () =>
      withMiniStack({}, async (stack) => {
        await stack.up([declare("smsChat", CHAT)]);
        stack.emulator.inject({ kind: "status", status: 200, body: { success: false, error: "busy" } });
        assert.equal((await stack.destroy()).failures.length, 1);
        assert.equal(stack.engine.state.length, 1);
        assert.deepEqual((await stack.destroy()).failures, []);
        assert.deepEqual([stack.engine.state.length, stack.emulator.requests.length], [0, 3]);
      }));

    for (const status of [404, 409, 410]) {
      it(`is done if the platform returns ${status}: AGP-061`, async () => {
        const { id, state } = await smsChat.create(chat, run());
        emulator.inject(refusal(status));
        const next = run();
        await smsChat.delete(id, state, next);
        assert.deepEqual(next.warnings, [
          `AGP-061 SmsChat "welcome": chat ${JSON.stringify(id)} counts as ended: the platform returned ${status} to the request to end it. No action is needed. If this is unexpected, check the base URL.`,
        ]);
      });
    }

    it("is not sent in a run in which another resource fails", () =>
      withMiniStack({}, async (stack) => {
        const number = (agentId: string) =>
          declare("numberAssignment", { number: "4001", inboundAgents: [{ agentId, weight: 1 }] }, "number");
        await stack.up([number("agent_a"), declare("smsChat", CHAT)]);
        stack.emulator.inject({ kind: "status", status: 422, operation: "assignNumber" });
        const { failures } = await stack.up([number("agent_b")], { continueOnError: true });
        assert.deepEqual(
          failures.map(({ message }) => message.slice(0, 7)),
          ["AGP-030", "AGP-074"],
        );
        assert.equal(stack.emulator.chats[0]?.ended, false);
      }));

    it("is not sent if the replacement is the same chat", () =>
      withMiniStack({}, async (stack) => {
        await stack.up([declare("smsChat", CHAT)]);
        const [before] = stack.engine.state;
        stack.emulator.inject({ kind: "contradict", patch: { chatId: before?.id } });
        const { failures, steps } = await stack.up([declare("smsChat", { ...CHAT, sendKey: "again" })]);
        assert.deepEqual([failures, steps.map(({ op }) => op)], [[], ["createReplacement", "deleteReplaced"]]);
        assert.deepEqual([stack.engine.state[0]?.id, stack.emulator.requests.length], [before?.id, 2]);
      }));
  });
});
