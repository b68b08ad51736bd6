import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { UNKNOWN } from "../../provider/base/engine";
import { GUARD_KEYS } from "../../provider/config/keys";
import type { Guards } from "../../provider/config/settings";
import { judgeChange, judgeLosses, judgeNew } from "../../provider/numbers/guards";
import { judgedPlan } from "../../provider/numbers/plan";
import { type NumbersState, nextState } from "../../provider/numbers/state";
import type { NumbersInputs, PreviewedNumbers } from "../../provider/routing/group";
import type { Routing } from "../../provider/routing/routing";
import { parseAgentKey, type Split } from "../../provider/routing/split";
import type { UnappliedReason } from "../../provider/run/plan";
import { guardCode, judgeFreeze, type Violation } from "../../provider/run/violation";
import { CODES, type Code, type CodeText } from "../../provider/words/codes";
import { ENDPOINT } from "../support/inputs";
import { resultOf } from "./results";

/**
 * Tests which changes each guard refuses. The guards compare a change with the routing that was last applied, which may
 * differ from the one that was last declared.
 */

type Violations = readonly Violation[];

const noGuards: Guards = { requireVersions: false, maxUnapproved: 0 };
const guardNames = (violations: Violations) => violations.map(({ guard }) => guard);

const numberState = (
  inboundAgents: Record<string, number> | undefined,
  more: Partial<NumbersState> = {},
): NumbersState => ({
  number: "4001",
  ...(inboundAgents === undefined ? {} : { inboundAgents }),
  endpoint: ENDPOINT,
  ...more,
});
const front = (stable: number, candidate: number) => ({ "agent_a@1": stable, "agent_a@2": candidate });
const change = (olds: NumbersState, news: NumbersState | NumbersInputs, guards: Partial<Guards>) =>
  judgeChange(olds, news, { ...noGuards, ...guards });
const declare = (inputs: Partial<PreviewedNumbers>, guards: Partial<Guards>) =>
  judgeNew({ endpoint: ENDPOINT, ...inputs }, { ...noGuards, ...guards });

/**
 * Builds the `unapplied` part of a saved state. It records that number 4001 may not have the declared split.
 * @param applied the split that was last applied to the number
 * @param maybe other splits that the number may have, because the outcome of a later request is unknown
 */
const unapplied = (reason: UnappliedReason, applied: Split, ...maybe: Split[]): Partial<NumbersState> => {
  const routings = maybe.map((inboundAgents) => ({ inboundAgents }));
  const part = { numbers: "4001\n", reason, applied: { inboundAgents: applied } };
  return { unapplied: [routings.length === 0 ? part : { ...part, maybe: routings }] };
};

const unapproved = (
  path: string,
  agents: Readonly<Record<string, string | undefined>>,
  share: { readonly percentage: number; readonly from: number; readonly max: number } | undefined,
): Violation => ({
  guard: "maxUnapproved",
  path,
  agents: Object.entries(agents).map(([agent, suggestion]) => ({ agent, suggestion })),
  share,
});

