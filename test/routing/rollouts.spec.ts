import assert from "node:assert/strict";
import fc from "fast-check";
import { UNKNOWN } from "../../provider/base/engine";
import { pick } from "../../provider/base/json";
import { readSettings } from "../../provider/config/settings";
import { judgeNew } from "../../provider/numbers/guards";
import { numberAssignment } from "../../provider/numbers/lifecycle";
import { resolveRollout, splitOf } from "../../provider/routing/rollout";
import { percentages } from "../../provider/routing/split";
import type { Rollout } from "../../provider/routing/types";
import { assertRefused } from "../support/failures";
import { namedIn } from "../support/named";
import { settingsOf } from "../support/session";

const STEP = { stable: "agent_front@12", candidate: "agent_front@13", percent: 10 };
const ABORT = { agent: "agent_front@13", percent: 50, at: "2026-11-23T09:02:11Z" };

const readWith = (rollouts: unknown) =>
  readSettings({ get: (key) => ({ baseUrl: "https://platform.example", rollouts })[key], env: {} });

function read(rollouts: unknown) {
  const result = readWith(rollouts);
  assert.ok("settings" in result, JSON.stringify(result));
  return result.settings.rollouts;
}

function problemsOf(rollouts: unknown): string[] {
  const result = readWith(rollouts);
  assert.ok("problems" in result, "expected problems");
  return result.problems.map(({ text }) => text);
}

describe("the rollouts setting", () => {
  it("accepts a map of rollouts as a JSON string or an object", () => {
    const rollouts = {
      front: { ...STEP, promote: { minSoak: "24h" } },
      night: { stable: "agent_night" },
    };
    assert.deepEqual(read(JSON.stringify(rollouts)), rollouts);
    assert.deepEqual(read(rollouts), rollouts);
    // An entry can keep `aborted` after its candidate is removed, while the candidate is at 0%, and after the candidate
    // is restarted.
    for (const entry of [
      { stable: "agent_front@12", aborted: ABORT },
      { ...STEP, percent: 0, aborted: ABORT },
      { ...STEP, aborted: ABORT },
    ]) {
      assert.deepEqual(read({ front: entry }), { front: entry });
    }
    assert.deepEqual(read({ front: { stable: "agent_front@12", candidate: null, percent: null } }), {
      front: { stable: "agent_front@12" },
    });
    assert.deepEqual([read({}), read(undefined)], [{}, undefined]);
    // `pulumi config set` saves a decimal number as a string.
    const withStrings = { ...STEP, percent: "2.5", aborted: { ...ABORT, percent: "0.25" } };
    assert.deepEqual(read({ front: withStrings }), {
      front: { ...STEP, percent: 2.5, aborted: { ...ABORT, percent: 0.25 } },
    });
  });

  for (const [name, rollouts, ...paths] of [
    ["a string that is not JSON", "front", ""],
    ["a rollout that is a string", { front: "agent_front@12" }, ".front"],
    ["a rollout without a stable agent", { front: {} }, ".front.stable"],
    ["a rollout name that starts with a digit", { "1st": STEP }, '["1st"]'],
    ["a percentage with a % sign", { front: { ...STEP, percent: "10%" } }, ".front.percent"],
    ["a percentage above 100 written as a string", { front: { ...STEP, percent: "101" } }, ".front.percent"],
    ["a percentage above 100", { front: { ...STEP, percent: 101 } }, ".front.percent"],
    ["a candidate that equals the stable agent", { front: { ...STEP, candidate: STEP.stable } }, ".front.candidate"],
    ["a candidate without a percentage", { front: { ...STEP, percent: null } }, ".front.percent"],
    [
      "invalid agents in each of two rollouts",
      { front: { stable: "agent_front@new" }, night: { stable: "night" } },
      ".front.stable",
      ".night.stable",
    ],
    ["a rollout with an unknown argument", { front: { ...STEP, since: 1 } }, ".front"],
    ["a rollout with a misspelled argument", { front: { ...STEP, percant: 1 } }, ".front"],
    ["a percentage without a candidate", { front: { stable: "agent_front@12", percent: 1 } }, ".front.percent"],
    [
      "an abort with an invalid date",
      { front: { stable: "agent_a", aborted: { ...ABORT, at: "2026-13-01T00:00:00Z" } } },
      ".front.aborted.at",
    ],
    ["a soak time written in words", { front: { ...STEP, promote: { minSoak: "1 day" } } }, ".front.promote.minSoak"],
    ["an unknown promotion option", { front: { ...STEP, promote: { after: "canary" } } }, ".front.promote"],
  ] as const) {
    it(`rejects ${name}`, () =>
      assertRefused(
        problemsOf(rollouts),
        paths.map((path) => `agent-platform:rollouts${path}`),
      ));
  }
});

