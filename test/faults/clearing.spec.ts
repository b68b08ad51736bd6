import assert from "node:assert/strict";
import { declare, messagesOf, withMiniStack } from "../support/miniStack";

/** Clearing takes several PUTs if a platform ignores the first ways of writing "none": one of them may fail. */
describe("a refusal after an earlier way of clearing was accepted", () => {
  const number = "+15550000001";
  const before = declare("numberAssignment", {
    number,
    inboundAgents: [{ agentId: "agent_a", weight: 100 }],
    inboundWebhookUrl: "https://hooks.invalid/in",
  });
  const after = declare("numberAssignment", { number, inboundAgents: [{ agentId: "agent_b", weight: 100 }] });

  it("does not say that the number keeps its routing, for the first PUT was applied", () =>
    withMiniStack({ profile: { clears: "empty" } }, async ({ up, engine, emulator }) => {
      await up([before]);
      emulator.inject({ kind: "status", status: 403, after: 1 });
      const failed = await up([after]);
      assert.deepEqual(emulator.routing(number)?.inboundAgents, { agent_b: 100 });
      assert.deepEqual(messagesOf(failed), [
        `AGP-040 NumberAssignment "it" (+15550000001): outcome unknown: old or new routing; the platform returned 403 to PUT /api/numbers/{number}/agent: "injected 403".
  1 attempt in 0.0 s, request id emulator-1.
  Saved; the next \`pulumi up\` sends this number only.
  Rerun: sending the same PUT twice does no harm.`,
      ]);
      assert.deepEqual(engine.state[0]?.outputs.unapplied, [
        {
          numbers: `${number}\n`,
          reason: "unknown",
          applied: { inboundAgents: { agent_a: 100 }, inboundWebhookUrl: "https://hooks.invalid/in" },
          maybe: [{ inboundAgents: { agent_b: 100 } }],
        },
      ]);
      // Back to the program of before: without the mark this would be no change, and agent_b would stay.
      assert.deepEqual((await up([before])).failures, []);
      assert.deepEqual(emulator.routing(number), {
        inboundAgents: { agent_a: 100 },
        inboundWebhookUrl: "https://hooks.invalid/in",
      });
    }));
});

/** An integer has no empty form: a platform that takes only empty forms keeps the version, and that must be said. */
describe("a version that is taken from an outbound agent", () => {
  const number = "+15550000001";
  const pinned = declare("numberAssignment", {
    number,
    inboundAgents: [],
    outboundAgentId: "agent_o",
    outboundAgentVersion: 3,
  });
  const unpinned = declare("numberAssignment", { number, inboundAgents: [], outboundAgentId: "agent_o" });

  it("is told where every way leaves it, and is no failure: the platform may show the version that it picks", () =>
    withMiniStack({ profile: { clears: "empty" } }, async ({ up, emulator }) => {
      await up([pinned]);
      const { failures, said } = await up([unpinned]);
      assert.deepEqual(failures, []);
      assert.equal(
        said,
        'warning: AGP-050 NumberAssignment "it" (+15550000001): the response differs from the request in outboundAgentVersion. It counts as applied.\n',
      );
      assert.equal(emulator.routing(number)?.outboundAgentVersion, 3);
      emulator.clearRequests();
      assert.deepEqual((await up([unpinned])).steps, [{ op: "same", name: "it" }]);
      assert.equal(emulator.requests.length, 0);
    }));
});
