import assert from "node:assert/strict";
import { type Result, withStack } from "../support/engine";
import { withPlatformStack } from "../support/platformStack";

const slips = ({ diagnostics }: Result) =>
  diagnostics.filter(({ message }) => message.includes("AGP-")).map(({ message }) => message);

describe("a slip in a program", () => {
  it("ends the preview with one sentence, without a stack", async () => {
    const program = `
      import { canary, NumberAssignment } from "pulumi-agent-platform";
      new NumberAssignment("a", { number: "+15551230001", inboundAgents: canary("front", "agent_front@13", 10) });`;
    const config = { "agent-platform:baseUrl": "http://127.0.0.1:1" };
    await withStack({ program, config }, async (stack) => {
      assert.deepEqual(slips(await stack.preview({ expectFailure: true })), [
        'AGP-001 "front" is not an agent: write it as "agent_front@12", or { agentId, agentVersion }.',
      ]);
    });
  });
});

describe("a setting that is misspelt", () => {
  it("ends the preview with the name that was meant", async () => {
    const program = `
      import { NumberAssignment } from "pulumi-agent-platform";
      new NumberAssignment("a", { number: "+15551230001", inboundAgents: [] });`;
    const config = { "agent-platform:baseUrl": "http://127.0.0.1:1", "agent-platform:maxshift": "20" };
    await withStack({ program, config }, async (stack) => {
      assert.deepEqual(slips(await stack.preview({ expectFailure: true })), [
        "AGP-015 agent-platform:maxshift is not a setting, and nothing reads it. Did you mean agent-platform:maxShift? Set that, and run `pulumi config rm agent-platform:maxshift`.",
      ]);
    });
  });
});

describe("a number that a program declares twice", () => {
  const number = "+15551230001";
  const twice = `AGP-003 number ${number} is declared twice: by NumberAssignment "a" and by NumberGroup "g". Remove one of them: otherwise they overwrite each other in every run.`;

  it("fails the preview where it is known then, and the run before its second PUT where it becomes known there", async () => {
    const program = (numbers: string) => `
      import * as pulumi from "@pulumi/pulumi";
      import { NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";
      const inboundAgents = split({ agent_front: 1 });
      const a = new NumberAssignment("a", { number: "${number}", inboundAgents });
      const chat = new SmsChat("chat", {
        workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15551230009", toNumber: "+15551239999",
      }, { dependsOn: [a] });
      new NumberGroup("g", { numbers: ${numbers}, inboundAgents });`;
    const known = program(`pulumi.output(["${number}", "+15551230002"])`);
    await withPlatformStack({ program: known }, async ({ stack, sent, sentNothing }) => {
      assert.deepEqual(slips(await stack.preview({ expectFailure: true })), [twice]);
      sentNothing();
      stack.write(program(`["+15551230002", chat.chatId.apply(() => "${number}")]`));
      assert.deepEqual(slips(await stack.up({ expectFailure: true })), [twice]);
      assert.deepEqual(
        sent().map(([request]) => request),
        ["PUT /api/numbers/%2B15551230001/agent", "POST /api/chats/outbound-sms"],
      );
    });
  });
});
