import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { numberGroup } from "../../provider/numbers/lifecycle";
import type { Split } from "../../provider/routing/split";
import type { JudgedSplit, StepProblem, Violation } from "../../provider/run/violation";
import { reasons, settings } from "../support/inputs";
import { namedIn } from "../support/named";
import { checkRows } from "../support/rows";
import { type Change, dryStack, type Entry } from "./dryStack";

/** Tests how the guards check a rollout over several simulated runs. Nothing is sent to a platform. */

const STEPS = { steps: [1, 10, 50, 100] };
const [v12, v13, v14] = ["agent_front@12", "agent_front@13", "agent_front@14"] as const;

const front = (percent: number, more: Entry = {}): Change => ({
  rollout: { stable: v12, candidate: v13, percent, ...more },
});
const stableAt = (stable: string): Change => ({ rollout: { stable } });
const manualSplit = (inboundAgents: Record<string, number>): Change => ({ inboundAgents });

const steps = (problem: StepProblem): Violation => ({ guard: "steps", path: "rollout", name: "front", ...problem });
const notStable = (stable: string, percentages: Readonly<Record<string, number>>) =>
  steps({ why: "notStable", stable, percentages });
const skips = (from: number, to: number, skipped: readonly number[]) => steps({ why: "skips", from, to, skipped });
const noStep = steps({ why: "noStep", percent: 25, steps: STEPS.steps });
const shiftViolation = (path: JudgedSplit["path"], shift: number, before: Split, after: Split): Violation => ({
  guard: "maxShift",
  path,
  shift,
  max: 25,
  before,
  after,
});
const TEN_PERCENT = { [v12]: 90, [v13]: 10 };

describe("guard steps", () => {
  const rows: readonly {
    readonly name: string;
    readonly before: Change;
    readonly after: Change;
    readonly refused: Violation;
  }[] = [
    { name: "refuses a percentage that is not a step", before: front(10), after: front(25), refused: noStep },
    {
      name: "refuses a change that skips a step",
      before: front(0),
      after: front(100),
      refused: skips(0, 100, [1, 10, 50]),
    },
    {
      name: "refuses to start a rollout at a later step",
      before: stableAt(v12),
      after: front(10),
      refused: skips(0, 10, [1]),
    },
    {
      name: "refuses a different candidate during a rollout",
      before: front(10),
      after: front(1, { candidate: v14 }),
      refused: notStable(v12, TEN_PERCENT),
    },
    {
      name: "refuses to swap the stable agent and the candidate",
      before: front(10),
      after: front(50, { stable: v13, candidate: v12 }),
      refused: notStable(v13, TEN_PERCENT),
    },
    {
      name: "refuses to make a candidate stable before it reaches 100%",
      before: front(10),
      after: stableAt(v13),
      refused: notStable(v13, TEN_PERCENT),
    },
    {
      name: "refuses a new stable agent that receives no calls",
      before: front(0),
      after: stableAt(v14),
      refused: notStable(v14, { [v12]: 100 }),
    },
    {
      name: "refuses a new candidate while the previous one has 100%",
      before: front(100),
      after: front(1, { candidate: v14 }),
      refused: notStable(v12, { [v13]: 100 }),
    },
  ];
  for (const { name, before, after, refused } of rows) {
    it(name, () => {
      const stack = dryStack();
      stack.run([before]);
      stack.guard(STEPS);
      assert.deepEqual(stack.refused(after), [refused]);
    });
  }

  it("accepts new numbers at any step but not between steps", () => {
    const stack = dryStack(STEPS);
    assert.deepEqual(stack.refused(front(25)), [noStep]);
    assert.deepEqual(
      STEPS.steps.flatMap((percent) => stack.refused(front(percent))),
      [],
    );
  });

  it("refuses the next step until every number has the current one", () => {
    const stack = dryStack({ ...STEPS, maxShift: 5 });
    stack.run([front(1)]);
    stack.run([front(10)], { "4002": "rejected" });
    assert.deepEqual(stack.refused(front(50)), [steps({ why: "unconfirmed", from: 10 })]);
    // Retrying 4002 exceeds `maxShift`, but that limit doesn't apply to a rollout if `steps` is set.
    stack.run([front(10), front(50)]);
  });
});

