import assert from "node:assert/strict";
import { closeProviders, declare, type MiniStack, messagesOf, withMiniStack } from "../support/miniStack";

/**
 * A delete that fails saves nothing (the engine has no way to): the state goes on saying what may be gone. Whoever keeps the resource
 * after all must be told how its routing gets back.
 */
describe("a delete whose outcome is not known", () => {
  after(closeProviders);

  const inboundAgents = [{ agentId: "agent_a", weight: 100 }];
  const one = declare("numberAssignment", { number: "+15550000001", inboundAgents });
  const many = declare("numberGroup", { numbers: ["+15550000001", "+15550000002"], inboundAgents });

  async function lostInDelete({ up, destroy, emulator }: MiniStack, declaration: typeof one) {
    await up([declaration]);
    emulator.inject({ kind: "appliedBut500", number: "+15550000001" });
    const failed = await destroy();
    // What everybody expects, and no provider can prevent: nothing has changed for the engine.
    const kept = await up([declaration]);
    assert.deepEqual(kept.steps, [{ op: "same", name: "it" }]);
    assert.deepEqual(emulator.routing("+15550000001"), { inboundAgents: {} });
    const mended = await up([{ ...declaration, args: { ...declaration.args, triggers: ["again"] } }]);
    assert.deepEqual(mended.failures, []);
    assert.deepEqual(emulator.routing("+15550000001"), { inboundAgents: { agent_a: 100 } });
    return messagesOf(failed);
  }

  it("says how to keep the number after all", () =>
    withMiniStack({}, async (stack) => {
      assert.deepEqual(await lostInDelete(stack, one), [
        `AGP-040 NumberAssignment "it" (+15550000001): delete: outcome unknown; the platform returned 500 to PUT /api/numbers/{number}/agent: "internal error"
  1 attempt in 0.0 s, request id emulator-1.
  The number may or may not have been cleared. The resource stays in the state.
  Run the same command again: clearing twice does no harm. To keep the routing, change \`triggers\` and run \`pulumi up\`.`,
      ]);
    }));

  it("says how to keep the group after all", () =>
    withMiniStack({}, async (stack) => {
      assert.deepEqual(await lostInDelete(stack, many), [
        `AGP-070 NumberGroup "it": 1 of 2 cleared, 1 failed.
  1 × AGP-040 the platform returned 500 to PUT /api/numbers/{number}/agent: "internal error": +15550000001 (outcome unknown: cleared or not)
  The group stays in the state. Run the same command again: clearing twice does no harm. To keep the routing, change \`triggers\` and run \`pulumi up\`.
  Fix the problem reported above, then rerun.`,
      ]);
    }));
});
