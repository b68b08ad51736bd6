import assert from "node:assert/strict";
import { closeProviders, declare, messagesOf, withMiniStack } from "../support/miniStack";

/** Clearing takes several PUTs where a platform ignores the first ways of writing "none": one of them may fail. */
describe("a refusal in the middle of the ladder", () => {
  after(closeProviders);

  const number = "+15550000001";
  const before = declare("numberAssignment", {
    number,
    inboundAgents: [{ agentId: "agent_a", weight: 100 }],
    inboundWebhookUrl: "https://hooks.invalid/in",
  });
  const after_ = declare("numberAssignment", { number, inboundAgents: [{ agentId: "agent_b", weight: 100 }] });

  it("does not say that the number keeps its routing, for the first PUT was applied", () =>
    withMiniStack({ profile: "clears=empty" }, async ({ up, engine, emulator }) => {
      await up([before]);
      emulator.inject({ kind: "status", status: 403, after: 1 });
      const failed = await up([after_]);
      assert.deepEqual(emulator.routing(number)?.inboundAgents, { agent_b: 100 });
      assert.deepEqual(messagesOf(failed), [
        `AGP-040 NumberAssignment "+15550000001": update UNKNOWN OUTCOME: the platform answered 403 to PUT /api/numbers/{number}/agent: "injected 403"
  1 attempt in 0.0 s, request id emulator-1.
  The number holds agent_a 100 or agent_b 100: which, is not known.
  Saved as not applied: the next \`pulumi up\` sends it again, which does no harm twice.`,
      ]);
      assert.equal(engine.state[0]?.outputs.unapplied, "unknown");
      // Back to the program of before: without the mark this would be no change, and agent_b would stay.
      assert.deepEqual((await up([before])).failures, []);
      assert.deepEqual(emulator.routing(number), {
        inboundAgents: { agent_a: 100 },
        inboundWebhookUrl: "https://hooks.invalid/in",
      });
    }));
});