describe("a rollout with steps", () => {
  it("allows one step up or down regardless of maxShift", () => {
    const stack = dryStack({ ...STEPS, maxShift: 5 });
    stack.run([0, 1, 10, 50, 10, 50, 100, 50, 100].map((percent) => front(percent)));
    assert.deepEqual(stack.state().inboundAgents, { [v13]: 100 });
  });

  it("allows a new rollout after the last one reached 100% or 0%", () => {
    const stack = dryStack();
    stack.run([front(100)]);
    stack.guard(STEPS);
    assert.deepEqual(stack.run([stableAt(v13)]), []);
    const next = (percent: number) => front(percent, { stable: v13, candidate: v14 });
    stack.run([next(1), next(10), next(0)]);
    assert.deepEqual(stack.refused(next(10)), [skips(0, 10, [1])]);
    stack.run([front(1, { stable: v13, candidate: "agent_front@15" })]);
  });

  it("continues a rollout from a manual split between its two agents", () => {
    const stack = dryStack(STEPS);
    stack.run([manualSplit(TEN_PERCENT), front(10), front(50)]);
  });
});

describe("maxShift without steps", () => {
  for (const { name, after, path } of [
    { name: "a jump from 10% to 100%", after: front(100), path: "inboundAgents" },
    { name: "to make the candidate stable while it has only 10%", after: stableAt(v13), path: "inboundAgents" },
    {
      name: "to swap the stable agent and the candidate",
      after: front(90, { stable: v13, candidate: v12 }),
      path: "rollout.stable",
    },
  ] as const) {
    it(`refuses ${name}`, () => {
      const stack = dryStack({ maxShift: 25 });
      stack.run([stableAt(v12), front(10)]);
      assert.deepEqual(stack.refused(after), [shiftViolation(path, 90, TEN_PERCENT, { [v13]: 100 })]);
    });
  }
});

describe("a group without a rollout", () => {
  it("rejects a group whose rollout was removed and names its numbers", () => {
    const checked = numberGroup.check({ numbers: "4001\n", ...front(1) }, { numbers: ["4001", "4002"] }, settings);
    assert.deepEqual(reasons(checked).map(namedIn), [
      "AGP-002 4001 4002 `rollout` `inboundAgents` `rollout` `inboundAgents` `inboundAgents: []`",
    ]);
  });

  it("omits the numbers from the missing-rollout error if they are invalid", () => {
    const checked = numberGroup.check(undefined, { numbers: ["4001", "+5"], triggers: [Number.NaN] }, settings);
    assert.deepEqual(reasons(checked).slice(2).map(namedIn), [
      "AGP-002 `rollout` `inboundAgents` `rollout` `inboundAgents` `inboundAgents: []`",
    ]);
  });
});

/**
 * Guards check a stable agent as soon as a rollout names it, because only `freeze` could still refuse an abort to it.
 */