/** An example violation of every guard. If a guard is missing here, this file doesn't compile. */
const EXAMPLES: { readonly [Guard in Violation["guard"]]: [Violations, code: Code, facts: object] } = {
  weightTotal: [
    declare({ inboundAgents: { "agent_a@1": 70, agent_b: 20 } }, { weightTotal: 100 }),
    "AGP-020",
    { path: "inboundAgents", split: { "agent_a@1": 70, agent_b: 20 }, sum: 90, total: 100 },
  ],
  maxShift: [
    change(numberState({ "agent_a@1": 100, agent_z: 0 }), numberState({ ...front(70, 30), agent_z: 0 }), {
      maxShift: 25,
    }),
    "AGP-021",
    {
      path: "inboundAgents",
      shift: 30,
      max: 25,
      before: { "agent_a@1": 100, agent_z: 0 },
      after: { ...front(70, 30), agent_z: 0 },
    },
  ],
  steps: [
    declare({ rollout: { stable: "agent_a", candidate: "agent_b", percent: 7 } }, { steps: [50, 100] }),
    "AGP-027",
    { path: "rollout", name: undefined, why: "noStep", percent: 7, steps: [50, 100] },
  ],
  requireVersions: [
    declare({ inboundAgents: { agent_a: 50, "agent_b@1": 25, agent_c: 25 } }, { requireVersions: true }),
    "AGP-022",
    { path: "inboundAgents", agents: ["agent_a", "agent_c"] },
  ],
  maxUnapproved: [
    declare({ inboundAgents: front(0, 1) }, { approvedAgents: [], maxUnapproved: 10 }),
    "AGP-023",
    {
      path: "inboundAgents",
      agents: [{ agent: "agent_a@2", suggestion: undefined }],
      share: { percentage: 100, from: 0, max: 10 },
    },
  ],
  maxRemove: [
    judgeLosses({ lost: ["a", "b", "c", "d", "e", "f"], inRun: 7 }, 10, noGuards),
    "AGP-024",
    { lost: ["a", "b", "c", "d", "e", "f"], inRun: 7, max: 1 },
  ],
  freeze: [judgeFreeze({ ...noGuards, freeze: "holiday" }), "AGP-025", { reason: "holiday" }],
};

describe("guard error codes", () => {
  for (const [guard, [refused, code, facts]] of Object.entries(EXAMPLES)) {
    it(`reports a violation of ${guard} as ${code}`, () => {
      assert.deepEqual(refused, [{ guard, ...facts }]);
      assert.deepEqual(refused.map(guardCode), [code]);
      assert.equal(CODES[code].title, `Guard ${guard === "maxUnapproved" ? "approvedAgents" : guard}`);
    });
  }

  it("defines exactly one error code per guard", () => {
    const rows: [string, CodeText][] = Object.entries(CODES);
    const codes = rows.filter(([, { isGuard }]) => isGuard).map(([code]) => code);
    assert.deepEqual(
      codes,
      Object.values(EXAMPLES)
        .map(([, code]) => code)
        .sort(),
    );
  });

  it("has an example violation for every guard setting", () =>
    assert.deepEqual([...Object.keys(EXAMPLES), "approvedAgents"].sort(), [...GUARD_KEYS].sort()));
});

describe("guard weightTotal", () => {
  it("ignores rounding errors in the sum of the weights", () => {
    const floats = { agent_a: 0.7, agent_b: 0.2, agent_c: 0.1 };
    assert.deepEqual(declare({ inboundAgents: floats }, { weightTotal: 1 }), []);
  });

  it("accepts a number without agents", () =>
    assert.deepEqual(declare({ inboundAgents: {} }, { weightTotal: 100 }), []));

  it("accepts an unchanged split with a wrong sum", () => {
    const olds = numberState({ agent_a: 0.9, agent_b: 0.1 });
    assert.deepEqual(guardNames(change(olds, { ...olds, workspaceId: 43 }, { weightTotal: 100 })), []);
    assert.deepEqual(guardNames(change(olds, { ...olds, inboundAgents: { agent_a: 1 } }, { weightTotal: 100 })), [
      "weightTotal",
    ]);
  });
});

