import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { processIo } from "../../cli/io";
import { readState } from "../../cli/pulumi/state";
import { percentagesIn, percentagesText } from "../../cli/pulumi/values";
import { type Callers, callersOf } from "../../cli/state/callers";
import { stackRollout } from "../../cli/state/stackRollout";
import { namedIn } from "../support/named";
import { checkRows } from "../support/rows";
import { type Entry, group, number, secret, type Written, withRecorded } from "./recorded";

/** Checks which splits may be in effect according to a saved state, and which changes count as not applied yet. */

const front = (percent: number) => ({ name: "front", stable: "agent_a@1", candidate: "agent_b@2", percent });
const split = (percent: number) => ({ inboundAgents: { "agent_a@1": 100 - percent, "agent_b@2": percent } });
const toStable = { inboundAgents: { "agent_a@1": 100 } };
const [ONE, TWO, THREE] = ["+15550000001", "+15550000002", "+15550000003"];
const support = (percent: number, ...unapplied: object[]): Entry =>
  group("support", `${ONE}\n${TWO}\n${THREE}\n`, {
    rollout: front(percent),
    ...(unapplied.length > 0 && { unapplied }),
  });

const withState = <Result>(state: Written, test: (state: Awaited<ReturnType<typeof readState>>) => Result) =>
  withRecorded({ prod: { state } }, async ({ cwd, env }) =>
    test(await readState({ stack: "prod" }, { ...processIo(), cwd, env: env ?? {} })),
  );

const at10 = "agent_a@1 90%, agent_b@2 10%";
const at50 = "agent_a@1 50%, agent_b@2 50%";
const to10 = "90% agent_a@1 10% agent_b@2";
const to50 = "50% agent_a@1 50% agent_b@2";

/**
 * Returns the splits that may be in effect. `unset` means that the resource may never have set a split, and `empty`
 * means that the numbers have no agents.
 */
const splitsOf = ({ current }: Callers): string => current.map(splitText).join(" or ");

function splitText(split: Callers["current"][number]): string {
  const known = isDeepStrictEqual(split, {}) ? "empty" : percentagesText(percentagesIn(split));
  return split === undefined ? "unset" : known;
}

