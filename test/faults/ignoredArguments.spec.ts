import assert from "node:assert/strict";
import type { Declaration } from "../support/miniEngine";
import { closeProviders, declare, type MiniStack, withMiniStack } from "../support/miniStack";

/** The engine forgets `ignoreChanges` if it replaces a resource, and hands over what the program says. */

const [one, two, three] = ["+15550000001", "+15550000002", "+15550000003"] as const;
const all = (agentId: string) => [{ agentId, weight: 100 }];
const config = { "agent-platform:approvedAgents": ["agent_a"], "agent-platform:maxUnapproved": 0 };
const ignoring = (declaration: Declaration): Declaration => ({ ...declaration, ignoreChanges: ["inboundAgents"] });

const sentOf = ({ emulator }: MiniStack) => {
  const sent = emulator.requests.map(({ number, body }) => [number, body]);
  emulator.clearRequests();
  return sent;
};

describe("arguments that `ignoreChanges` keeps away", () => {
  after(closeProviders);

  it("stay away where a number leaves a group, also from its guards and from the platform", () =>
    withMiniStack({ config }, async (stack) => {
      const group = (numbers: readonly string[], agent: string) =>
        ignoring(declare("numberGroup", { numbers, inboundAgents: all(agent) }));
      await stack.up([group([one, two, three], "agent_a")]);
      sentOf(stack);

      const run = await stack.up([group([one, two], "agent_refused")]);
      assert.deepEqual(run.failures, []);
      assert.deepEqual(sentOf(stack), [[three, { inboundAgents: null }]]);
      assert.deepEqual(stack.emulator.routing(one), { inboundAgents: { agent_a: 100 } });
      assert.deepEqual(
        stack.engine.state.map(({ inputs, outputs }) => [inputs.inboundAgents, outputs.inboundAgents]),
        [[{ agent_a: 100 }, { agent_a: 100 }]],
      );
      const again = await stack.up([group([one, two], "agent_refused")]);
      assert.deepEqual(
        again.steps.map(({ op }) => op),
        ["same"],
      );
      assert.deepEqual(sentOf(stack), []);
    }));

  it("are not what a number is handed over with, when a group gets it back that it left in the same run", () =>
    withMiniStack({ config }, async (stack) => {
      const group = (numbers: readonly string[], agent: string) =>
        ignoring(declare("numberGroup", { numbers, inboundAgents: all(agent) }, "group"));
      const line = declare("numberAssignment", { number: two, inboundAgents: all("agent_a") }, "line");
      await stack.up([group([one], "agent_a"), line]);
      sentOf(stack);

      const run = await stack.up([group([two], "agent_refused")]);
      assert.deepEqual(run.failures, []);
      assert.deepEqual(stack.emulator.routing(two), { inboundAgents: { agent_a: 100 } });
      assert.ok(!JSON.stringify(sentOf(stack)).includes("agent_refused"));
    }));
});