describe("guard maxShift", () => {
  const step = (before: Record<string, number>, after: Record<string, number>, maxShift: number | undefined) =>
    change(numberState(before), numberState(after), { maxShift });

  it("accepts a shift equal to the limit", () =>
    assert.deepEqual(step({ agent_a: 90, agent_b: 10 }, { agent_a: 70, agent_b: 30 }, 20), []));

  it("accepts any split for a number that had no agents", () => {
    assert.deepEqual(step({}, { agent_a: 1 }, 5), []);
    assert.deepEqual(change(numberState(undefined), numberState({ agent_a: 1 }), { maxShift: 5 }), []);
  });

  it("accepts any shift if no limit is set", () =>
    assert.deepEqual(step({ agent_a: 1 }, { agent_b: 1 }, undefined), []));

  it("refuses to unassign all agents if that exceeds maxShift", () =>
    assert.deepEqual(guardNames(step({ agent_a: 1 }, {}, 50)), ["maxShift"]));

  it("measures the shift from the last applied split, not a rejected one", () => {
    const saved = numberState(front(20, 80), unapplied("rejected", front(100, 0)));
    const [violation] = change(saved, numberState(front(0, 100)), { maxShift: 25 });
    const [before, after] = [front(100, 0), front(0, 100)];
    assert.deepEqual(violation, { guard: "maxShift", path: "inboundAgents", shift: 100, max: 25, before, after });
    assert.deepEqual(guardNames(change(saved, numberState(front(80, 20)), { maxShift: 25 })), []);
    // Resending the rejected split is checked too, because the split hasn't taken effect yet.
    assert.deepEqual(guardNames(change(saved, numberState(front(20, 80)), { maxShift: 25 })), ["maxShift"]);
  });

  it("refuses a change that exceeds maxShift for one number of a group", () => {
    const unappliedPart = { numbers: "b\n", reason: "unknown" as const, applied: { inboundAgents: front(100, 0) } };
    const group = { numbers: "a\nb\n", inboundAgents: front(80, 20), endpoint: ENDPOINT };
    const saved: NumbersState = { ...group, unapplied: [unappliedPart] };
    const to = (inboundAgents: Record<string, number>) =>
      guardNames(change(saved, { ...saved, inboundAgents }, { maxShift: 25 }));
    assert.deepEqual([to(front(60, 40)), to(front(75, 25)), to(front(90, 10))], [["maxShift"], [], []]);
  });

  it("refuses a manual shift beyond maxShift even if steps is set", () => {
    const steps = [1, 100];
    assert.deepEqual(
      guardNames(change(numberState(front(100, 0)), numberState(front(50, 50)), { maxShift: 25, steps })),
      ["maxShift"],
    );
  });

  it("checks a split again if one number of the group rejected it", () => {
    const group = { numbers: "a\nb\n", inboundAgents: front(0, 100), endpoint: ENDPOINT };
    const unappliedPart = { numbers: "b\n", reason: "rejected" as const, applied: { inboundAgents: front(100, 0) } };
    const saved: NumbersState = { ...group, unapplied: [unappliedPart] };
    assert.deepEqual(guardNames(change(saved, saved, { maxShift: 25 })), ["maxShift"]);
    assert.deepEqual(guardNames(change(saved, saved, { approvedAgents: ["agent_a@1"] })), ["maxUnapproved"]);
    assert.deepEqual(guardNames(change(group, group, { maxShift: 25, approvedAgents: ["agent_a@1"] })), []);
  });

  it("measures the shift from both possible splits after an unknown outcome", () => {
    const lost = unapplied("unknown", front(50, 50), front(45, 55));
    const saved = numberState(front(45, 55), { previousInboundAgents: front(50, 50), ...lost });
    const to = (split: Split, maxShift = 10) => guardNames(change(saved, numberState(split), { maxShift }));
    // `agent_a@1` has either 50% or 45%, and `maxShift` allows 10 points. So 58% is too far from 45%, 39% is too far
    // from 50%, and 54% is close enough to both.
    assert.deepEqual([to(front(58, 42)), to(front(39, 61)), to(front(54, 46))], [["maxShift"], ["maxShift"], []]);
    // Retrying the same request and returning to the previous split are both allowed.
    assert.deepEqual([to(front(45, 55)), to(front(50, 50), 1)], [[], []]);
  });
});

