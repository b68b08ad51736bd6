import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { readPreview } from "../../cli/pulumi/preview";
import { blockingGates, gateText, readGates } from "../../cli/report/gates";
import { buildReport } from "../../cli/report/report";
import { toPlain } from "../../cli/report/text";
import { A, B, group, line, list, of, previewOf, reportOf, run, type SyntheticStep, single } from "./reportSteps";

/** What no resource shows by itself: numbers under a new name, which no guard of the provider can judge. */

const maxShift = { "agent-platform:maxShift": "25" };
const bypass = { severity: "warning", message: "AGP-068 AGENT_PLATFORM_BYPASS (incident) bypassed 1 guard" };

/** The guards that the whole change exceeds: a card for each, which blocks. */
function exceeded(config: object, steps: readonly SyntheticStep[]): string[] {
  const model = reportOf(steps, { config });
  const stops = blockingGates([], model).flatMap(({ facts }) => facts.map(({ text }) => toPlain(text)));
  const titles = model.cards.map(({ title }) => toPlain(title)).filter((title) => title.includes("(guard "));
  assert.deepEqual(titles.sort(), stops.map((text) => `⛔ ${text}`).sort());
  return stops;
}

describe("maxRemove, over the whole change", () => {
  const numbers = Array.from({ length: 40 }, (_, index) => `+${100 + index}`);
  const limit = (count: number) => ({ "agent-platform:maxRemove": String(count) });
  const renamed = [
    group("create", "new", undefined, of(A, ...numbers.slice(0, 3))),
    group("delete", "old", of(A, ...numbers)),
  ];
  const lose = (count: number, first: string, max = 1) =>
    `${count} numbers lose their agents in this run (${first}); limit ${max} (guard maxRemove, AGP-024)`;
  const deleted = (...own: string[]) => own.map((number) => single("delete", `line${number}`, line(number, A)));

  it("refuses without a setting a renamed group that loses 37 numbers", () => {
    assert.deepEqual(exceeded({}, renamed), [lose(37, "+103, +104, +105 and 34 more", 2)]);
    assert.deepEqual(exceeded(limit(37), renamed), []);
    const [card] = reportOf(renamed).cards.filter(({ family }) => family === "guard");
    assert.deepEqual(card?.notes?.map(toPlain), [
      "No resource shows this by itself, so the report refuses it.",
      'Declare the numbers again. If they are to lose their agents, set agent-platform:maxRemove to their count. For this run alone, run AGENT_PLATFORM_BYPASS="<reason>" pulumi up.',
    ]);
  });

  it("refuses without a setting a group that is removed", () => {
    const all = "+100, +101, +102 and 37 more";
    assert.deepEqual(exceeded({}, renamed.slice(1)), [lose(40, all, 2)]);
    assert.deepEqual(exceeded(limit(1), renamed.slice(1)), [lose(40, all)]);
    assert.deepEqual(exceeded(limit(40), renamed.slice(1)), []);
  });

  it("counts the numbers that stay, if the preview shows them", () => {
    const stays = group("same", "all", of(A, ...numbers), of(A, ...numbers));
    assert.deepEqual(exceeded({}, [...deleted("+1", "+2"), stays]), []);
    assert.deepEqual(exceeded({}, [...deleted("+1", "+2", "+3"), stays]), [lose(3, "+1, +2, +3", 2)]);
    const hidden = reportOf(deleted("+1", "+2"), { changeSummary: { same: 9 } });
    const [card] = hidden.cards.filter(({ family }) => family === "guard");
    assert.match(
      toPlain(card?.title ?? []),
      /limit 1, without the numbers that only pulumi preview --json --show-sames/,
    );
  });

  it("does not judge a destroy", () => {
    const urn = "urn:pulumi:dev::test::pulumi:pulumi:Stack::test-dev";
    const preview = JSON.parse(previewOf(renamed.slice(1)));
    const stack = { op: "delete", urn, oldState: { urn, custom: false, type: "pulumi:pulumi:Stack" } };
    const report = buildReport(readPreview(JSON.stringify({ ...preview, steps: [...preview.steps, stack] })));
    assert.deepEqual(
      report.cards.map(({ family }) => family),
      ["removal"],
    );
  });

  it("counts what several resources lose together", () => {
    const cut = (name: string, all: readonly string[]) =>
      group("replace", name, of(A, ...all), of(A, ...all.slice(0, 19)));
    const cuts = [cut("first", numbers.slice(0, 20)), cut("second", numbers.slice(20))];
    assert.deepEqual(exceeded(limit(1), cuts), [lose(2, "+119, +139")]);
    assert.deepEqual(exceeded(limit(1), cuts.slice(1)), []);
    const changed = single("replace", "a", line("+7", A), line("+8", A));
    assert.deepEqual(exceeded({}, [...deleted("+1"), changed]), [lose(2, "+7, +1")]);
  });

  it("counts no number that moves, is retained or has no agents", () => {
    const kept = deleted("+2", "+3").map((step) => ({ ...step, retainOnDelete: true as const }));
    const empty = single("delete", "empty", line("+4", {}));
    const moved = [single("delete", "old", line("+5", A)), single("create", "new", undefined, line("+5", A))];
    assert.deepEqual(exceeded(limit(1), [...deleted("+1"), ...kept, empty, ...moved]), []);
  });

  it("bypassed for the run, is said and stops nothing", () => {
    const model = reportOf(renamed, { diagnostics: [bypass] });
    assert.equal(model.cards.filter(({ title }) => toPlain(title).includes("(guard ")).length, 1);
    assert.deepEqual(blockingGates([], model), []);
  });
});

