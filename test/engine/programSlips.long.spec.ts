import assert from "node:assert/strict";
import { type Result, withStack } from "../support/engine";
import { withPlatformStack } from "../support/platformStack";

const slips = ({ diagnostics }: Result) =>
  diagnostics.filter(({ message }) => message.includes("AGP-")).map(({ message }) => message);

describe("a slip in a program", () => {
  it("ends the preview with one sentence at its resource, without a stack, and the resource is refused", async () => {
    const program = `
      import { NumberAssignment, split } from "pulumi-agent-platform";
      new NumberAssignment("a", { number: "+15551230001", inboundAgents: split({ "front": 90, "agent_front@13": 10 }) });`;
    const config = { "agent-platform:baseUrl": "http://127.0.0.1:1" };
    await withStack({ program, config }, async (stack) => {
      const [mistake = "", refusal = "", ...more] = slips(await stack.preview({ expectFailure: true }));
      assert.match(mistake, /^AGP-001 NumberAssignment "a" \(\+15551230001\): inboundAgents.*front/);
      assert.match(
        refusal,
        /AGP-001 NumberAssignment "a" \(\+15551230001\): refused because of the mistake above\. Nothing was sent\.$/,
      );
      assert.deepEqual(more, []);
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
  const [a, g] = ['NumberAssignment "a"', 'NumberGroup "g"'];
  const declared = (first: string, second: string) =>
    `number ${number} is declared twice: by ${first} and by ${second}. Remove one of them: otherwise they overwrite each other in every run.`;
  const twice = `AGP-003 ${g}: ${declared(a as string, g as string)}`;
  /** The engine asks about resources that wait for nothing in any order. */
  const either = [twice, `AGP-003 ${a} (${number}): ${declared(g as string, a as string)}`];

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
      const [said = "", ...more] = slips(await stack.preview({ expectFailure: true }));
      assert.ok(either.some((one) => said.endsWith(one)) && more.length === 0, said);
      sentNothing();
      stack.write(program(`["+15551230002", chat.chatId.apply(() => "${number}")]`));
      const [saidInRun = "", ...others] = slips(await stack.up({ expectFailure: true }));
      assert.ok(saidInRun.endsWith(twice) && others.length === 0, saidInRun);
      assert.deepEqual(
        sent().map(([request]) => request),
        ["PUT /api/numbers/%2B15551230001/agent", "POST /api/chats/outbound-sms"],
      );
    });
  });
});
