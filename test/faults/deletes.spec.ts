import assert from "node:assert/strict";
import { closeProviders, declare, messagesOf, withMiniStack } from "../support/miniStack";

/**
 * A delete that fails saves nothing (the engine has no way to): the state goes on saying what may be gone. Whoever keeps the resource
 * after all must be told how its routing gets back.
 */
describe("a delete whose outcome is not known", () => {
  after(closeProviders);

  const inboundAgents = [{ agentId: "agent_a", weight: 100 }];
  const one = declare("numberAssignment", { number: "+15550000001", inboundAgents });

  it("says how to keep the number after all", () =>
    withMiniStack({}, async ({ up, destroy, emulator }) => {
      await up([one]);
      emulator.inject({ kind: "appliedBut500" });
      assert.deepEqual(messagesOf(await destroy()), [
        `AGP-040 NumberAssignment "it" (+15550000001): delete: outcome unknown; the platform returned 500 to PUT /api/numbers/{number}/agent: "internal error"
  1 attempt in 0.0 s, request id emulator-1.
  The number may or may not have been cleared. The resource stays in the state.
  Run the same command again: clearing twice does no harm. To keep the routing, change \`triggers\` and run \`pulumi up\`.`,
      ]);
      // What everybody expects, and no provider can prevent: nothing has changed for the engine.
      const kept = await up([one]);
      assert.deepEqual(kept.steps, [{ op: "same", name: "it" }]);
      assert.deepEqual(emulator.routing("+15550000001"), { inboundAgents: {} });
      const resent = await up([{ ...one, args: { ...one.args, triggers: ["again"] } }]);
      assert.deepEqual(resent.failures, []);
      assert.deepEqual(emulator.routing("+15550000001"), { inboundAgents: { agent_a: 100 } });
    }));
});
