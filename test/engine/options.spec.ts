import assert from "node:assert/strict";
import { byTarget, withPlatformStack } from "../support/platformStack";

const program = (weight: number, webhook: string) => `
  import { NumberAssignment, NumberGroup, split } from "pulumi-agent-platform";
  const inboundAgents = split({ "agent_front@12": ${weight}, "agent_front@13": 10 });
  const one = (number: string, args = {}, opts = {}) =>
    new NumberAssignment(number, { number, inboundAgents, inboundWebhookUrl: "${webhook}", ...args }, opts);
  one("+15550000001");
  one("+15550000002", { workspaceId: 42 });
  one("+15550000003", {}, { retainOnDelete: true });
  one("+15550000004", {}, { ignoreChanges: ["inboundAgents"] });
  new NumberGroup("group", { numbers: ["+15550000005"], inboundAgents });
  const numbers = ${weight} === 90 ? ["+15550000007", "+15550000008"] : ["+15550000007"];
  new NumberGroup("ignoring", { numbers, inboundAgents }, { ignoreChanges: ["inboundAgents"] });
  new NumberGroup("kept", { numbers: ["+15550000006"], inboundAgents }, { retainOnDelete: true });`;

const put = (digit: number) => `PUT /api/numbers/%2B1555000000${digit}/agent`;
const front = (stable: number) => [
  { agent_id: "agent_front", agent_version: 12, weight: stable },
  { agent_id: "agent_front", agent_version: 13, weight: 10 },
];
const kept = { inboundAgents: { "agent_front@12": 50, "agent_front@13": 10 } };

describe("options of the engine", () => {
  it("ignoreChanges keeps the stored split, retainOnDelete sends nothing", async () => {
    await withPlatformStack({ program: program(90, "https://a.example.com/") }, async ({ stack, sent, platform }) => {
      await stack.up();
      sent();
      stack.write(program(50, "https://b.example.com/"));
      await stack.up();
      const changed = new Map(sent());
      assert.deepEqual(changed.get(put(4)), {
        inboundAgents: front(90),
        inboundWebhookUrl: "https://b.example.com/",
      });
      // The engine replaces a group that numbers leave, and forgets `ignoreChanges` there.
      assert.deepEqual([changed.get(put(7)), changed.get(put(8))], [undefined, { inboundAgents: null }]);
      assert.deepEqual(changed.get(put(3)), { inboundAgents: front(50), inboundWebhookUrl: "https://b.example.com/" });

      await stack.destroy();
      assert.deepEqual(byTarget(sent()), [
        [put(1), { inboundAgents: null, inboundWebhookUrl: null }],
        [put(2), { workspaceId: 42, inboundAgents: null, inboundWebhookUrl: null }],
        [put(4), { inboundAgents: null, inboundWebhookUrl: null }],
        [put(5), { inboundAgents: null }],
        [put(7), { inboundAgents: null }],
      ]);
      assert.deepEqual(platform.routing("+15550000003"), { ...kept, inboundWebhookUrl: "https://b.example.com/" });
      assert.deepEqual(platform.routing("+15550000006"), kept);
    });
  });
});
