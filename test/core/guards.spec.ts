import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { loosened, tighter, tripsAgents, tripsShift, tripsTotal } from "../../provider/core/guards";
import { tripped } from "../../provider/core/messages";
import type { Guards } from "../../provider/core/settings";

const open: Guards = { requireVersions: false, maxUnapproved: 0 };
const texts = (trips: Parameters<typeof tripped>[0][]) => trips.map((trip) => tripped(trip).text);

describe("guard weightTotal", () => {
  const passes: [string, Record<string, number>, number | undefined][] = [
    ["no guard", { agent_a: 90 }, undefined],
    ["the total", { agent_a: 90, agent_b: 10 }, 100],
    ["floats that sum to 1 on paper", { agent_a: 0.7, agent_b: 0.2, agent_c: 0.1 }, 1],
    ["ten tenths", Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`agent_${index}`, 0.1])), 1],
    ["no agent at all", {}, 100],
  ];
  for (const [name, split, expected] of passes)
    it(`passes ${name}`, () => assert.deepEqual(tripsTotal(split, expected), []));

  it("names the sum and the agents", () => {
    assert.deepEqual(texts(tripsTotal({ "agent_a@1": 70, agent_b: 20 }, 100)), [
      "AGP-020 inboundAgents: weights sum to 90, expected 100 (agent_a@1 70, agent_b 20). Change a weight, or the weightTotal. Nothing was sent.",
    ]);
  });
});

describe("guard maxShift", () => {
  it("names every agent whose share changes, and the limit", () => {
    assert.deepEqual(texts(tripsShift({ "agent_a@1": 100 }, { "agent_a@1": 70, "agent_a@2": 30 }, 25)), [
      "AGP-021 inboundAgents: 30 percentage points of the traffic would move at once, at most 25 may " +
        "(agent_a@1 100 % → 70 %, agent_a@2 none → 30 %). Go there in smaller steps, or raise maxShift. Nothing was sent.",
    ]);
  });

  it("passes a step of exactly the limit, a first split, and everything without a limit", () => {
    assert.deepEqual(tripsShift({ agent_a: 90, agent_b: 10 }, { agent_a: 70, agent_b: 30 }, 20), []);
    assert.deepEqual(tripsShift({}, { agent_a: 1 }, 5), []);
    assert.deepEqual(tripsShift({ agent_a: 1 }, { agent_b: 1 }, undefined), []);
  });

  it("stops the removal of all agents", () => {
    assert.equal(tripsShift({ agent_a: 1 }, {}, 50).length, 1);
  });
});

describe("guard requireVersions", () => {
  it("names every agent without a version", () => {
    assert.deepEqual(
      texts(tripsAgents({ agent_a: 50, "agent_b@1": 25, agent_c: 25 }, undefined, { ...open, requireVersions: true })),
      [
        "AGP-022 inboundAgents: every agent must name its version, and agent_a, agent_c do not. Add agentVersion. Nothing was sent.",
      ],
    );
  });
});

describe("guard approvedAgents", () => {
  const guards: Guards = { ...open, approvedAgents: ["agent_a@1"], maxUnapproved: 10 };

  it("lets an agent that is not approved hold as much as maxUnapproved", () => {
    assert.deepEqual(tripsAgents({ "agent_a@1": 90, "agent_a@2": 10 }, undefined, guards), []);
    assert.deepEqual(tripsAgents({ "agent_a@1": 100, "agent_a@2": 0 }, undefined, { ...guards, maxUnapproved: 0 }), []);
  });

  it("stops all calls on an untested agent, on create too", () => {
    assert.deepEqual(texts(tripsAgents({ "agent_a@2": 1 }, undefined, guards)), [
      "AGP-023 inboundAgents: agent_a@2 would hold 100 %, at most 10 % until approved (from 0 %). " +
        "Give a smaller share, or approve in agent-platform:approvedAgents. Nothing was sent.",
    ]);
  });

  it("counts what all agents that are not approved hold together", () => {
    assert.equal(tripsAgents({ "agent_a@1": 80, agent_x: 10, agent_y: 10 }, { "agent_a@1": 1 }, guards).length, 1);
  });
});

describe("guards of a program", () => {
  it("tighten those of the stack, and never loosen them", () => {
    assert.equal(tighter(20, 10), 10);
    assert.equal(tighter(20, undefined), 20);
    assert.equal(tighter(undefined, 10), 10);
    assert.deepEqual(loosened({ maxShift: 30, weightTotal: 1 }, { ...open, maxShift: 20, weightTotal: 100 }), [
      { path: "weightTotal", limit: 100 },
      { path: "maxShift", limit: 20 },
    ]);
    assert.deepEqual(loosened({ maxShift: 10, weightTotal: 100 }, { ...open, maxShift: 20, weightTotal: 100 }), []);
  });
});