describe("rollout names", () => {
  const configured = { front: { ...STEP, promote: { minSoak: "24h" } }, night: { stable: "agent_night@4" } };

  it("resolves a rollout's name to the rollout without its promotion options", () => {
    assert.deepEqual(resolveRollout("front", undefined, configured), { rollout: { name: "front", ...STEP } });
    assert.deepEqual(resolveRollout(UNKNOWN, undefined, configured), { rollout: UNKNOWN });
  });

  it("rejects a rollout name that is missing from the rollouts setting", () => {
    for (const [name, rollouts] of [
      ["frnt", configured],
      ["toString", configured],
      ["front", undefined],
    ] as const) {
      assert.equal(resolveRollout(name, undefined, rollouts).problem?.path, "rollout", name);
    }
  });

  it("accepts an object instead of a rollout name only if it was saved", () => {
    const saved = { name: "front", ...STEP };
    for (const written of [saved, STEP, { stable: UNKNOWN }, {}]) {
      assert.equal(resolveRollout(written, undefined, configured).problem?.path, "rollout");
    }
    assert.deepEqual(resolveRollout(saved, { ...saved }, configured), { rollout: saved });
  });
});

const front = (percent: number): Rollout => ({ stable: "agent_front@12", candidate: "agent_front@13", percent });

describe("a rollout's split", () => {
  it("converts a rollout to percentages and omits agents without calls", () => {
    assert.deepEqual(splitOf(front(10)), { "agent_front@12": 90, "agent_front@13": 10 });
    assert.deepEqual(splitOf(front(0)), { "agent_front@12": 100 });
    assert.deepEqual(splitOf(front(100)), { "agent_front@13": 100 });
    assert.deepEqual(splitOf({ stable: "agent_front" }), { agent_front: 100 });
    assert.deepEqual(Object.keys(splitOf({ stable: "agent_z@1", candidate: "agent_a@1", percent: 1 })), [
      "agent_a@1",
      "agent_z@1",
    ]);
  });

  it("scales a rollout's split to a given total weight", () => {
    assert.deepEqual(splitOf(front(10), 1), { "agent_front@12": 0.9, "agent_front@13": 0.1 });
    assert.deepEqual(splitOf(front(33.3), 1), { "agent_front@12": 0.667, "agent_front@13": 0.333 });
    assert.deepEqual(splitOf(front(0.5), 1000), { "agent_front@12": 995, "agent_front@13": 5 });
  });

  it("satisfies the weightTotal guard for any total weight", () => {
    const totals = fc.oneof(fc.constantFrom(1, 100, 1000, 3, 0.1), fc.double({ min: 1e-9, max: 1e15, noNaN: true }));
    const percents = fc.oneof(fc.nat({ max: 100 }), fc.double({ min: 0, max: 100, noNaN: true }));
    fc.assert(
      fc.property(totals, percents, (total, percent) => {
        const split = splitOf(front(percent), total);
        const guards = { requireVersions: true, maxUnapproved: 0, weightTotal: total };
        assert.deepEqual(judgeNew({ endpoint: "", inboundAgents: split }, guards), []);
        const percentage = percentages(split)["agent_front@13"] ?? 0;
        assert.ok(Math.abs(percentage - percent) < 1e-6, `the candidate gets ${percentage}% instead of ${percent}%`);
        assert.ok(Math.min(...Object.values(split)) > 0, `a weight of 0 in ${JSON.stringify(split)}`);
      }),
    );
  });
});