describe("guards on a new stable agent", () => {
  const approved = { approvedAgents: [v12, v13] };
  const withStable = (percent: number, candidate: string = v12, stable = "agent_typo@1"): Change => ({
    rollout: { stable, candidate, percent },
  });
  const allToV12 = manualSplit({ [v12]: 100 });
  const unapproved = (max = 0) =>
    ({
      guard: "maxUnapproved",
      path: "rollout.stable",
      agents: [{ agent: "agent_typo@1", suggestion: undefined }],
      share: { percentage: 100, from: 0, max },
    }) as const;
  const rows: readonly {
    readonly name: string;
    readonly before?: Change;
    readonly guards: object;
    readonly after: Change;
    readonly refused?: Violation;
  }[] = [
    {
      name: "refuses an unapproved stable agent after a manual split",
      before: allToV12,
      guards: approved,
      after: withStable(100),
      refused: unapproved(),
    },
    {
      name: "refuses an unapproved stable agent after a promotion",
      before: front(100),
      guards: approved,
      after: withStable(100, v13),
      refused: unapproved(),
    },
    {
      name: "refuses an unapproved stable agent for new numbers",
      guards: approved,
      after: withStable(100),
      refused: unapproved(),
    },
    {
      name: "refuses an unapproved stable agent even if its share is within maxUnapproved",
      before: front(100),
      guards: { ...approved, maxUnapproved: 10 },
      after: withStable(95, v13),
      refused: unapproved(10),
    },
    {
      name: "refuses a stable agent if an abort to it would exceed maxShift",
      before: allToV12,
      guards: { maxShift: 25 },
      after: withStable(100),
      refused: shiftViolation("rollout.stable", 100, { [v12]: 100 }, { "agent_typo@1": 100 }),
    },
    {
      name: "refuses a new stable agent without calls if steps is set",
      before: allToV12,
      guards: STEPS,
      after: withStable(100),
      refused: notStable("agent_typo@1", { [v12]: 100 }),
    },
    {
      name: "refuses a stable agent without a version if requireVersions is set",
      before: allToV12,
      guards: { requireVersions: true },
      after: withStable(100, v12, "agent_typo"),
      refused: { guard: "requireVersions", path: "rollout.stable", agents: ["agent_typo"] },
    },
    {
      name: "ignores weightTotal for a new stable agent",
      before: allToV12,
      guards: { weightTotal: 1 },
      after: withStable(100),
    },
    {
      name: "accepts an unapproved stable agent that already receives all calls",
      before: manualSplit({ "agent_typo@1": 1 }),
      guards: approved,
      after: withStable(1),
    },
    {
      name: "accepts an unapproved stable agent that was already stable",
      before: withStable(10),
      guards: approved,
      after: withStable(20),
    },
  ];
  for (const { name, before, guards, after, refused } of rows) {
    it(name, () => {
      const stack = dryStack();
      stack.run(before === undefined ? [] : [before]);
      stack.guard(guards as Entry);
      assert.deepEqual(stack.refused(after), refused === undefined ? [] : [refused]);
    });
  }
});

/** Guard settings that would refuse almost any change. */
const STRICT = { ...STEPS, maxShift: 1, approvedAgents: ["agent_other@1"], requireVersions: true, maxRemove: 0 };

describe("guards on manual changes", () => {
  it("allows a drop from any percentage to 0% despite strict guards", () =>
    checkRows([1, 50, 99, 100], String, (percent) => {
      const stack = dryStack();
      stack.run([front(percent, { stable: "agent_front" })]);
      stack.guard({ ...STRICT, weightTotal: percent });
      stack.run([front(0, { stable: "agent_front" })]);
      assert.deepEqual(stack.state().inboundAgents, { agent_front: percent });
    }));

  it("allows a drop to 0% after a request with an unknown outcome", () => {
    const stack = dryStack({ ...STEPS, maxShift: 1 });
    stack.run([front(50)], { "4001": "unknown", "4002": "unknown" });
    assert.deepEqual(stack.run([front(0)]), ["4001", "4002"]);
  });

  it("allows retrying a drop to 0% that one number rejected", () => {
    const stack = dryStack({ ...STEPS, maxShift: 1 });
    stack.run([front(0), front(1), front(10)]);
    stack.run([front(50)], { "4002": "unknown" });
    stack.run([front(0)], { "4002": "rejected" });
    assert.deepEqual(stack.run([front(0)]), ["4002"]);
  });
});

