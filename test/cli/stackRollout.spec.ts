import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { processIo } from "../../cli/io";
import { readState } from "../../cli/pulumi/state";
import { percentagesIn, percentagesText } from "../../cli/pulumi/values";
import { type Callers, callersOf } from "../../cli/state/callers";
import { stackRollout } from "../../cli/state/stackRollout";
import { namedIn } from "../support/named";
import { type Entry, group, number, type Written, withRecorded } from "./recorded";

/** What callers have is never what is wanted: each case is a saved state, and what is said of it. */

const front = (percent: number) => ({ name: "front", stable: "agent_a@1", candidate: "agent_b@2", percent });
const split = (percent: number) => ({ inboundAgents: { "agent_a@1": 100 - percent, "agent_b@2": percent } });
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

/** The splits that the numbers may have: `unset` without a split from this resource, `empty` without agents. */
const splitsOf = ({ current }: Callers): string => current.map(splitText).join(" or ");

function splitText(split: Callers["current"][number]): string {
  const named = isDeepStrictEqual(split, {}) ? "empty" : percentagesText(percentagesIn(split));
  return split === undefined ? "unset" : named;
}

describe("the splits that callers reach", () => {
  const rejected = { numbers: `${TWO}\n`, reason: "rejected", applied: split(10) };
  const unknown = { numbers: `${THREE}\n`, reason: "unknown", applied: split(10), maybe: [split(50)] };
  const cases: {
    name: string;
    given: Written;
    have: [numbers: number, have: string, isWanted: boolean][];
    /** What each phrase names. */
    notApplied: string[];
  }[] = [
    {
      name: "reports the new split if every number received it",
      given: { entries: [support(50)] },
      have: [[3, at50, true]],
      notApplied: [],
    },
    {
      name: "reports the previous split if the API rejected the new one",
      given: { entries: [support(50, { ...rejected, numbers: `${ONE}\n${TWO}\n${THREE}\n` })] },
      have: [[3, at10, false]],
      notApplied: [`NumberGroup "support" ${to10}`],
    },
    {
      name: "reports both the old and the new split after a lost response",
      given: { entries: [support(50, rejected, unknown)] },
      have: [
        [1, at50, true],
        [1, at10, false],
        [1, `${at10} or ${at50}`, false],
      ],
      notApplied: [`1 3 NumberGroup "support" ${to10} ${TWO}`, `1 3 NumberGroup "support" ${to10} ${to50} ${THREE}`],
    },
    {
      name: "reports both the old and the new split after an interrupted run",
      given: { entries: [support(10)], pending: [{ ...support(50), operation: "updating" }] },
      have: [[3, `${at10} or ${at50}`, false]],
      notApplied: ['NumberGroup "support"', `NumberGroup "support" ${to10} ${to50}`],
    },
    {
      name: "reports that the split may be empty after an interrupted deletion",
      given: { entries: [support(50)], pending: [{ ...support(50), operation: "deleting" }] },
      have: [[3, `${at50} or empty`, false]],
      notApplied: ['NumberGroup "support"', `NumberGroup "support" ${to50}`],
    },
    {
      name: "reports both splits if an interrupted creation also assigns the number",
      given: {
        entries: [support(50)],
        pending: [{ ...number("desk", TWO, { rollout: front(10) }), operation: "creating" }],
      },
      have: [
        [2, at50, true],
        [1, `${at50} or ${at10}`, false],
      ],
      notApplied: ['NumberAssignment "desk"', `1 3 NumberGroup "support" ${to50} ${to10} ${TWO}`],
    },
    {
      name: "treats proportional weights as the same split",
      given: {
        entries: [support(50, { ...rejected, applied: { inboundAgents: { "agent_a@1": 1, "agent_b@2": 1 } } })],
      },
      have: [
        [2, at50, true],
        [1, at50, true],
      ],
      notApplied: [`1 3 NumberGroup "support" ${TWO}`],
    },
    {
      name: "reports the first split as uncertain if its response was lost",
      given: {
        entries: [support(50, { numbers: `${ONE}\n${TWO}\n${THREE}\n`, reason: "unknown", maybe: [split(50)] })],
      },
      have: [[3, `unset or ${at50}`, false]],
      notApplied: [`NumberGroup "support" ${to50}`],
    },
    {
      name: "reports no split if the first request was rejected",
      given: { entries: [support(50, { numbers: `${ONE}\n${TWO}\n`, reason: "rejected" })] },
      have: [
        [2, "unset", false],
        [1, at50, true],
      ],
      notApplied: [`2 3 NumberGroup "support" ${ONE} ${TWO}`],
    },
  ];
  for (const { name, given, have, notApplied } of cases) {
    it(name, () =>
      withState(given, (state) => {
        const callers = state.resources.flatMap((saved) => callersOf(saved, state));
        assert.deepEqual(
          callers.map((one) => [one.numbers.length, splitsOf(one), one.wanted === undefined]),
          have,
        );
        assert.deepEqual(stackRollout("front", front(50), state).notApplied.map(namedIn), notApplied);
      }),
    );
  }

  it("reports an unapplied abort", () =>
    withState({ entries: [support(0)] }, (state) => {
      const aborted = { agent: "agent_b@2", percent: 0, at: "2026-11-23T09:02:00Z" };
      const lacking = stackRollout("front", { ...front(0), aborted }, state).notApplied;
      assert.deepEqual(lacking.map(namedIn), ['NumberGroup "support"']);
      // The abort of a candidate that has started again since is none.
      const again = stackRollout("front", { ...front(10), aborted }, state).notApplied;
      assert.deepEqual(again.map(namedIn), ['NumberGroup "support" 100% agent_a@1']);
    }));

  it("reports that no resource uses the rollout", () =>
    withState({ entries: [] }, (state) => {
      const { resources, notApplied } = stackRollout("front", front(10), state);
      assert.deepEqual([resources.length, notApplied.length], [0, 1], notApplied.join());
    }));
});
