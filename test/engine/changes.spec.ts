import assert from "node:assert/strict";
import { diffBlock, type PlatformStack, put, withPlatformStack } from "../support/platformStack";

const many = Array.from({ length: 12 }, (_, index) => `+1555000${1000 + index}`);

const program = (body: string) => `
  import { NumberAssignment } from "pulumi-agent-platform";
  const agent = (agentVersion: number, weight: number) => ({ agentId: "agent_front", agentVersion, weight });
  ${body}`;

const splitOf = (first: string, others: string) =>
  program(`
  ${JSON.stringify(many)}.forEach((number, index) => new NumberAssignment("line-" + index, {
    number, inboundAgents: index === 0 ? [${first}] : [${others}],
  }));`);

const noAgents = (argument: string, more = "") =>
  program(`new NumberAssignment("line-0", { number: "${many[0]}", ${argument} ${more} });`);

const toFirst = put(many[0] ?? "");
const entry = (agent_version: number, weight: number) => ({ agent_id: "agent_front", agent_version, weight });

describe("a change of a number", () => {
  it("is one line a changed agent and one PUT; the order of a list is none", async () => {
    const before = splitOf("agent(11, 20), agent(12, 70), agent(13, 10)", "agent(12, 90), agent(13, 10)");
    const after = splitOf("agent(14, 20), agent(13, 30), agent(12, 50)", "agent(13, 10), agent(12, 90)");
    await withPlatformStack({ program: before }, async (both) => {
      const { stack, sent, sentNothing, platform } = both;
      await stack.up();
      assert.equal(sent().length, many.length);
      stack.write(after);
      const { output, steps } = await stack.preview({ diff: true });
      sentNothing();
      assert.deepEqual(
        steps.map(({ op, name }) => `${op} ${name}`),
        ["update line-0"],
      );
      assert.deepEqual(diffBlock(output, "line-0"), [
        `        endpoint     : "${platform.url}"`,
        "      ~ inboundAgents: {",
        "          - agent_front@11: 20",
        "          ~ agent_front@12: 70 => 50",
        "          ~ agent_front@13: 10 => 30",
        "          + agent_front@14: 20",
        "        }",
        `        number       : "${many[0]}"`,
      ]);
      const { changeSummary } = await stack.up();
      assert.deepEqual(changeSummary, { same: many.length, update: 1 });
      assert.deepEqual(sent(), [[toFirst, { inboundAgents: [entry(12, 50), entry(13, 30), entry(14, 20)] }]]);
    });
  });

  it("clears an optional field that is gone, and agents only by an empty list", async () => {
    const whole =
      'inboundAgents: [agent(12, 1)], outboundAgentId: "agent_out", outboundAgentVersion: 3, isTimeRoutingEnabled: true, ';
    const start = noAgents(
      whole,
      'inboundWebhookUrl: "https://hooks.example.com/", extraFields: { outboundAgents: 1 }',
    );
    await withPlatformStack({ program: start }, async (both) => {
      await both.stack.up();
      both.sent();
      await clearsWhatIsGone(both);
      await refusesMissingAgents(both);
      await takesTheEmptyList(both);
      await sendsAgainForTriggers(both);
    });
  });
});

async function clearsWhatIsGone({ stack, sent, platform }: PlatformStack) {
  stack.write(noAgents("inboundAgents: [agent(12, 1)]"));
  await stack.up();
  assert.deepEqual(sent(), [
    [
      toFirst,
      {
        inboundAgents: [entry(12, 1)],
        outboundAgentId: null,
        outboundAgentVersion: null,
        inboundWebhookUrl: null,
        isTimeRoutingEnabled: null,
        outboundAgents: null,
      },
    ],
  ]);
  assert.deepEqual(platform.routing(many[0] ?? ""), { inboundAgents: { "agent_front@12": 1 } });
}

async function refusesMissingAgents({ stack, sentNothing }: PlatformStack) {
  stack.write(noAgents("isTimeRoutingEnabled: true"));
  const { diagnostics } = await stack.preview({ expectFailure: true });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message),
    [
      `pulumi-nodejs:dynamic/agent-platform:NumberAssignment resource 'line-0' has a problem: AGP-002 NumberAssignment "line-0" (${many[0]}): inboundAgents was set and is now missing. ` +
        "Restore it, or set `inboundAgents: []` to unassign all agents.",
    ],
  );
  sentNothing();
}

async function takesTheEmptyList({ stack, sent, platform }: PlatformStack) {
  stack.write(noAgents("inboundAgents: []"));
  await stack.up();
  assert.deepEqual(sent(), [[toFirst, { inboundAgents: null }]]);
  assert.deepEqual(platform.routing(many[0] ?? ""), { inboundAgents: {} });
}

async function sendsAgainForTriggers({ stack, sent }: PlatformStack) {
  stack.write(noAgents("inboundAgents: []", ', triggers: { reviewed: "today" }'));
  assert.deepEqual((await stack.up()).changeSummary, { same: 1, update: 1 });
  assert.deepEqual(sent(), [[toFirst, { inboundAgents: null }]]);
}