describe("guard requireVersions", () => {
  const guards = { requireVersions: true };

  it("reports every agent without a version, including the outbound agent", () => {
    const inputs = { inboundAgents: { agent_a: 50, "agent_b@1": 50 }, outboundAgentId: "agent_o" };
    assert.deepEqual(declare(inputs, guards), [
      { guard: "requireVersions", path: "inboundAgents", agents: ["agent_a"] },
      { guard: "requireVersions", path: "outboundAgentId", agents: ["agent_o"] },
    ]);
  });

  it("does not require versions for unknown or unchanged agents", () => {
    assert.deepEqual(declare({ outboundAgentId: UNKNOWN }, guards), []);
    assert.deepEqual(declare({ outboundAgentId: "agent_o", outboundAgentVersion: UNKNOWN }, guards), []);
    const olds = numberState({ agent_a: 1 }, { outboundAgentId: "agent_o" });
    assert.deepEqual(change(olds, { ...olds, workspaceId: 43 }, guards), []);
    assert.deepEqual(guardNames(change(olds, { ...olds, outboundAgentId: "agent_p" }, guards)), ["requireVersions"]);
  });
});

describe("guard approvedAgents", () => {
  const guards = { approvedAgents: ["agent_a@1"], maxUnapproved: 10 };

  it("accepts an unapproved agent at exactly the maxUnapproved percentage", () => {
    assert.deepEqual(declare({ inboundAgents: { "agent_a@1": 90, "agent_a@2": 10 } }, guards), []);
    assert.deepEqual(guardNames(change(numberState(undefined), numberState({ agent_x: 1 }), guards)), [
      "maxUnapproved",
    ]);
    assert.deepEqual(declare({ inboundAgents: front(100, 0) }, { ...guards, maxUnapproved: 0 }), []);
  });

  it("adds up the percentages of all unapproved agents", () => {
    const after = numberState({ "agent_a@1": 80, agent_x: 10, agent_y: 10 });
    assert.deepEqual(guardNames(change(numberState({ "agent_a@1": 1 }), after, guards)), ["maxUnapproved"]);
    const refused = numberState(front(50, 50), unapplied("rejected", front(95, 5)));
    assert.deepEqual(change(refused, after, guards), [
      unapproved("inboundAgents", { agent_x: undefined, agent_y: undefined }, { percentage: 20, from: 5, max: 10 }),
    ]);
  });

  it("allows reducing the share of an agent that is no longer approved", () => {
    const strict = { ...guards, maxShift: 25 };
    const live = numberState(front(0, 100));
    assert.deepEqual(change(live, numberState(front(25, 75)), strict), []);
    assert.deepEqual(guardNames(change(live, numberState({ "agent_a@2": 75, agent_x: 25 }), strict)), [
      "maxUnapproved",
    ]);
    assert.deepEqual(guardNames(change(live, numberState({ ...front(24, 75), agent_x: 1 }), strict)), [
      "maxUnapproved",
    ]);
    assert.deepEqual(guardNames(change(numberState(front(60, 40)), numberState(front(59, 41)), strict)), [
      "maxUnapproved",
    ]);
    // If a request's outcome is unknown, an unapproved agent's share must not rise above either of its possible shares.
    const unsure = (wanted: Split, applied: Split, maybe: Split): NumbersState =>
      numberState(wanted, unapplied("unknown", applied, maybe));
    const back = (olds: NumbersState) => guardNames(change(olds, numberState(front(30, 70)), guards));
    assert.deepEqual(back(unsure(front(0, 100), front(20, 80), front(0, 100))), []);
    assert.deepEqual(back(unsure(front(0, 100), front(80, 20), front(0, 100))), ["maxUnapproved"]);
    assert.deepEqual(back(unsure(front(80, 20), front(0, 100), front(80, 20))), ["maxUnapproved"]);
  });

  it("suggests the approved agent with a similar name", () => {
    const approvedAgents = ["agent_front@13", "agent_front@14", "agent_night@9"];
    const inputs = {
      inboundAgents: { "agent_frnot@14": 60, "agent_night@2": 40 },
      outboundAgentId: "agent_nihgt",
      outboundAgentVersion: 10,
    };
    const violations = declare(inputs, { approvedAgents, weightTotal: 90, maxUnapproved: 10 });
    const agents = { "agent_frnot@14": "agent_front", "agent_night@2": undefined };
    assert.deepEqual(
      violations.filter(({ guard }) => guard === "maxUnapproved"),
      [
        unapproved("inboundAgents", agents, { percentage: 100, from: 0, max: 10 }),
        unapproved("outboundAgentId", { "agent_nihgt@10": "agent_night" }, undefined),
      ],
    );
  });

  const similarIds: { readonly name: string; readonly agent: string; readonly suggestion?: string }[] = [
    {
      name: "refuses an agent ID that swaps two letters of an approved ID",
      agent: "agent_frnot@14",
      suggestion: "agent_front",
    },
    {
      name: "refuses an agent ID that lacks a letter of an approved ID",
      agent: "agent_frnt@14",
      suggestion: "agent_front",
    },
    {
      name: "refuses an agent ID that adds a letter to an approved ID",
      agent: "agent_night_desks@1",
      suggestion: "agent_night_desk",
    },
    {
      name: "refuses an agent ID that differs from an approved ID only in case",
      agent: "agent_Front@13",
      suggestion: "agent_front",
    },
    { name: "does not mistake a new version for a typo", agent: "agent_front@14" },
    { name: "does not mistake a different digit for a typo", agent: "agent_line14@1" },
    { name: "does not mistake a different digit in a long number for a typo", agent: "agent_10024@1" },
    { name: "does not mistake a different two-letter word for a typo", agent: "agent_sales_uk@1" },
    { name: "does not mistake an agent ID with an extra word for a typo", agent: "agent_frond_desk@1" },
    { name: "does not mistake an agent ID with two wrong letters for a typo", agent: "agent_frunk@1" },
  ];
  for (const { name, agent, suggestion } of similarIds) {
    it(name, () => {
      const ids = [
        ...["agent_front@12", "agent_line12@1", "agent_sales_us@1", "agent_night_desk@1", "agent_10023@1"],
        // This ID differs from `agent_front` by one letter. Both are approved, so the guard must not report
        // `agent_front` as a typo of this ID.
        "agent_fronts@1",
      ];
      const inputs = {
        inboundAgents: { "agent_front@12": 99, [agent]: 1 },
        outboundAgentId: parseAgentKey(agent).agentId,
      };
      const expected =
        suggestion === undefined
          ? []
          : [
              unapproved("inboundAgents", { [agent]: suggestion }, undefined),
              unapproved("outboundAgentId", { [parseAgentKey(agent).agentId]: suggestion }, undefined),
            ];
      assert.deepEqual(declare(inputs, { approvedAgents: ids, maxUnapproved: 100 }), expected);
    });
  }

  it("allows a misspelled agent's share to fall but not to rise", () => {
    const olds = numberState({ "agent_front@12": 90, "agent_frnot@12": 10 });
    const to = (percent: number) =>
      guardNames(
        change(olds, numberState({ "agent_front@12": 100 - percent, "agent_frnot@12": percent }), guardsForTypo),
      );
    const guardsForTypo = { approvedAgents: ["agent_front@12"], maxUnapproved: 50 };
    assert.deepEqual([to(5), to(11)], [[], ["maxUnapproved"]]);
  });

  it("refuses an unapproved outbound agent unless maxUnapproved is 100", () => {
    const inputs = { outboundAgentId: "agent_o", outboundAgentVersion: 1 };
    assert.deepEqual(guardNames(declare(inputs, guards)), ["maxUnapproved"]);
    assert.deepEqual(declare(inputs, { ...guards, maxUnapproved: 100 }), []);
  });

  it("checks an unapproved outbound agent again until every number has it", () => {
    const olds = (...applied: Routing[]) => {
      const parts = applied.map((routing, index) => ({
        numbers: `400${index}\n`,
        reason: "rejected" as const,
        ...(Object.keys(routing).length > 0 && { applied: routing }),
      }));
      const numbers = "4000\n4001\n";
      return { numbers, inboundAgents: { a: 1 }, outboundAgentId: "agent_o", endpoint: ENDPOINT, unapplied: parts };
    };
    const refused = (state: NumbersState) => guardNames(change(state, state, { ...guards, approvedAgents: ["a"] }));
    const withAgent = { inboundAgents: { a: 1 }, outboundAgentId: "agent_o" };
    const withoutAgent = { inboundAgents: { a: 1 } };
    const otherAgent = { ...withAgent, outboundAgentId: "agent_p" };
    assert.deepEqual([olds(withoutAgent), olds(withAgent, otherAgent), olds({}, withoutAgent)].map(refused), [
      ["maxUnapproved"],
      ["maxUnapproved"],
      ["maxUnapproved"],
    ]);
    // The guard ignores numbers to which no routing was ever applied, unless that is true of all numbers in the group.
    assert.deepEqual([olds(), olds(withAgent, withAgent), olds({})].map(refused), [[], [], []]);
    assert.deepEqual(refused(olds({}, {})), ["maxUnapproved"]);
  });
});

