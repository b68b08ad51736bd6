import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import * as z from "zod";
import { judgeNew } from "../../provider/core/change/guards";
import { optional, UNKNOWN, validate } from "../../provider/core/common/schemas";
import type { Settings } from "../../provider/core/config/settings";
import { invalid, render } from "../../provider/core/messages";
import { type Rollout, rollout, splitOf, withSplit } from "../../provider/core/routing/rollout";
import { percentages } from "../../provider/core/routing/split";

const front = (percent: number): Rollout => ({ stable: "agent_front@12", candidate: "agent_front@13", percent });
const schema = z.strictObject({ rollout: optional(rollout) });

describe("a rollout", () => {
  it("is a split in percent, of which an agent without calls is no part", () => {
    assert.deepEqual(splitOf(front(10)), { "agent_front@12": 90, "agent_front@13": 10 });
    assert.deepEqual(splitOf(front(0)), { "agent_front@12": 100 });
    assert.deepEqual(splitOf(front(100)), { "agent_front@13": 100 });
    assert.deepEqual(splitOf({ stable: "agent_front" }), { agent_front: 100 });
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

  it("is unknown while a part of it is, or its unit", () => {
    const unknowns: Rollout[] = [
      { ...front(10), percent: UNKNOWN as unknown as number },
      { ...front(10), candidate: UNKNOWN },
      { stable: UNKNOWN },
      UNKNOWN as unknown as Rollout,
    ];
    for (const one of unknowns) {
      assert.deepEqual(validate(schema, { rollout: one }).problems, []);
      assert.equal(splitOf(one), UNKNOWN);
    }
    assert.equal(splitOf(front(10), UNKNOWN as unknown as number), UNKNOWN);
  });

  const percentIs = (found: string) => `rollout.percent must be a number from 0 to 100; found ${found}.`;
  const versions = { stable: "agent_front@12", candidate: "agent_front@13" };
  const refused: [string, unknown, string][] = [
    ["a percent that is text", { ...versions, percent: "10%" }, percentIs('"10%"')],
    ["NaN", front(Number.NaN), percentIs("NaN")],
    ["−1", front(-1), percentIs("-1")],
    ["101", front(101), percentIs("101")],
    ["a list as a percent", { ...versions, percent: [10] }, percentIs("a list")],
    ["a bigint as a percent", { ...versions, percent: 5n }, percentIs("5")],
    ["a function as a percent", { ...versions, percent: () => 1 }, percentIs("a function")],
    [
      "stable as the candidate",
      { ...front(1), candidate: "agent_front@12" },
      'rollout.candidate ("agent_front@12") must be another agent than stable.',
    ],
    [
      "a percent without a candidate",
      { stable: "agent_front@12", percent: 0 },
      "rollout.percent (0) needs a candidate: without one, all calls go to the stable agent.",
    ],
    ["a candidate without a percent", versions, "rollout.percent must be given if there is a candidate."],
    ["no stable", { candidate: "agent_front@13", percent: 10 }, "rollout.stable must be given."],
    ["an unknown key", { ...front(1), weight: 3 }, "rollout has no argument `weight`."],
    [
      "text",
      "agent_front@12",
      'rollout ("agent_front@12") must be the name of a rollout, or an object { stable, candidate, percent }.',
    ],
    ["a list", [front(1)], "rollout must be the name of a rollout, or an object { stable, candidate, percent }."],
    ["no agent", { stable: "front@12" }, 'rollout.stable ("front@12") must be an agent, as in `agent_front@12`.'],
    [
      "no version",
      { stable: "agent_a@new" },
      'rollout.stable ("agent_a@new") must be an agent, as in `agent_front@12`.',
    ],
    ["a number as an agent", { stable: 12 }, "rollout.stable (12) must be text."],
  ];
  for (const [name, given, expected] of refused) {
    it(`refuses ${name}`, () => {
      const { problems } = validate(schema, { rollout: given });
      assert.deepEqual(
        problems.map((problem) => render(invalid(problem))),
        [`AGP-001 ${expected}`],
      );
    });
  }

  it("takes null for left out", () => {
    const { value } = validate(schema, { rollout: { stable: "agent_front@12", candidate: null, percent: null } });
    assert.deepEqual(value, { rollout: { stable: "agent_front@12" } });
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
