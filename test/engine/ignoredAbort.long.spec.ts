import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { withPlatformStack } from "../support/platformStack";

describe("an abort of a resource with ignoreChanges", () => {
  for (const ignored of ["rollout", "inboundAgents", "*"]) {
    it(`reaches the number, and the next run sends nothing: ${ignored}`, async () => {
      const program = `
        import { NumberAssignment } from "pulumi-agent-platform";
        new NumberAssignment("support", { number: "+15551234567", rollout: "front" }, { ignoreChanges: ["${ignored}"] });`;
      const stable = "agent_front@12";
      const front = { stable, candidate: "agent_front@13", percent: 10 };
      const config = { "agent-platform:rollouts": { front } };
      await withPlatformStack({ program, config }, async ({ stack, platform, sentNothing, sent }) => {
        await stack.up();
        sent();
        const aborted = { agent: "agent_front@13", percent: 10, at: "2026-11-25T10:00:00Z" };
        stack.setConfig({ "agent-platform:rollouts": { front: { stable, aborted } } });
        await stack.up();
        assert.deepEqual(platform.routing("+15551234567"), { inboundAgents: { [stable]: 100 } });
        assert.equal(sent().length, 1);
        await stack.up();
        sentNothing();
      });
    });
  }
});
