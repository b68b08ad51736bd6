import assert from "node:assert/strict";
import { startEmulator } from "../../emulator";
import { handlerFor } from "../../provider/edge/handler";
import { numberGroup } from "../../provider/resources/numberGroup";
import { newRun } from "../support/session";

/** A group from which a number leaves, as an edge is called for it. */
describe("an original that the engine would delete before its replacement is created", () => {
  it("is refused, and goes once the replacement is there", async () => {
    const emulator = await startEmulator();
    try {
      const session = newRun(emulator.url, emulator.token);
      const handler = handlerFor(numberGroup, () => ({ session }));
      const of = (numbers: readonly string[]) => ({ numbers, inboundAgents: [{ agentId: "agent_a", weight: 100 }] });
      const check = (olds: object, numbers: readonly string[]) => {
        const checked = handler.check({ ...olds }, of(numbers));
        assert.ok("inputs" in checked);
        return checked.inputs;
      };
      const { id, state } = await handler.create(check({}, ["4001", "4002"]));
      const news = check(state, ["4002"]);
      assert.deepEqual(handler.diff(id, { ...state }, news).replaces, ["numbers"]);
      await assert.rejects(handler.delete(id, { ...state }), { code: "AGP-075" });
      assert.equal(emulator.requests.length, 2);
      // The replacement goes on with the id, and binds nothing: the delete clears the one that left.
      assert.equal((await handler.create(news)).id, id);
      assert.equal(emulator.requests.length, 2);
    } finally {
      await emulator.close();
    }
  });
});
