import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import { judgeNew } from "../../provider/core/change/guards";
import { UNKNOWN } from "../../provider/core/common/schemas";
import type { Settings } from "../../provider/core/config/settings";
import { type Rollout, splitOf, withSplit } from "../../provider/core/routing/rollout";
import { percentages } from "../../provider/core/routing/split";

const front = (percent: number): Rollout => ({ stable: "agent_front@12", candidate: "agent_front@13", percent });

describe("a rollout", () => {
  it("is a split in percent, of which an agent without calls is no part", () => {
    assert.deepEqual(splitOf(front(10)), { "agent_front@12": 90, "agent_front@13": 10 });
    assert.deepEqual(splitOf(front(0)), { "agent_front@12": 100 });
    assert.deepEqual(splitOf(front(100)), { "agent_front@13": 100 });
    assert.deepEqual(splitOf({ stable: "agent_front" }), { agent_front: 100 });
    assert.equal(splitOf(UNKNOWN as unknown as Rollout), UNKNOWN);
    assert.deepEqual(Object.keys(splitOf({ stable: "agent_z@1", candidate: "agent_a@1", percent: 1 })), [
      "agent_a@1",
      "agent_z@1",
    ]);
  });

  it("is written in the platform's unit", () => {
    assert.deepEqual(splitOf(front(10), 1), { "agent_front@12": 0.9, "agent_front@13": 0.1 });
    assert.deepEqual(splitOf(front(90), 1), { "agent_front@12": 0.1, "agent_front@13": 0.9 });
    assert.deepEqual(splitOf(front(0), 1), { "agent_front@12": 1 });
    assert.deepEqual(splitOf(front(33.3), 1), { "agent_front@12": 0.667, "agent_front@13": 0.333 });
    assert.deepEqual(splitOf(front(0.5), 1000), { "agent_front@12": 995, "agent_front@13": 5 });
  });

  it("passes the guard weightTotal in every unit, and gives the candidate its percentage", () => {
    const totals = fc.oneof(fc.constantFrom(1, 100, 1000, 3, 0.1), fc.double({ min: 1e-9, max: 1e15, noNaN: true }));
    const percents = fc.oneof(fc.nat({ max: 100 }), fc.double({ min: 0, max: 100, noNaN: true }));
    fc.assert(
      fc.property(totals, percents, (total, percent) => {
        const split = splitOf(front(percent), total);
        const guards = { requireVersions: true, maxUnapproved: 0, weightTotal: total };
        assert.deepEqual(judgeNew({ inboundAgents: split }, { guards } as Settings), []);
        assert.ok(Math.abs((percentages(split)["agent_front@13"] ?? 0) - percent) < 1e-6);
        assert.ok(Object.values(split).every((weight) => weight > 0));
      }),
    );
  });
});

describe("inputs with a rollout", () => {
  const ten = { rollout: front(10), inboundAgents: splitOf(front(10)) };

  it("get their split, and keep the one that ignoreChanges hands back", () => {
    const resolved = (news: object, olds?: object, total = 100) =>
      withSplit(news as typeof ten, olds as Record<string, unknown> | undefined, total, false);
    assert.deepEqual(resolved({ rollout: front(10) }), { inputs: ten });
    assert.deepEqual(resolved({ inboundAgents: { agent_a: 1 } }), { inputs: { inboundAgents: { agent_a: 1 } } });
    // ignoreChanges: ["rollout"], ["rollout.percent"]: the saved argument alone comes back.
    assert.deepEqual(resolved({ rollout: front(10) }, ten), { inputs: ten });
    // ignoreChanges: ["*"]
    assert.deepEqual(resolved(ten, ten), { inputs: ten, isIgnored: false });
    // ignoreChanges: ["inboundAgents"]
    assert.deepEqual(resolved({ ...ten, rollout: front(50) }, ten), { inputs: ten, isIgnored: true });
    // The same, in a stack whose unit has changed: the saved weights stay.
    assert.deepEqual(resolved(ten, ten, 1), { inputs: ten, isIgnored: false });
    // A program that writes both.
    assert.deepEqual(resolved(ten), {});
    assert.deepEqual(resolved({ rollout: front(50), inboundAgents: { agent_a: 1 } }, ten), {});
    assert.deepEqual(
      resolved({ rollout: front(50), inboundAgents: { agent_a: 1 } }, { inboundAgents: { agent_a: 1 } }),
      {},
    );
    assert.deepEqual(withSplit(ten, undefined, 1, true), { inputs: ten });
  });
});