describe("abort --to", () => {
  const approved = { approvedAgents: [v12, v13, v14, "agent_front@15"] };
  const strict = { ...approved, ...STEPS, maxShift: 1, requireVersions: true };
  const at = "2026-11-23T09:02:11Z";
  const abortTo = (to: string, more: Entry = {}): Change => ({
    rollout: { stable: to, aborted: { agent: v13, percent: 99, to, at, ...more } },
  });
  /** Returns a stack in which an earlier rollout made v13 the stable agent, and the new candidate v14 has 1%. */
  function stackAtOnePercent(guards: Entry) {
    const stack = dryStack();
    stack.run([front(0), front(100), front(1, { stable: v13, candidate: v14 })]);
    stack.guard(guards);
    return stack;
  }
  const currentSplit = { [v13]: 99, [v14]: 1 };

  it("allows an abort to an approved agent except during a freeze", () => {
    const stack = stackAtOnePercent({ ...strict, freeze: "incident" });
    assert.deepEqual(stack.refused(abortTo(v12)), [{ guard: "freeze", reason: "incident" }]);
    stack.guard(strict);
    stack.run([abortTo(v12)]);
    assert.deepEqual(stack.state().inboundAgents, { [v12]: 100 });
    // After the abort, a new rollout can start at the first step.
    stack.run([front(1, { candidate: "agent_front@15" })]);
  });

  it("judges a group that joins a rollout after its abort", () =>
    checkRows(
      [
        ["from a manual split", manualSplit({ "agent_sales@3": 100 })],
        ["from another rollout", { rollout: { stable: "agent_sales@3" }, name: "sales" }],
      ] as const,
      ([from]) => from,
      ([, before]) => {
        const stack = dryStack();
        stack.run([before]);
        stack.guard(strict);
        assert.deepEqual(
          stack.refused(abortTo(v12)).map(({ guard }) => guard),
          ["steps"],
        );
      },
    ));

  // A killed run may have given the numbers the aborted agent before the state contained the rollout.
  it("sends an abort to a group that joins the rollout even if the saved split is the same", () => {
    const stack = dryStack();
    stack.run([manualSplit({ [v12]: 100 })]);
    assert.deepEqual(stack.run([abortTo(v12)]), ["4001", "4002"]);
  });

  it("resends an abort to a number that rejected it", () => {
    const stack = stackAtOnePercent(strict);
    stack.run([abortTo(v12)], { "4001": "rejected" });
    assert.deepEqual(stack.run([abortTo(v12)]), ["4001"]);
  });

  it("sends a second abort to every number even after the first succeeded", () => {
    const stack = stackAtOnePercent(strict);
    stack.run([abortTo(v12)]);
    assert.deepEqual(stack.run([abortTo(v12, { at: "2026-11-23T10:00:00Z" })]), ["4001", "4002"]);
  });

  for (const { name, guards, after, refused } of [
    {
      name: "to change the stable agent without an abort",
      guards: strict,
      after: stableAt(v12),
      refused: notStable(v12, currentSplit),
    },
    {
      name: "an abort to the candidate even if it is approved",
      guards: strict,
      after: abortTo(v14),
      refused: notStable(v14, currentSplit),
    },
    {
      name: "an abort to an earlier agent if approvedAgents is not set",
      guards: STEPS,
      after: abortTo(v12),
      refused: notStable(v12, currentSplit),
    },
    {
      name: "an abort whose target differs from the stable agent",
      guards: strict,
      after: { rollout: { ...abortTo(v12).rollout, stable: "agent_front@9" } },
      refused: notStable("agent_front@9", currentSplit),
    },
  ]) {
    it(`refuses ${name}`, () =>
      assert.deepEqual(
        stackAtOnePercent(guards)
          .refused(after)
          .filter(({ guard }) => guard === "steps"),
        [refused],
      ));
  }
});

describe("a restart after an abort", () => {
  const aborted = { agent: v13, percent: 50, at: "2026-11-23T07:04:00Z" };
  const configs = [
    { name: "the config still has the abort", entry: { aborted } },
    { name: "the config no longer has the abort", entry: {} },
  ];
  function abortedStack() {
    const stack = dryStack();
    stack.run([front(0), front(50), front(0, { aborted })]);
    return stack;
  }

  it("refuses to restart an aborted agent at a share beyond maxShift", () =>
    checkRows(
      configs,
      ({ name }) => name,
      ({ entry }) => {
        const stack = abortedStack();
        stack.guard({ maxShift: 25 });
        assert.deepEqual(stack.refused(front(50, entry)), [
          shiftViolation("inboundAgents", 50, { [v12]: 100 }, { [v12]: 50, [v13]: 50 }),
        ]);
      },
    ));

  it("applies maxShift to a restart that returns to the previous split", () => {
    const stack = dryStack();
    stack.run([front(20), front(50)]);
    stack.guard({ maxShift: 25 });
    assert.deepEqual(stack.refused(front(20)), [], "a return to the previous split");
    // If the config says that the rollout was aborted since the last run, going back to 20% is a restart, not a return
    // to the previous split.
    assert.deepEqual(stack.refused(front(20, { aborted })), [
      shiftViolation("inboundAgents", 30, { [v12]: 50, [v13]: 50 }, { [v12]: 80, [v13]: 20 }),
    ]);
  });

  it("reports the restart of an aborted agent only once", () =>
    checkRows(
      configs,
      ({ name }) => name,
      ({ entry }) => {
        const stack = abortedStack();
        const { agent, at } = aborted;
        assert.deepEqual(stack.reasons(front(20, entry)), [{ why: "restart", agent, at }]);
        stack.run([front(20, entry)]);
        assert.deepEqual(stack.reasons(front(40, entry)), []);
      },
    ));
});

