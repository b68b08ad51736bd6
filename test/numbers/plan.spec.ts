import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import { UNKNOWN } from "../../provider/base/engine";
import type { Guards } from "../../provider/config/settings";
import { judgedPlan } from "../../provider/numbers/plan";
import { clearedNumbers, type NumbersState, type Unapplied } from "../../provider/numbers/state";
import type { PreviewedNumbers } from "../../provider/routing/group";
import type { Plan } from "../../provider/run/plan";

/** Tests plans, which list the requests that a change requires. The tests don't send those requests. */

const HERE = "https://one.example";
const THERE = "https://two.example";
const guards: Guards = { requireVersions: false, maxUnapproved: 0, maxRemove: 1000 };
const frozen: Guards = { ...guards, freeze: "holiday" };

const joinNumbers = (numbers: readonly string[]) =>
  [...numbers]
    .sort()
    .map((number) => `${number}\n`)
    .join("");
const inputs = (numbers: readonly string[], overrides: Partial<NumbersState> = {}): NumbersState => ({
  numbers: joinNumbers(numbers),
  inboundAgents: { "agent_a@1": 90, "agent_b@1": 10 },
  endpoint: HERE,
  ...overrides,
});
const applied = { inboundAgents: { "agent_a@1": 90, "agent_b@1": 10 } };
const unappliedEntry = (numbers: readonly string[], overrides: Partial<Unapplied> = {}): Unapplied => ({
  numbers: joinNumbers(numbers),
  reason: "rejected",
  ...overrides,
});
/** Shortens a plan for the rows below. Omits empty lists, and includes `changes` only if it is false. */
function summaryOf({ assigns, joins, clears, replaces, changes }: Plan): object {
  const lists = Object.entries({ assigns, joins, clears: clears.map(({ number }) => number), replaces });
  return {
    ...(changes ? {} : { changes }),
    ...Object.fromEntries(lists.filter(([, list]) => list === undefined || list.length > 0)),
  };
}

