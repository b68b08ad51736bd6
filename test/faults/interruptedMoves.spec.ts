import assert from "node:assert/strict";
import { closeProviders, declare, withMiniStack } from "../support/miniStack";

/** A number passes from one resource to another, the run breaks off, and the program goes back. Found by the random chains. */
describe("a number that was on its way to another resource", () => {
  after(closeProviders);

  const number = "+15550000002";
  const agent = (agentId: string) => [{ agentId, weight: 100 }];
  const holder = declare("numberAssignment", { number, inboundAgents: agent("agent_a") }, "holder");
  const taker = declare(
    "numberAssignment",
    { number, inboundAgents: agent("agent_b"), inboundWebhookUrl: "https://hooks.invalid/in" },
    "taker",
  );
  const takingGroup = declare("numberGroup", { numbers: [number], inboundAgents: agent("agent_b") }, "taker");

  for (const [kind, other] of [
    ["an assignment", taker],
    ["a group", takingGroup],
  ] as const) {
    it(`is as its holder declares it again, after ${kind} had taken it in a run that failed`, () =>
      withMiniStack({}, async ({ up, engine, emulator }) => {
        await up([holder]);
        // Applied, and nobody knows: the run stops before the holder's delete.
        emulator.inject({ kind: "appliedBut500" });
        await up([other]);
        assert.deepEqual(
          engine.state.map(({ name }) => name),
          ["holder", "taker"],
        );
        // The program goes back: for the engine the holder is unchanged, and the leftover must not leave its agents behind.
        const back = await up([holder]);
        assert.deepEqual(back.failures, []);
        assert.deepEqual(back.steps, [
          { op: "same", name: "holder" },
          { op: "delete", name: "taker" },
        ]);
        assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_a: 100 } });
        emulator.clearRequests();
        await up([holder]);
        assert.equal(emulator.requests.length, 0);
      }));
  }

  it("gets one PUT in a rename that nothing disturbs", () =>
    withMiniStack({}, async ({ up, emulator }) => {
      await up([holder]);
      emulator.clearRequests();
      const renamed = await up([{ ...holder, name: "renamed" }]);
      assert.deepEqual(renamed.failures, []);
      assert.equal(emulator.requests.length, 1);
    }));
});