describe("rollout timing", () => {
  const stackAfter = (changes: readonly Change[]) => {
    const stack = dryStack();
    stack.run(changes);
    return stack;
  };
  const firstStart = "2026-11-25T01:00:00Z";
  const webhook = { inboundWebhookUrl: "https://hooks.example.com/" };
  const threeNumbers = { numbers: ["4001", "4002", "4003"] };

  for (const { name, second } of [
    { name: "nothing changes", second: front(10) },
    { name: "another field changes", second: { ...front(10), ...webhook } },
    { name: "its weights are only rescaled", second: manualSplit({ [v12]: 0.9, [v13]: 0.1 }) },
    { name: "a number joins the group", second: { ...front(10), ...threeNumbers } },
    { name: "a number leaves the group", second: { ...front(10), numbers: ["4001"] } },
  ]) {
    it(`does not reset a split's start time if ${name}`, () =>
      assert.equal(stackAfter([front(10), second]).state().since, firstStart));
  }

  it("resets a split's start time when the rollout's percentage rises", () =>
    assert.equal(stackAfter([front(10), front(15)]).state().since, "2026-11-25T02:00:00Z"));

  it("updates a split's start time when the last number receives it", () => {
    const stack = stackAfter([front(10)]);
    stack.run([front(15)], { "4002": "unknown" });
    assert.equal(stack.state().since, "2026-11-25T02:00:00Z", "4001 has the split");
    stack.run([front(15)]);
    assert.equal(stack.state().since, "2026-11-25T03:00:00Z", "4002 has the split as well");
  });

  it("does not set a start time until a number has the split", () => {
    const stack = stackAfter([front(10)]);
    stack.run([front(15)], { "4001": "rejected", "4002": "not sent" });
    assert.equal(stack.state().since, undefined);
  });

  it("does not reset a split's start time if a number that rejected it leaves", () => {
    const stack = stackAfter([front(10)]);
    stack.run([front(15)], { "4002": "rejected" });
    const sent = stack.run([{ ...front(15), numbers: ["4001"] }]);
    assert.deepEqual(sent, [], "no request is sent");
    assert.equal(stack.state().since, "2026-11-25T02:00:00Z");
  });

  it("does not reset a split's start time as new numbers come and go", () => {
    const stack = stackAfter([front(10)]);
    stack.run([{ ...front(10), ...threeNumbers }], { "4003": "rejected" });
    assert.equal(stack.state().since, firstStart, "4003 was rejected");
    stack.run([{ ...front(10), ...threeNumbers }]);
    assert.equal(stack.state().since, firstStart, "4003 was assigned");
    stack.run([{ ...front(10), numbers: ["4001", "4002", "4003", "4004"] }], { "4004": "unknown" });
    stack.run([front(10)]);
    assert.equal(stack.state().since, firstStart, "4003 and 4004 left the group");
  });

  it("does not reset a split's start time if another field is rejected", () => {
    const stack = stackAfter([front(10)]);
    stack.run([{ ...front(10), ...webhook }], { "4002": "rejected" });
    assert.equal(stack.state().since, firstStart);
    stack.run([{ ...front(10), ...webhook }]);
    assert.equal(stack.state().since, firstStart, "4002 has the webhook");
  });
});