describe("the plan for a group", () => {
  const abc = inputs(["a", "b", "c"]);
  const ac = inputs(["a", "c"]);
  const replaces = ["numbers"];
  const rows: readonly {
    readonly name: string;
    readonly olds: NumbersState;
    readonly news: PreviewedNumbers;
    readonly expected: object;
  }[] = [
    { name: "shows no changes if the inputs are unchanged", olds: abc, news: abc, expected: { changes: false } },
    {
      name: "assigns every number if the split changes",
      olds: abc,
      news: { ...abc, inboundAgents: { agent_a: 1 } },
      expected: { assigns: ["a", "b", "c"] },
    },
    {
      name: "assigns every number if the triggers change",
      olds: abc,
      news: { ...abc, triggers: ["again"] },
      expected: { assigns: ["a", "b", "c"] },
    },
    {
      name: "replaces the group to unassign a removed number",
      olds: abc,
      news: ac,
      expected: { clears: ["b"], replaces },
    },
    {
      name: "assigns remaining and added numbers if the split changes",
      olds: abc,
      news: inputs(["a", "d"], { inboundAgents: { agent_a: 1 } }),
      expected: { assigns: ["a", "d"], joins: ["d"], clears: ["b", "c"], replaces },
    },
    {
      name: "does not unassign removed numbers that have no agents",
      olds: inputs(["a", "b", "c"], { inboundAgents: {} }),
      news: inputs(["a"], { inboundAgents: {} }),
      expected: { replaces },
    },
    {
      name: "sends no requests if only a label changes",
      olds: abc,
      news: { ...abc, numbers: "a\tLondon\nb\nc\n" },
      expected: {},
    },
    {
      name: "assigns every number and unassigns none if the platform changes",
      olds: { ...abc, unapplied: [unappliedEntry(["c"], { applied })] },
      news: inputs(["a", "b"], { endpoint: THERE }),
      expected: { assigns: ["a", "b"] },
    },
    {
      name: "does not list assignments if the numbers are unknown",
      olds: abc,
      news: { ...abc, numbers: UNKNOWN },
      expected: { assigns: undefined },
    },
    {
      name: "assigns every number if a trigger is unknown",
      olds: abc,
      news: { ...abc, triggers: [UNKNOWN] },
      expected: { assigns: ["a", "b", "c"] },
    },
  ];
  for (const { name, olds, news, expected } of rows) {
    it(name, () => assert.deepEqual(summaryOf(judgedPlan(olds, news, guards)), expected));
  }

  it("checks maxShift even if the group is replaced", () => {
    const strict = { ...guards, maxShift: 20 };
    const after = inputs(["a", "c"], { inboundAgents: { "agent_a@1": 10, "agent_b@1": 90 } });
    const planned = judgedPlan(abc, after, strict);
    assert.deepEqual(
      planned.violations.map(({ guard }) => guard),
      ["maxShift"],
    );
  });

  it("rejects only changes that send requests during a freeze", () => {
    const violatedGuards = (news: PreviewedNumbers, olds: NumbersState = abc) =>
      judgedPlan(olds, news, frozen).violations.map(({ guard }) => guard);
    assert.deepEqual(violatedGuards(inputs(["a", "c"])), ["freeze"]);
    assert.deepEqual(violatedGuards(inputs(["a", "b", "c", "d"])), ["freeze"]);
    assert.deepEqual(violatedGuards({ ...abc, numbers: UNKNOWN }), ["freeze"]);
    assert.deepEqual(violatedGuards({ ...abc, numbers: "a\tLondon\nb\nc\n" }), []);
    assert.deepEqual(violatedGuards(inputs(["a", "c"]), { ...abc, unapplied: [unappliedEntry(["b"])] }), []);
  });

  it("gives reasons for requests that do not appear in the diff", () => {
    const olds: NumbersState = {
      ...abc,
      unapplied: [
        unappliedEntry(["a", "b"], { applied }),
        unappliedEntry(["c"], { reason: "unknown", maybe: [applied] }),
      ],
    };
    assert.deepEqual(judgedPlan(olds, inputs(["a", "b", "d"], { endpoint: THERE }), guards).reasons, [
      { why: "unapplied", count: 3, reasons: ["rejected", "unknown"] },
      { why: "endpoint", from: olds.endpoint, to: THERE },
      { why: "membership", joins: ["d"], clears: [] },
    ]);
    assert.deepEqual(judgedPlan(abc, inputs(["a", "d"]), guards).reasons, [
      { why: "membership", joins: ["d"], clears: ["b", "c"] },
    ]);
    const refused: NumbersState = { ...abc, unapplied: [unappliedEntry(["c"])] };
    assert.deepEqual(judgedPlan(refused, inputs(["a", "b"]), guards).reasons, [
      { why: "unapplied", count: 1, reasons: ["rejected"] },
    ]);
    assert.deepEqual(judgedPlan(abc, abc, guards).reasons, []);
  });

  it("assigns new and failed numbers and unassigns removed ones", () => {
    const numberSet = fc.uniqueArray(fc.constantFrom<string>("a", "b", "c", "d", "e", "f"), { minLength: 1 });
    const fates = fc.array(
      fc.tuple(
        fc.constantFrom<string>("a", "b", "c", "d"),
        fc.constantFrom("rejected", "unknown", "different", "not sent" as const),
        fc.constantFrom<object>({}, { applied }, { maybe: [applied] }),
      ),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(numberSet, numberSet, fates, (before, declared, failures) => {
        const fateOf = new Map(
          failures
            .filter(([number]) => before.includes(number))
            .map(([number, reason, more]) => [number, { reason, ...more }]),
        );
        const unapplied = [...fateOf].map(([number, fate]) => unappliedEntry([number], fate));
        const olds = inputs(before, unapplied.length === 0 ? {} : { unapplied });
        const { assigns = [], joins, replaces, ...plan } = judgedPlan(olds, inputs(declared), guards);
        const clears = plan.clears.map(({ number }) => number);
        const needsRequest = (number: string) => !before.includes(number) || fateOf.has(number);
        assert.deepEqual(assigns, declared.filter(needsRequest).sort());
        assert.deepEqual(joins, declared.filter((number) => !before.includes(number)).sort());
        const mayHaveRouting = (number: string) =>
          Object.keys(fateOf.get(number) ?? { applied }).some((key) => key !== "reason");
        const expectedClears = before.filter((number) => !declared.includes(number) && mayHaveRouting(number));
        assert.deepEqual([...clears].sort(), expectedClears.sort());
        assert.deepEqual(replaces, expectedClears.length > 0 ? ["numbers"] : []);
        assert.deepEqual(
          clears.filter((number) => assigns.includes(number)),
          [],
          "numbers that are both cleared and assigned",
        );
      }),
      { verbose: true },
    );
  });
});

