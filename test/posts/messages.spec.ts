import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../emulator";
import { communityVoice, smsChat } from "../../provider/posts/kinds";
import { render } from "../../provider/words/message";
import { refusal, said, TOKEN } from "../support/said";
import { newRun } from "../support/session";
import { chat, voice } from "./inputs";

/** What an operator reads of voices and chats: each sentence whole. */

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ token: TOKEN });
});
afterEach(() => emulator.close());

const run = () => newRun(emulator.url, TOKEN, { attempts: 1 });

describe("a POST of which nobody knows", () => {
  it("reads AGP-041 for a voice, with both ways to resolve it", async () => {
    emulator.inject({ kind: "reset" });
    assert.equal(
      await said(communityVoice.create(voice, run())),
      `AGP-041 CommunityVoice "nova": create: outcome unknown; 127.0.0.1:8080 closed the connection before it responded (ECONNRESET) (POST /api/voices/community).
  1 attempt in 0.0 s.
  The voice "Nova" may have been added to workspace 42, and is not sent again by itself.
  Check the voice library, then set one of these arguments on CommunityVoice "nova":
  if it exists:          adopt: "<voiceId>"
  if it does not exist:  retryUnresolved: "unresolved-1f0c"   (sends once)
  More: npx pulumi-agent-platform help AGP-041`,
    );
    assert.deepEqual([emulator.requests.length, emulator.voices.length], [1, 1]);
  });

  it("reads AGP-041 if it is redirected, and says that the base URL is another one", async () => {
    emulator.inject({ kind: "status", status: 302, headers: { location: "https://elsewhere.example/" } });
    const text = await said(smsChat.create(chat, run()));
    assert.match(text, /^AGP-041 SmsChat "welcome": create: outcome unknown; /);
    assert.match(text, /\n {2}If https:\/\/elsewhere\.example is the platform's own address, .*\n {2}Check /);
  });

  it("reads AGP-043 for the end of a chat, which stays in the state", async () => {
    const { id, state } = await smsChat.create(chat, run());
    emulator.inject({ kind: "reset", applied: false });
    assert.equal(
      await said(smsChat.delete(id, state, run())),
      `AGP-043 SmsChat "welcome": delete: outcome unknown; 127.0.0.1:8080 closed the connection before it responded (ECONNRESET) (POST /api/chats/{chatId}/end).
  1 attempt in 0.0 s.
  The resource stays in the state, and the chat ${JSON.stringify(id)} may or may not have ended.
  Run the same command again: ending a chat twice does no harm.
  More: npx pulumi-agent-platform help AGP-043`,
    );
  });

  it("reads AGP-032 if the platform refuses to end a chat, which goes on", async () => {
    const { id, state } = await smsChat.create(chat, run());
    emulator.inject(refusal(403));
    assert.equal(
      await said(smsChat.delete(id, state, run())),
      `AGP-032 SmsChat "welcome": delete rejected: the platform returned 403 to POST /api/chats/{chatId}/end: "no, thank you".
  1 attempt in 0.0 s, request id emulator-1.
  The resource stays in the state.
  Check that the token is allowed to edit this workspace. The token is from the saved state.
  More: npx pulumi-agent-platform help AGP-032`,
    );
  });

  it("reads AGP-062 where the chat had ended", async () => {
    const { id, state } = await smsChat.create(chat, run());
    emulator.inject(refusal(410));
    const session = run();
    await smsChat.delete(id, state, session);
    assert.deepEqual(session.warnings, [
      `AGP-062 SmsChat "welcome": chat ${JSON.stringify(id)} counts as ended: the platform returned 410 to the request to end it. No action is needed. If this is unexpected, check the base URL.`,
    ]);
  });

  it("is refused with two answers at once: AGP-001", () => {
    const { settings } = run();
    const { failures } = smsChat.check(
      undefined,
      { ...chat, adopt: "chat_1", retryUnresolved: "unresolved-1" },
      settings,
    );
    assert.deepEqual(failures.map(render), [
      "AGP-001 adopt and retryUnresolved are both set. Keep only adopt if it exists, or only retryUnresolved if it does not.",
    ]);
  });
});
