import assert from "node:assert/strict";
import { withPlatformStack } from "../support/platformStack";

describe("secret and unknown inputs", () => {
  const program = (weight: number) => `
    import * as pulumi from "@pulumi/pulumi";
    import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat } from "pulumi-agent-platform";
    const inboundAgents = [{ agentId: "agent_hush", weight: pulumi.secret(${weight}) }, { agentId: "agent_b", weight: 7 }];
    new NumberAssignment("one", { number: "+15551230001", inboundAgents });
    new NumberGroup("many", { numbers: ["+15551230002"], inboundAgents });
    new CommunityVoice("voice", {
      workspaceId: 42, voiceProvider: "labs", providerVoiceId: "v1", voiceName: pulumi.secret("hush-voice"), publicUserId: "u1",
    });
    new SmsChat("chat", {
      workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15551230003", toNumber: "+15551230004",
      metadata: { note: pulumi.secret("hush-note") },
    });`;

  it("are applied, and so are the outputs that may echo them, in clear nowhere in the state", async () => {
    await withPlatformStack({ program: program(3) }, async ({ stack, platform }) => {
      await stack.up();
      stack.write(program(13));
      assert.deepEqual((await stack.up()).changeSummary, { same: 3, update: 2 });
      assert.deepEqual((await stack.up()).changeSummary, { same: 5 });
      assert.deepEqual(platform.routing("+15551230001")?.inboundAgents, { agent_b: 7, agent_hush: 13 });
      assert.deepEqual(platform.routing("+15551230002")?.inboundAgents, { agent_b: 7, agent_hush: 13 });
      assert.deepEqual([platform.voices.length, platform.chats.length], [1, 1]);
      assert.equal(/hush/.test(stack.stateText()), false);
      const [one] = stack.resources().filter(({ name }) => name === "one");
      assert.ok(one?.outputs.previousInboundAgents !== undefined, "the split before is kept, as a secret");
    });
  });

  it("are named in no message and no id, whatever goes wrong", async () => {
    const secrets = `
      import * as pulumi from "@pulumi/pulumi";
      import { NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";
      const inboundAgents = split({ agent_a: 1 });
      new NumberAssignment("one", { number: pulumi.secret("+15551230071"), inboundAgents });
      new NumberGroup("many", { numbers: pulumi.secret(["+15551230072", "+15551230073"]), inboundAgents });
      new SmsChat("chat", {
        workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15551230003", toNumber: pulumi.secret("+15551230074"),
      });`;
    await withPlatformStack({ program: secrets }, async ({ stack, platform }) => {
      const nowhere = (output: string) => {
        assert.doesNotMatch(output, /1555123007/);
        assert.doesNotMatch(stack.stateText(), /1555123007/);
      };
      const refused = { kind: "status", status: 422, body: { error: "no" } } as const;
      platform.inject({ operation: "assignNumber", ...refused, times: 2 });
      platform.inject({ operation: "createSmsChat", kind: "resetAfterRequest", applied: false });
      nowhere((await stack.up({ expectFailure: true, args: ["--parallel", "1", "--continue-on-error"] })).output);
      nowhere((await stack.up({ mayFail: true })).output);
      const ids = stack.resources().filter(({ type }) => type.includes("agent-platform"));
      assert.deepEqual(ids.map(({ id }) => id.replace(/-.*/, "")).sort(), ["group", "number", "unresolved"]);
      platform.inject({ operation: "assignNumber", ...refused, times: 3 });
      nowhere((await stack.destroy({ mayFail: true })).output);
      assert.doesNotMatch(JSON.stringify(platform.requests), /secretArguments/);
    });
  });
});
