import assert from "node:assert/strict";
import { ErrorHook } from "@pulumi/pulumi";
import { describe, it } from "mocha";
import { startEmulator } from "../../emulator";
import { CommunityVoice, SmsChat } from "../../provider";
import { newInlineStack } from "../support/inlineStack";

/** By an inline program, which speaks to the engine itself: the host of Node that can be built here is older than hooks are. */
describe("an error hook that asks for another try", () => {
  it("gets one chat and one voice out of a lost response, and the state waits for the operator", async () => {
    const platform = await startEmulator();
    let asked = 0;
    const { stack, failedUp, remove } = await newInlineStack(platform, "agent_a", async () => {
      const again = new ErrorHook("again", () => {
        asked += 1;
        return asked < 6;
      });
      const options = { hooks: { onError: [again] } };
      new SmsChat(
        "reminder",
        { workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15551230001", toNumber: "+15551239999" },
        options,
      );
      const voice = { voiceProvider: "p", providerVoiceId: "v", voiceName: "Nova", publicUserId: "u" };
      new CommunityVoice("nova", { workspaceId: 42, ...voice }, options);
    });
    try {
      platform.inject({ operation: "createSmsChat", kind: "resetAfterRequest", applied: true });
      platform.inject({ operation: "addCommunityVoice", kind: "resetAfterRequest", applied: true });
      assert.match(await failedUp(), /AGP-04[12]/);
      assert.ok(asked > 1, `${asked}`);
      assert.deepEqual([platform.chats.length, platform.voices.length, platform.requests.length], [1, 1, 2]);
      const { deployment } = await stack.exportStack();
      const saved = (deployment.resources as { outputs?: { unresolved?: true } }[]).filter(
        ({ outputs }) => outputs?.unresolved,
      );
      assert.equal(saved.length, 2);
    } finally {
      remove();
      await platform.close();
    }
  });
});