describe("guard steps", () => {
  it("measures a step from the applied split, not the rejected one", () => {
    const rollout = (percent: number) => ({ stable: "agent_a@1", candidate: "agent_a@2", percent });
    const from = (inboundAgents: Split, percent: number) => {
      const olds = numberState(front(0, 100), { rollout: rollout(100), ...unapplied("rejected", inboundAgents) });
      const news = numberState(front(100 - percent, percent), { rollout: rollout(percent) });
      return change(olds, news, { steps: [1, 10, 50, 100] });
    };
    const tooEarly = [{ guard: "steps", path: "rollout", name: undefined, why: "unconfirmed", from: 100 }];
    assert.deepEqual(from(front(99, 1), 50), tooEarly);
    assert.deepEqual(from({ "agent_a@1": 1 }, 1), tooEarly);
    assert.deepEqual([from(front(99, 1), 1), from(front(99, 1), 0)], [[], []]);
  });

  it("checks a step against both possible splits after an unknown outcome", () => {
    const rollout = (percent: number) => ({ stable: "agent_a@1", candidate: "agent_a@2", percent });
    // The last request was rejected, and an earlier one with an unknown outcome may have left the candidate at 1%.
    const uncertain = unapplied("rejected", front(0, 100), front(99, 1));
    const olds = numberState(front(0, 100), { rollout: rollout(100), ...uncertain });
    const problems = (percent: number) =>
      change(olds, numberState(front(100 - percent, percent), { rollout: rollout(percent) }), {
        steps: [1, 50, 100],
      }).map((violation) => violation.guard === "steps" && violation.why);
    assert.deepEqual({ 1: problems(1), 50: problems(50) }, { 1: [], 50: ["unconfirmed"] });
  });

  const rows: readonly {
    readonly name: string;
    readonly before: Split;
    readonly more?: Partial<NumbersState>;
    readonly percent: number;
    readonly problems: readonly string[];
  }[] = [
    {
      name: "a first step if the previous split has a weight of 0",
      before: { ...front(100, 0), agent_z: 0 },
      percent: 1,
      problems: [],
    },
    {
      name: "a step if a manual split includes a third agent",
      before: { ...front(90, 5), agent_z: 5 },
      percent: 50,
      problems: ["notStable"],
    },
    {
      name: "a step if a manual split gave the candidate all calls",
      before: front(0, 100),
      percent: 100,
      problems: ["notStable"],
    },
    {
      name: "the rollout's current percentage for a number without agents",
      before: front(99, 1),
      more: { ...unapplied("not sent", {}), numbers: "4001\n4002\n", number: undefined },
      percent: 1,
      problems: [],
    },
  ];
  for (const { name, before, more, percent, problems } of rows) {
    it(`${problems.length > 0 ? "refuses" : "accepts"} ${name}`, () => {
      const rollout = { stable: "agent_a@1", candidate: "agent_a@2", percent };
      const news = numberState(front(100 - percent, percent), { rollout });
      const refused = change(numberState(before, more), news, { steps: [1, 50, 100] });
      assert.deepEqual(
        refused.flatMap((violation) => (violation.guard === "steps" ? [violation.why] : [])),
        problems,
      );
    });
  }

  it("accepts a new number that sends all calls to the stable agent", () =>
    assert.deepEqual(declare({ rollout: { stable: "agent_a@1" } }, { steps: [100] }), []));
});

