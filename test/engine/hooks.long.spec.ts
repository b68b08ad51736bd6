import assert from "node:assert/strict";
import { ErrorHook, ResourceHook } from "@pulumi/pulumi";
import { describe, it } from "mocha";
import { startEmulator } from "../../emulator";
import { CommunityVoice, NumberAssignment, SmsChat, split } from "../../provider";
import { newInlineStack } from "../support/inlineStack";

interface Split {
  readonly inboundAgents: Readonly<Record<string, number>>;
}

/** By an inline program, which speaks to the engine itself: the host of Node that can be built here is older than hooks are. */
describe("a resource hook of the program", () => {
  it("sees the old and the new split before the PUT, not at preview, and stops it", async () => {
    const platform = await startEmulator();
    const asked: unknown[] = [];
    const program = (candidate: number) => async () => {
      const hook = new ResourceHook("asks", ({ oldInputs, newInputs }) => {
        const [before, after] = [oldInputs as Split, newInputs as Split];
        asked.push([before.inboundAgents["agent_b@1"], after.inboundAgents["agent_b@1"]]);
        if ((after.inboundAgents["agent_b@1"] ?? 0) > 50) {
          throw new Error("the check says no");
        }
      });
      const inboundAgents = split({ "agent_a@1": 100 - candidate, "agent_b@1": candidate });
      new NumberAssignment("support", { number: "+15551230001", inboundAgents }, { hooks: { beforeUpdate: [hook] } });
    };
    const { stack, write, remove } = await newInlineStack(platform, "agent_a", program(10));
    try {
      await stack.up();
      write(program(20));
      await stack.preview();
      assert.deepEqual(asked, []);
      await stack.up();
      assert.deepEqual(asked, [[10, 20]]);
      assert.equal(platform.requests.length, 2);
      write(program(60));
      await assert.rejects(stack.up(), /the check says no/);
      assert.equal(platform.requests.length, 2);
      assert.deepEqual(platform.routing("+15551230001"), { inboundAgents: { "agent_a@1": 80, "agent_b@1": 20 } });
    } finally {
      remove();
      await platform.close();
    }
  });
});

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
