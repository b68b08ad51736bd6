import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, it } from "mocha";
import * as z from "zod";
import { validate } from "../../provider/base/arguments";
import { CAPS } from "../../provider/base/schemas";
import { split } from "../../provider/numberAssignment";
import { routingShape } from "../../provider/routing/routing";
import {
  agentKey,
  describe as describeSplit,
  moves,
  parseAgentKey,
  percentages,
  shift,
  toAgents,
  toSplit,
  total,
} from "../../provider/routing/split";
import { checkRows } from "../support/rows";

const agent = fc.record(
  {
    agentId: fc.stringMatching(/^agent_[a-z]{1,8}$/),
    agentVersion: fc.nat(),
    weight: fc.double({ min: 0, max: CAPS.weight, noNaN: true }),
  },
  { requiredKeys: ["agentId", "weight"] },
);
const agents = fc.uniqueArray(agent, { selector: agentKey, minLength: 1, maxLength: 8 });

describe("a split", () => {
  it("sorts a split by its agents' keys", () => {
    const list = [
      { agentId: "agent_c", agentVersion: 13, weight: 10 },
      { agentId: "agent_b", weight: -0 },
      { agentId: "agent_b", agentVersion: 2, weight: 20 },
    ];
    assert.equal(JSON.stringify(toSplit(list)), '{"agent_b":0,"agent_b@2":20,"agent_c@13":10}');
    assert.ok(Object.is(toSplit(list).agent_b, 0), "-0 becomes 0");
    const shuffled = agents.chain((entries) =>
      fc.tuple(fc.constant(entries), fc.shuffledSubarray(entries, { minLength: entries.length })),
    );
    fc.assert(
      fc.property(shuffled, ([original, reordered]) =>
        assert.equal(JSON.stringify(toSplit(original)), JSON.stringify(toSplit(reordered))),
      ),
    );
  });

  it("converts a split to a list and back without loss", () => {
    fc.assert(
      fc.property(agents, (entries) => assert.deepEqual(toSplit(toAgents(toSplit(entries))), toSplit(entries))),
    );
  });

  it("accepts only well-formed agent versions", () => {
    assert.deepEqual(parseAgentKey("agent_b@0"), { agentId: "agent_b", agentVersion: 0 });
    for (const version of ["", " ", "0x1F", "1e3", "+3", "-1", "012", "12.0", "latest"]) {
      assert.deepEqual(parseAgentKey(`agent_b@${version}`), { agentId: `agent_b@${version}` }, version);
    }
    const { problems } = validate(z.object(routingShape), { inboundAgents: { "agent_a@1": 50, "agent_b@": 50 } });
    assert.deepEqual(
      problems.map(({ path }) => path),
      ['inboundAgents["agent_b@"] (50)'],
    );
  });

  it("computes percentages that sum to 100 unless all weights are 0", () => {
    const withCalls = agents.filter((list) => list.some(({ weight }) => weight > 0));
    fc.assert(
      fc.property(withCalls, (entries) => {
        const sum = total(percentages(toSplit(entries)));
        assert.ok(Math.abs(sum - 100) < 1e-9, `the percentages sum to ${sum}`);
      }),
    );
    assert.deepEqual(percentages({ agent_a: CAPS.weight, agent_b: CAPS.weight }), { agent_a: 50, agent_b: 50 });
    assert.deepEqual(percentages({ agent_a: 0 }), { agent_a: 0 });
  });

  const shifts: readonly {
    readonly name: string;
    readonly before: Record<string, number>;
    readonly after: Record<string, number>;
    readonly expected: number;
  }[] = [
    { name: "a change from 90/10 to 0.9/0.1", before: { a: 90, b: 10 }, after: { a: 0.9, b: 0.1 }, expected: 0 },
    { name: "a change from 50/50 to 40/40/20", before: { a: 50, b: 50 }, after: { a: 40, b: 40, c: 20 }, expected: 20 },
    { name: "a split that is removed", before: { a: 100 }, after: {}, expected: 100 },
    { name: "a first split", before: {}, after: { a: 100 }, expected: 100 },
    { name: "no split before or after", before: {}, after: {}, expected: 0 },
  ];
  it("computes the shift between two splits in percentage points", () =>
    checkRows(
      shifts,
      ({ name }) => name,
      ({ before, after, expected }) => assert.equal(Number(shift(before, after).toFixed(9)), expected),
    ));

  it("lists each agent's old and new percentage", () => {
    assert.deepEqual(moves({ a: 90, b: 10 }, { a: 75, c: 25 }), [
      { agent: "a", from: 90, to: 75 },
      { agent: "b", from: 10, to: undefined },
      { agent: "c", from: undefined, to: 25 },
    ]);
    assert.deepEqual(
      [describeSplit({ "agent_b@2": 0.1, agent_a: 70 }), describeSplit({})],
      ["agent_a (weight 70), agent_b@2 (weight 0.1)", "no agents"],
    );
  });
});

describe("split()", () => {
  it("reads agents and versions from object keys", () =>
    assert.deepEqual(split({ "agent_front@12": 90, agent_front: 0 }), [
      { agentId: "agent_front", agentVersion: 12, weight: 90 },
      { agentId: "agent_front", weight: 0 },
    ]));

  it("leaves a malformed key for the provider's check to reject", () => {
    const agents = split({ "agent_front@": 1 });
    assert.deepEqual(agents, [{ agentId: "agent_front@", weight: 1 }]);
    const { problems } = validate(z.object(routingShape), { inboundAgents: agents });
    assert.deepEqual(
      problems.map(({ path }) => path),
      ['inboundAgents[0].agentId ("agent_front@")'],
    );
  });

  it("accepts a Pulumi output as a weight", async () => {
    const entries = await new Promise((resolve) => split({ "agent_a@1": pulumi.output(1) }).apply(resolve));
    assert.deepEqual(entries, [{ agentId: "agent_a", agentVersion: 1, weight: 1 }]);
  });
});