describe("the splits that callers reach", () => {
  const rejected = { numbers: `${TWO}\n`, reason: "rejected", applied: split(10) };
  const unknown = { numbers: `${THREE}\n`, reason: "unknown", applied: split(10), maybe: [split(50)] };
  const cases: {
    name: string;
    saved: Written;
    callers: [numbers: number, splits: string, isWanted: boolean][];
    /** The facts (see `namedIn`) in each phrase of the rollout's `notApplied`. */
    notApplied: string[];
  }[] = [
    {
      name: "reports the new split if every number received it",
      saved: { entries: [support(50)] },
      callers: [[3, at50, true]],
      notApplied: [],
    },
    {
      name: "reports the previous split if the API rejected the new one",
      saved: { entries: [support(50, { ...rejected, numbers: `${ONE}\n${TWO}\n${THREE}\n` })] },
      callers: [[3, at10, false]],
      notApplied: [`NumberGroup "support" ${to10}`],
    },
    {
      name: "reports both the old and the new split after a lost response",
      saved: { entries: [support(50, rejected, unknown)] },
      callers: [
        [1, at50, true],
        [1, at10, false],
        [1, `${at10} or ${at50}`, false],
      ],
      notApplied: [`1 3 NumberGroup "support" ${to10} ${TWO}`, `1 3 NumberGroup "support" ${to10} ${to50} ${THREE}`],
    },
    {
      name: "reports both the old and the new split after an interrupted run",
      saved: { entries: [support(10)], pending: [{ ...support(50), operation: "updating" }] },
      callers: [[3, `${at10} or ${at50}`, false]],
      notApplied: ['NumberGroup "support"', `NumberGroup "support" ${to10} ${to50}`],
    },
    {
      name: "reports that the split may be empty after an interrupted deletion",
      saved: { entries: [support(50)], pending: [{ ...support(50), operation: "deleting" }] },
      callers: [[3, `${at50} or empty`, false]],
      notApplied: ['NumberGroup "support"', `NumberGroup "support" ${to50}`],
    },
    {
      name: "reports both splits if an interrupted creation also assigns the number",
      saved: {
        entries: [support(50)],
        pending: [{ ...number("desk", TWO, { rollout: front(10) }), operation: "creating" }],
      },
      callers: [
        [2, at50, true],
        [1, `${at50} or ${at10}`, false],
      ],
      notApplied: ['NumberAssignment "desk"', `1 3 NumberGroup "support" ${to50} ${to10} ${TWO}`],
    },
    {
      name: "treats proportional weights as the same split",
      saved: {
        entries: [support(50, { ...rejected, applied: { inboundAgents: { "agent_a@1": 1, "agent_b@2": 1 } } })],
      },
      callers: [
        [2, at50, true],
        [1, at50, true],
      ],
      notApplied: [`1 3 NumberGroup "support" ${TWO}`],
    },
    {
      name: "reports the first split as uncertain if its response was lost",
      saved: {
        entries: [support(50, { numbers: `${ONE}\n${TWO}\n${THREE}\n`, reason: "unknown", maybe: [split(50)] })],
      },
      callers: [[3, `unset or ${at50}`, false]],
      notApplied: [`NumberGroup "support" ${to50}`],
    },
    {
      name: "reports no split if the first request was rejected",
      saved: { entries: [support(50, { numbers: `${ONE}\n${TWO}\n`, reason: "rejected" })] },
      callers: [
        [2, "unset", false],
        [1, at50, true],
      ],
      notApplied: [`2 3 NumberGroup "support" ${ONE} ${TWO}`],
    },
    {
      name: "reports the split of the replaced resource until the number's new resource is applied",
      saved: {
        entries: [
          group("support", `${ONE}\n`, { rollout: front(50) }),
          number("two", TWO, {
            ...toStable,
            unapplied: [{ numbers: `${TWO}\n`, reason: "unknown", maybe: [toStable] }],
          }),
          group("support", `${ONE}\n${TWO}\n`, { rollout: front(10) }, { delete: true }),
        ],
      },
      callers: [
        [1, at50, true],
        [1, `${at10} or agent_a@1 100%`, false],
        [2, at10, true],
      ],
      notApplied: [],
    },
  ];
  for (const { name, saved, callers, notApplied } of cases) {
    it(name, () =>
      withState(saved, (state) => {
        const groups = state.resources.flatMap((resource) => callersOf(resource, state));
        assert.deepEqual(
          groups.map((group) => [group.numbers.length, splitsOf(group), group.wanted === undefined]),
          callers,
        );
        assert.deepEqual(stackRollout("front", front(50), state).notApplied.map(namedIn), notApplied);
      }),
    );
  }

  it("reports an unapplied abort", () =>
    withState({ entries: [support(0)] }, (state) => {
      const aborted = { agent: "agent_b@2", percent: 0, at: "2026-11-23T09:02:00Z" };
      const unapplied = stackRollout("front", { ...front(0), aborted }, state).notApplied;
      assert.deepEqual(unapplied.map(namedIn), ['NumberGroup "support"']);
      // Here the candidate was restarted at 10% after the abort. The numbers now lack the 10% split, not the abort.
      const restarted = stackRollout("front", { ...front(10), aborted }, state).notApplied;
      assert.deepEqual(restarted.map(namedIn), ['NumberGroup "support" 100% agent_a@1']);
    }));

  it("reports a number that left the rollout and may still have the aborted agent", () => {
    const aborted = { agent: "agent_b@2", percent: 10, at: "2026-11-23T09:02:00Z" };
    const original = (outputs: object = { rollout: front(10) }) =>
      group("support", `${ONE}\n${TWO}\n`, { rollout: front(10), ...outputs }, { delete: true });
    const support = group("support", `${ONE}\n`, { rollout: { ...front(0), aborted } });
    const moved = (reason: string, unapplied: object, outputs: object = {}) =>
      number("two", TWO, { ...toStable, ...outputs, unapplied: [{ numbers: `${TWO}\n`, reason, ...unapplied }] });
    return checkRows(
      [
        ["unknown", moved("unknown", { maybe: [toStable] }), [`${TWO} ${to10} 100% agent_a@1 NumberAssignment "two"`]],
        ["rejected", moved("rejected", {}), [`${TWO} ${to10} NumberAssignment "two"`]],
        ["applied", number("two", TWO, toStable), []],
        // The number has had another agent since it left the rollout.
        ["applied before", moved("rejected", { applied: toStable }), []],
        // The program gives the number the aborted agent, and that has been applied.
        ["declares the agent", number("two", TWO, split(10)), []],
        ["never had the agent", moved("rejected", {}), [], original(toStable)],
        [
          "secret split",
          moved("rejected", {}),
          [`${TWO} NumberAssignment "two"`],
          original({ inboundAgents: secret("v1") }),
        ],
        // The abort reaches a number that moved within the rollout.
        ["same rollout", moved("rejected", {}, { rollout: { ...front(0), aborted } }), []],
        [
          "another platform",
          number("two", TWO, { ...toStable, unapplied: [{ numbers: `${TWO}\n`, reason: "rejected" }] }),
          // The numbers of the old platform are still there.
          [`${ONE} ${TWO} ${to10}`],
          original({ endpoint: "https://old.example" }),
        ],
      ] as const,
      ([name]) => name,
      ([_, two, expected, before = original()]) =>
        withState({ entries: [support, two, before] }, (state) => {
          const { unreached } = stackRollout("front", { ...front(0), aborted }, state);
          assert.deepEqual(unreached.map(namedIn), expected);
        }),
    );
  });

  it("reports that no resource uses the rollout", () =>
    withState({ entries: [] }, (state) => {
      const { resources, notApplied } = stackRollout("front", front(10), state);
      assert.deepEqual([resources.length, notApplied.length], [0, 1], notApplied.join());
    }));
});
