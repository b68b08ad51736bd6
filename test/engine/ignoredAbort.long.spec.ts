import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { withPlatformStack } from "../support/platformStack";

const IGNORED = { "4001": "rollout", "4002": "inboundAgents", "4003": "*" };

const program = `
  import { NumberAssignment } from "pulumi-agent-platform";
  for (const [number, ignored] of Object.entries(${JSON.stringify(IGNORED)})) {
    new NumberAssignment(number, { number, rollout: "front" }, { ignoreChanges: [ignored] });
  }`;

describe("an abort of a resource with ignoreChanges", () => {
  it("reaches the number, and the next run sends nothing: rollout, inboundAgents, *", async () => {
    const stable = "agent_front@12";
    const front = { stable, candidate: "agent_front@13", percent: 10 };
    const config = { "agent-platform:rollouts": { front } };
    await withPlatformStack({ program, config }, async ({ stack, platform, sentNothing, sent }) => {
      await stack.up();
      sent();
      const aborted = { agent: "agent_front@13", percent: 10, at: "2026-11-25T10:00:00Z" };
      stack.setConfig({ "agent-platform:rollouts": { front: { stable, aborted } } });
      await stack.up();
      for (const number of Object.keys(IGNORED)) {
        assert.deepEqual(platform.routing(number), { inboundAgents: { [stable]: 100 } }, number);
      }
      assert.equal(sent().length, 3);
      await stack.up();
      sentNothing();
    });
  });
});
