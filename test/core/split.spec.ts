import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import {
  agentKey,
  moves,
  parseAgentKey,
  percentages,
  shift,
  toAgents,
  toSplit,
  total,
  describe as words,
} from "../../provider/core/routing/split";

const agent = fc.record(
  {
    agentId: fc.stringMatching(/^agent_[a-z]{1,8}$/),
    agentVersion: fc.nat(),
    weight: fc.double({ min: 0, max: 1e308, noNaN: true }),
  },
  { requiredKeys: ["agentId", "weight"] },
);
const agents = fc.uniqueArray(agent, { selector: agentKey, minLength: 1, maxLength: 8 });

describe("a split", () => {
  it("is keyed by agent and version, in one order, whatever the order in the program", () => {
    const list = [
      { agentId: "agent_c", agentVersion: 13, weight: 10 },
      { agentId: "agent_b", weight: 70 },
      { agentId: "agent_b", agentVersion: 2, weight: 20 },
    ];
    assert.equal(JSON.stringify(toSplit(list)), '{"agent_b":70,"agent_b@2":20,"agent_c@13":10}');
    fc.assert(
      fc.property(agents, fc.infiniteStream(fc.nat()), (entries, picks) => {
        const shuffled = [...entries].map((entry) => [picks.next().value, entry] as const).sort(([a], [b]) => a - b);
        assert.equal(JSON.stringify(toSplit(shuffled.map(([, entry]) => entry))), JSON.stringify(toSplit(entries)));
      }),
    );
  });

  it("comes back from its canonical form as it was", () => {
    fc.assert(
      fc.property(agents, (entries) => assert.deepEqual(toSplit(toAgents(toSplit(entries))), toSplit(entries))),
    );
    assert.deepEqual(parseAgentKey("agent_b@2"), { agentId: "agent_b", agentVersion: 2 });
    assert.deepEqual(parseAgentKey("agent_b"), { agentId: "agent_b" });
  });

  it("takes for a version only what a version is written as", () => {
    assert.deepEqual(parseAgentKey("agent_b@0"), { agentId: "agent_b", agentVersion: 0 });
    for (const slip of ["", " ", "0x1F", "1e3", "+3", "-0", "-1", "012", "12.0", " 12", "latest"]) {
      assert.deepEqual(parseAgentKey(`agent_b@${slip}`), { agentId: "agent_b", agentVersion: Number.NaN }, slip);
    }
  });

  it("turns -0 into 0", () => {
    assert.ok(Object.is(toSplit([{ agentId: "agent_a", weight: -0 }]).agent_a, 0));
  });

  it("has percentages that sum to 100, also near the largest and the smallest number", () => {
    fc.assert(
      fc.property(
        agents.filter((list) => list.some(({ weight }) => weight > 0)),
        (entries) => {
          assert.ok(Math.abs(total(percentages(toSplit(entries))) - 100) < 1e-9);
        },
      ),
    );
    assert.deepEqual(percentages({ agent_a: 1e308, agent_b: 1e308 }), { agent_a: 50, agent_b: 50 });
    assert.deepEqual(percentages({ agent_a: 0 }), { agent_a: 0 });
  });

  const shifts: [string, Record<string, number>, Record<string, number>, number][] = [
    ["90/10 -> 70/30", { a: 90, b: 10 }, { a: 70, b: 30 }, 20],
    ["90/10 -> 0.9/0.1", { a: 90, b: 10 }, { a: 0.9, b: 0.1 }, 0],
    ["a -> b", { a: 1 }, { b: 1 }, 100],
    ["50/50 -> 40/40/20", { a: 50, b: 50 }, { a: 40, b: 40, c: 20 }, 20],
    ["all -> none", { a: 100 }, {}, 100],
    ["none -> all", {}, { a: 100 }, 100],
    ["none -> none", {}, {}, 0],
  ];
  for (const [name, before, after, expected] of shifts) {
    it(`moves ${expected} points: ${name}`, () => assert.ok(Math.abs(shift(before, after) - expected) < 1e-9));
  }

  it("names what each agent had and gets", () => {
    assert.deepEqual(moves({ a: 90, b: 10 }, { a: 75, c: 25 }), [
      { agent: "a", from: 90, to: 75 },
      { agent: "b", from: 10, to: undefined },
      { agent: "c", from: undefined, to: 25 },
    ]);
  });

  it("is described with its weights as written", () => {
    assert.equal(words({ "agent_b@2": 0.1, agent_a: 70 }), "agent_a 70, agent_b@2 0.1");
    assert.equal(words({}), "no agent");
  });
});