describe("inputs with a rollout", () => {
  const tenPercent = { rollout: { name: "front", ...front(10) }, inboundAgents: splitOf(front(10)) };
  const manualSplit = { rollout: undefined, inboundAgents: { agent_a: 1 } };
  const aborted = { stable: "agent_front@12", aborted: ABORT };
  const atZero = { rollout: { name: "front", ...aborted }, inboundAgents: { "agent_front@12": 100 } };
  const night = { ...tenPercent, rollout: { ...tenPercent.rollout, name: "night" } };
  /** The facts in the error for a resource that declares both a rollout and a split, as `namedIn` returns them. */
  const refused = ["inboundAgents ignoreChanges"];

  const rows: readonly {
    readonly name: string;
    /**
     * The arguments that `check` gets. For ignored properties, the engine passes the saved values instead of the
     * program's.
     */
    readonly args: object;
    readonly saved?: object;
    readonly weightTotal?: number;
    /** The entry named `front` in the rollouts setting. */
    readonly entry?: object;
    readonly expected: object;
  }[] = [
    { name: "uses the split of the named rollout", args: { rollout: "front" }, expected: tenPercent },
    { name: "accepts a manual split without a rollout", args: manualSplit, weightTotal: 1, expected: manualSplit },
    {
      name: "ignores an abort of a rollout that the resource no longer uses",
      args: manualSplit,
      saved: tenPercent,
      weightTotal: 1,
      entry: aborted,
      expected: manualSplit,
    },
    {
      name: "uses the saved rollout if ignoreChanges restores it",
      args: { rollout: tenPercent.rollout },
      saved: tenPercent,
      entry: front(50),
      expected: tenPercent,
    },
    {
      name: "uses the saved rollout and split if ignoreChanges restores both",
      args: tenPercent,
      saved: tenPercent,
      entry: front(50),
      expected: tenPercent,
    },
    {
      name: "does not rescale saved weights that ignoreChanges restores",
      args: tenPercent,
      saved: tenPercent,
      weightTotal: 1,
      expected: tenPercent,
    },
    {
      name: "refuses a rollout together with a manual split",
      args: { ...tenPercent, rollout: "front" },
      expected: refused,
    },
    {
      name: "reports an invalid workspace along with a conflicting split",
      args: { ...tenPercent, rollout: "front", workspaceId: 4.5 },
      expected: ["workspaceId 4.5", ...refused],
    },
    {
      name: "refuses a new rollout together with the saved split",
      args: { ...tenPercent, rollout: "later" },
      saved: tenPercent,
      expected: refused,
    },
    {
      name: "overrides a saved split with an abort",
      args: { ...tenPercent, rollout: "front" },
      saved: tenPercent,
      entry: aborted,
      expected: atZero,
    },
    {
      name: "overrides a saved rollout with an abort",
      args: { rollout: tenPercent.rollout },
      saved: tenPercent,
      entry: aborted,
      expected: atZero,
    },
    {
      name: "overrides a saved rollout and split with an abort",
      args: tenPercent,
      saved: tenPercent,
      entry: aborted,
      expected: atZero,
    },
    {
      name: "refuses the saved split of another rollout despite an abort",
      args: { ...night, rollout: "front" },
      saved: night,
      entry: aborted,
      expected: refused,
    },
  ];
  for (const { name, args, saved, weightTotal = 100, entry = front(10), expected } of rows) {
    it(name, () => {
      const rollouts = { front: entry, later: front(50) };
      const settings = settingsOf({ baseUrl: "https://platform.example", weightTotal, rollouts });
      const olds = saved && { number: "4001", ...saved };
      const { inputs, failures } = numberAssignment.check(olds, { number: "4001", ...args }, settings);
      const actual =
        failures.length > 0
          ? failures.flatMap(({ lines }) => lines.map(namedIn))
          : pick(inputs, ["rollout", "inboundAgents"]);
      assert.deepEqual(actual, expected);
    });
  }
});