describe("a number that gets a new name together with a new split", () => {
  const front = (percent: number) => ({
    rollout: { name: "front", stable: "agent_a@1", candidate: "agent_b@9", percent },
    inboundAgents: Object.fromEntries(
      Object.entries({ "agent_a@1": 100 - percent, "agent_b@9": percent }).filter(([, part]) => part > 0),
    ),
  });
  const renamed = (from: object, to: object) => [
    single("create", "new", undefined, { number: "+1", ...to }),
    single("delete", "old", { number: "+1", ...from }),
  ];
  const ways: Record<string, [(from: object, to: object) => SyntheticStep[], who: string]> = {
    "renamed without an alias": [renamed, "1 number goes from old to new"],
    "into a group": [
      (from, to) => [
        group("update", "all", { numbers: list("+5"), ...to }, { numbers: list("+1", "+5"), ...to }),
        single("delete", "one", { number: "+1", ...from }),
      ],
      "1 number goes from one to all",
    ],
    "out of a group": [
      (from, to) => [
        group("replace", "all", { numbers: list("+1", "+5"), ...from }, { numbers: list("+5"), ...from }),
        single("create", "one", undefined, { number: "+1", ...to }),
      ],
      "1 number goes from all to one",
    ],
    // Its provider judges it as new.
    "made again by `--replace`": [
      (from, to) => [group("replace", "one", { numbers: list("+1"), ...from }, { numbers: list("+1"), ...to })],
      "1 number of one, made again",
    ],
  };
  const steps = { "agent-platform:steps": "[1, 10, 50, 100]" };

  for (const [way, [change, who]] of Object.entries(ways)) {
    it(`is judged by maxShift and by steps: ${way}`, () => {
      const [a, b] = [{ inboundAgents: A }, { inboundAgents: B }];
      assert.deepEqual(exceeded(maxShift, change(a, b)), [
        `${who}: moves 100 percentage points of traffic; limit 25 (agent_a@1 100 % → none, agent_b@9 none → 100 %) (guard maxShift, AGP-021)`,
      ]);
      assert.deepEqual(exceeded({}, change(a, b)), []);
      assert.deepEqual(exceeded(maxShift, change(a, { inboundAgents: { "agent_a@1": 80, "agent_b@9": 20 } })), []);
      const skips = `${who}: rollout.percent: from 1 % to 100 % skips 10 %, 50 % (guard steps, AGP-027)`;
      assert.deepEqual(exceeded({ ...steps, ...maxShift }, change(front(1), front(100))), [skips]);
      assert.deepEqual(exceeded(steps, change(front(1), front(10))), []);
      assert.deepEqual(exceeded(steps, change(front(50), front(0))), []);
    });
  }

  it("is judged by its size if a rollout has no steps", () =>
    assert.deepEqual(exceeded(maxShift, renamed(front(1), front(100))), [
      "1 number goes from old to new: moves 99 percentage points of traffic; limit 25 (agent_a@1 99 % → none, agent_b@9 1 % → 100 %) (guard maxShift, AGP-021)",
    ]));

  it("is not judged here if only number or split changes", () => {
    assert.deepEqual(exceeded(maxShift, [single("replace", "line", line("+1", A), line("+9", B))]), []);
    assert.deepEqual(exceeded(maxShift, [single("update", "line", line("+1", A), line("+1", B))]), []);
  });

  it("is blocked by a gate on its size, unless a step", () => {
    const blocked = (percent: number) =>
      blockingGates(readGates("shift=25"), reportOf(renamed(front(1), front(percent)), { config: steps })).map(
        ({ gate }) => gateText(gate),
      );
    assert.deepEqual(blocked(100), ["shift=25", "guard"]);
    assert.deepEqual(blocked(10), []);
  });

  it("is refused if its stable agent had no calls", () => {
    const rollout = { name: "front", stable: "agent_typo@1", candidate: "agent_a@1", percent: 100 };
    const change = renamed(front(0), { ...front(0), rollout });
    assert.deepEqual(exceeded(steps, change), [
      "1 number goes from old to new: rollout.stable: agent_typo@1 does not have all calls (agent_a@1 has 100 %) (guard steps, AGP-027)",
    ]);
    assert.deepEqual(exceeded(maxShift, change), [
      "1 number goes from old to new: rollout.stable: an abort would move 100 percentage points of traffic; limit 25 (agent_a@1 100 % → none, agent_typo@1 none → 100 %) (guard maxShift, AGP-021)",
    ]);
  });

  it("gives the command that passes it as code, to copy", async () => {
    const { stdout } = await run([], previewOf(renamed(line("+1", A), line("+1", B)), { config: maxShift }));
    const command = '`AGENT_PLATFORM_BYPASS="<reason>" pulumi up`';
    assert.deepEqual(
      stdout.split("\n").filter((text) => text.includes("BYPASS")),
      [`- Move less traffic at a time, or raise maxShift. For this run alone, run ${command}.`],
    );
  });

  it("stands first in the headline, before the name of its guard", async () => {
    const { code, stdout } = await run([], previewOf(renamed(line("+1", A), line("+1", B)), { config: maxShift }));
    const [headline = ""] = stdout.split("\n").filter((text) => text.startsWith("### "));
    const first = "### `dev`: ⛔ 1 number goes from `old` to `new`: moves 100 percentage points of traffic; limit 25 (";
    assert.deepEqual([code, headline.slice(0, first.length)], [1, first]);
  });
});