describe("guard maxRemove", () => {
  const rows: { readonly name: string; lost: number; declared: number; maxRemove?: number; isRefused: boolean }[] = [
    { name: "one of four numbers despite the 5% limit", lost: 1, declared: 3, isRefused: false },
    { name: "more than 5% of the numbers", lost: 2, declared: 37, isRefused: true },
    { name: "exactly 5% of the numbers", lost: 2, declared: 38, isRefused: false },
    { name: "the only number", lost: 1, declared: 0, isRefused: false },
    { name: "all 300 numbers", lost: 300, declared: 0, isRefused: true },
    { name: "exactly maxRemove numbers", lost: 6, declared: 4, maxRemove: 6, isRefused: false },
    { name: "more than maxRemove numbers", lost: 7, declared: 10_000, maxRemove: 6, isRefused: true },
    { name: "a number if maxRemove is 0", lost: 1, declared: 10_000, maxRemove: 0, isRefused: true },
    { name: "no numbers if maxRemove is 0", lost: 0, declared: 0, maxRemove: 0, isRefused: false },
  ];
  for (const { name, lost, declared, maxRemove, isRefused } of rows) {
    it(`${isRefused ? "refuses" : "accepts"} a run that unassigns ${name}`, () => {
      const losses = { lost: Array.from({ length: lost }, String), inRun: lost };
      const refused = judgeLosses(losses, declared, maxRemove === undefined ? noGuards : { ...noGuards, maxRemove });
      assert.equal(refused.length > 0, isRefused);
    });
  }

  it("ignores a delete that unassigns no numbers", () =>
    assert.deepEqual(judgeLosses({ lost: [], inRun: 100 }, 0, noGuards), []));
});