describe("the plan for a changed number", () => {
  const olds: NumbersState = { number: "4001", ...applied, endpoint: HERE };
  const rows: readonly {
    readonly name: string;
    readonly before: NumbersState;
    readonly change: object;
    readonly expected: object;
  }[] = [
    {
      name: "assigns the new number and unassigns the old one",
      before: olds,
      change: { number: "4002" },
      expected: { assigns: ["4002"], joins: ["4002"], clears: ["4001"], replaces: ["number"] },
    },
    {
      name: "does not unassign the old number if the platform also changes",
      before: olds,
      change: { number: "4002", endpoint: THERE },
      expected: { assigns: ["4002"], joins: ["4002"], replaces: ["number"] },
    },
    {
      name: "does not unassign the old number if it never received a request",
      before: { ...olds, unapplied: [{ numbers: "4001\n", reason: "not sent" }] },
      change: { number: "4002" },
      expected: { assigns: ["4002"], joins: ["4002"], replaces: ["number"] },
    },
    {
      name: "does not replace the resource if the new number is unknown",
      before: olds,
      change: { number: UNKNOWN },
      expected: { assigns: undefined },
    },
  ];
  for (const { name, before, change, expected } of rows) {
    it(name, () => assert.deepEqual(summaryOf(judgedPlan(before, { ...olds, ...change }, guards)), expected));
  }

  it("enforces a freeze but not maxShift if the number changes", () => {
    const news = { ...olds, number: "4002", inboundAgents: { agent_z: 1 } };
    const { violations } = judgedPlan(olds, news, { ...frozen, maxShift: 0 });
    assert.deepEqual(
      violations.map(({ guard }) => guard),
      ["freeze"],
    );
  });

  it("passes the guards if the rollout returns to 0%", () => {
    const news = { ...olds, number: "4002" };
    // The guards compare this with the saved state instead of judging 4002 as a new number. They would refuse a new
    // number, because its stable agent isn't approved.
    const rollout = { stable: "agent_a@1", candidate: "agent_b@1", percent: 10 };
    const back = { ...news, rollout: { ...rollout, percent: 0 }, inboundAgents: { "agent_a@1": 100 } };
    const strict = { ...guards, approvedAgents: [], maxUnapproved: 0, maxRemove: 0 };
    assert.deepEqual(judgedPlan({ ...olds, rollout }, back, strict).violations, []);
  });
});

describe("deleting a group", () => {
  const group = inputs(["a", "b", "c"], {
    unapplied: [
      unappliedEntry(["b"]),
      unappliedEntry(["c"], { reason: "unknown", maybe: [{ outboundAgentId: "agent_o" }] }),
    ],
  });

  it("unassigns only the numbers that could have an agent", () => {
    assert.deepEqual(clearedNumbers(group), ["a", "c"]);
    assert.deepEqual(clearedNumbers({ ...group, inboundAgents: {} }), ["c"]);
  });
});
