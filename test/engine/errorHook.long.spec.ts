import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { startEmulator } from "../../emulator";
import { SmsChat } from "../../provider";
import { newInlineStack } from "./inlineStack";

// test/posts/postsSent.spec.ts also covers voices, but without the real engine.
describe("a Pulumi error hook", () => {
  it("does not resend a chat even if an error hook asks for a retry", async () => {
    const platform = await startEmulator({});
    let tries = 0;
    const inline = await newInlineStack(platform, "hooks", async () => {
      const retryHook = new pulumi.ErrorHook("again", () => {
        tries += 1;
        return tries < 3;
      });
      new SmsChat(
        "hello",
        { workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15550001111", toNumber: "+15550002222" },
        { hooks: { onError: [retryHook] } },
      );
    });
    try {
      platform.inject({ kind: "reset" });
      assert.match(await inline.failedUp(), /AGP-041 SmsChat "hello"/);
      assert.deepEqual([tries > 0, platform.requests.length], [true, 1]);
    } finally {
      inline.remove();
      await platform.close();
    }
  });
});