describe("guard exemptions", () => {
  /**
   * Strict values for all guards except `freeze` and `steps`. The type requires each one, so the tests also cover new
   * guards.
   */
  const strict: { readonly [Guard in Exclude<keyof Guards, "freeze" | "steps">]-?: NonNullable<Guards[Guard]> } = {
    maxShift: 5,
    maxUnapproved: 0,
    maxRemove: 0,
    approvedAgents: ["agent_a@1"],
    requireVersions: true,
    weightTotal: 100,
  };
  const before: NumbersState = {
    numbers: "a\n",
    // This split was saved before any guards were set. It has no versions, and its weights don't add up to 100.
    inboundAgents: { agent_a: 0.9, agent_b: 0.1 },
    outboundAgentId: "agent_o",
    endpoint: ENDPOINT,
  };
  const newNumbers = Array.from({ length: 10 }, (_, index) => `b${index}\n`).join("");
  const changedInputs: NumbersInputs = {
    numbers: `a\n${newNumbers}`,
    inboundAgents: front(100, 0),
    endpoint: ENDPOINT,
  };
  const after: NumbersState = nextState(before, changedInputs, [], "2026-11-25T10:00:00Z");
  const violationsOf = (olds: NumbersState, news: NumbersInputs, guards: Partial<Guards>) =>
    guardNames(judgedPlan(olds, news, { ...noGuards, ...guards }).violations);

  it("checks only the outbound agent if a change restores the previous split", () => {
    assert.deepEqual(violationsOf(after, before, strict), ["requireVersions", "maxUnapproved"]);
    const { previousInboundAgents: _, ...forgotten } = after;
    assert.deepEqual(violationsOf(forgotten, before, strict), [
      "maxShift",
      "weightTotal",
      "requireVersions",
      "maxUnapproved",
      "requireVersions",
      "maxUnapproved",
    ]);
  });

  it("allows an abort unless the stack is frozen", () => {
    const rollout = { name: "front", stable: "agent_a", candidate: "agent_b", percent: 50 };
    const olds = numberState({ agent_a: 50, agent_b: 50 }, { rollout });
    const aborted = { agent: "agent_b", percent: 50, at: "2026-11-23T07:04:00Z" };
    const violationsAtZero = (more: object, guards: Partial<Guards> = {}) => {
      const zero = { ...rollout, percent: 0, ...more };
      const news = numberState({ agent_a: 100 }, { rollout: zero, outboundAgentId: "agent_new" });
      return violationsOf(olds, news, { ...strict, steps: [100], ...guards });
    };
    assert.deepEqual(violationsAtZero({ aborted }), []);
    assert.deepEqual(violationsAtZero({ aborted }, { freeze: "holiday" }), ["freeze"]);
    const abortTo = { stable: "agent_a@1", aborted: { ...aborted, to: "agent_a@1" } };
    const returned = numberState({ "agent_a@1": 100 }, { rollout: { ...rollout, ...abortTo, percent: 0 } });
    assert.deepEqual(violationsOf(olds, returned, { ...strict, steps: [100] }), [], "to another approved agent");
    // Even without an abort, 0% counts as a return to the stable agent, so only the new outbound agent is checked.
    assert.deepEqual(violationsAtZero({}), ["requireVersions", "maxUnapproved"]);
  });

  it("refuses to restore the previous split during a freeze", () => {
    assert.deepEqual(
      violationsOf(
        after,
        { ...after, ...before, numbers: after.numbers, outboundAgentId: undefined },
        { ...strict, freeze: "holiday" },
      ),
      ["freeze"],
    );
  });

  it("checks a split again if it was reverted earlier", () => {
    const [good, bad] = [numberState(front(100, 0)), numberState(front(0, 100))];
    const applied = nextState(good, bad, [], "2026-11-25T10:00:00Z");
    assert.deepEqual(guardNames(change(applied, good, { maxShift: 5 })), [], "a return to the previous split");
    const returned = nextState(applied, good, [], "2026-11-25T11:00:00Z");
    assert.deepEqual(
      guardNames(change(returned, bad, { maxShift: 5 })),
      ["maxShift"],
      "the reverted split, declared again",
    );
    assert.deepEqual(guardNames(change(returned, bad, { approvedAgents: ["agent_b@1"] })), ["maxUnapproved"]);
  });

  it("allows a retry of a rejected return to the previous split", () => {
    const group = (inboundAgents: Split): NumbersInputs => ({ numbers: "a\nb\n", inboundAgents, endpoint: ENDPOINT });
    const [good, bad] = [group(front(100, 0)), group(front(0, 100))];
    const applied = nextState(good, bad, [], "2026-11-25T10:00:00Z");
    const results = [resultOf("a", "applied"), resultOf("b", "rejected")];
    const halfReturned = nextState(applied, good, results, "2026-11-25T11:00:00Z");
    assert.deepEqual(guardNames(change(halfReturned, good, { maxShift: 5 })), [], "a retry of the return");
    assert.deepEqual(guardNames(change(halfReturned, bad, { maxShift: 5 })), ["maxShift"], "the reverted split");
    const fullyReturned = nextState(halfReturned, good, [resultOf("b", "applied")], "2026-11-25T12:00:00Z");
    assert.deepEqual(
      guardNames(change(fullyReturned, bad, { maxShift: 5 })),
      ["maxShift"],
      "the reverted split after the complete return",
    );
  });

  it("allows a return to the previous split after a rejected change", () => {
    const refused = unapplied("rejected", front(50, 50));
    const olds = numberState(front(0, 100), { previousInboundAgents: front(100, 0), ...refused });
    assert.deepEqual(change(olds, numberState(front(50, 50)), { maxShift: 5 }), []);
    assert.deepEqual(change(olds, numberState(front(100, 0)), { maxShift: 5 }), []);
    assert.deepEqual(guardNames(change(olds, numberState(front(90, 10)), { maxShift: 5 })), ["maxShift"]);
  });
});

describe("multiple violations", () => {
  it("reports both a freeze and an incorrect sum of weights", () => {
    const refused = declare({ inboundAgents: { agent_a: 1 } }, { weightTotal: 100, freeze: "holiday" });
    assert.deepEqual(guardNames(refused), ["weightTotal", "freeze"]);
  });
});
