import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { blockingGates, gateText, readGates } from "../../cli/report/gates";
import { toPlain } from "../../cli/report/text";
import { checkRows } from "../support/rows";
import {
  A,
  B,
  buildReport,
  group,
  line,
  list,
  of,
  previewOf,
  reportOf,
  run,
  type SyntheticStep,
  single,
} from "./reportSteps";

/**
 * Tests guards that need to see the whole change. The provider checks each resource separately, so a renamed
 * resource's number looks new to it.
 */

const maxShift = { "agent-platform:maxShift": "25" };
const bypass = { severity: "warning", message: "AGP-068 incident" };

/**
 * Returns the codes of the guards that block the change, such as AGP-021. Asserts that the report has a card for each
 * of them.
 */
function exceeded(config: object, steps: readonly SyntheticStep[]): string[] {
  const model = reportOf(steps, { config });
  const violations = blockingGates([], model).flatMap(({ facts }) => facts.map(({ text }) => toPlain(text)));
  assert.equal(model.cards.filter(({ family }) => family === "guard").length, violations.length);
  return violations.map((violation) => /AGP-\d{3}/.exec(violation)?.[0] ?? violation);
}

describe("maxRemove in a report", () => {
  const numbers = Array.from({ length: 40 }, (_, index) => `+${100 + index}`);
  const limit = (count: number) => ({ "agent-platform:maxRemove": String(count) });
  const renamed = [
    group("create", "new", undefined, of(A, ...numbers.slice(0, 3))),
    group("delete", "old", of(A, ...numbers)),
  ];
  const deleted = (...removed: string[]) => removed.map((number) => single("delete", `line${number}`, line(number, A)));

  it("blocks a renamed group that loses 37 of 40 numbers", () => {
    assert.deepEqual(exceeded({}, renamed), ["AGP-024"]);
    assert.deepEqual(exceeded(limit(37), renamed), []);
  });

  it("blocks the deletion of a group of 40 numbers by default", () => {
    assert.deepEqual(exceeded({}, renamed.slice(1)), ["AGP-024"]);
    assert.deepEqual(exceeded(limit(1), renamed.slice(1)), ["AGP-024"]);
    assert.deepEqual(exceeded(limit(40), renamed.slice(1)), []);
  });

  it("scales the default limit with the size of the stack", () => {
    const unchanged = group("same", "all", of(A, ...numbers), of(A, ...numbers));
    assert.deepEqual(exceeded({}, [...deleted("+1", "+2"), unchanged]), []);
    assert.deepEqual(exceeded({}, [...deleted("+1", "+2", "+3"), unchanged]), ["AGP-024"]);
  });

  it("allows `pulumi destroy`", () => {
    const urn = "urn:pulumi:dev::test::pulumi:pulumi:Stack::test-dev";
    const preview = JSON.parse(previewOf(renamed.slice(1)));
    const stack = { op: "delete", urn, oldState: { urn, custom: false, type: "pulumi:pulumi:Stack" } };
    const report = buildReport(JSON.stringify({ ...preview, steps: [...preview.steps, stack] }));
    assert.deepEqual(
      report.cards.map(({ family }) => family),
      ["removal"],
    );
  });

  it("adds up the removals of several resources", () => {
    const cut = (name: string, before: readonly string[]) =>
      group("replace", name, of(A, ...before), of(A, ...before.slice(0, 19)));
    const cuts = [cut("first", numbers.slice(0, 20)), cut("second", numbers.slice(20))];
    assert.deepEqual(exceeded(limit(1), cuts), ["AGP-024"]);
    assert.deepEqual(exceeded(limit(1), cuts.slice(1)), []);
    const changed = single("replace", "a", line("+7", A), line("+8", A));
    assert.deepEqual(exceeded({}, [...deleted("+1"), changed]), ["AGP-024"]);
  });

  it("ignores numbers that move, are retained or have no agents", () => {
    const kept = deleted("+2", "+3").map((step) => ({ ...step, retainOnDelete: true as const }));
    const empty = single("delete", "empty", line("+4", {}));
    const moved = [single("delete", "old", line("+5", A)), single("create", "new", undefined, line("+5", A))];
    assert.deepEqual(exceeded(limit(1), [...deleted("+1"), ...kept, empty, ...moved]), []);
  });

  it("reports but allows removals if the guards are bypassed", () => {
    const model = reportOf(renamed, { diagnostics: [bypass] });
    assert.equal(model.cards.filter(({ family }) => family === "guard").length, 1);
    assert.deepEqual(blockingGates([], model), []);
  });
});

describe("a report with guards", () => {
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
  const ways: Readonly<Record<string, (from: object, to: object) => SyntheticStep[]>> = {
    "renamed without an alias": renamed,
    "moved into a group": (from, to) => [
      group("update", "all", { numbers: list("+5"), ...to }, { numbers: list("+1", "+5"), ...to }),
      single("delete", "one", { number: "+1", ...from }),
    ],
    "moved out of a group": (from, to) => [
      group("replace", "all", { numbers: list("+1", "+5"), ...from }, { numbers: list("+5"), ...from }),
      single("create", "one", undefined, { number: "+1", ...to }),
    ],
    "moved out of a group that has an unapplied number": (from, to) => {
      const unapplied = [{ numbers: list("+5"), reason: "rejected" }];
      return [
        group("replace", "all", { numbers: list("+1", "+5"), ...from, unapplied }, { numbers: list("+5"), ...from }),
        single("create", "one", undefined, { number: "+1", ...to }),
      ];
    },
    // The provider checks the replacement as if it were a new resource.
    "replaced by `--replace`": (from, to) => [
      group("replace", "one", { numbers: list("+1"), ...from }, { numbers: list("+1"), ...to }),
    ],
  };
  const steps = { "agent-platform:steps": "[1, 10, 50, 100]" };

  it("enforces maxShift for a renamed or moved number", () =>
    checkRows(
      Object.entries(ways),
      ([way]) => way,
      ([, change]) => {
        const [a, b] = [{ inboundAgents: A }, { inboundAgents: B }];
        assert.deepEqual(exceeded(maxShift, change(a, b)), ["AGP-021"]);
        assert.deepEqual(exceeded({}, change(a, b)), []);
        assert.deepEqual(exceeded(maxShift, change(a, { inboundAgents: { "agent_a@1": 80, "agent_b@9": 20 } })), []);
      },
    ));

  it("enforces the configured steps for a renamed or moved number", () =>
    checkRows(
      Object.entries(ways),
      ([way]) => way,
      ([, change]) => {
        assert.deepEqual(exceeded({ ...steps, ...maxShift }, change(front(1), front(100))), ["AGP-027"]);
        assert.deepEqual(exceeded(steps, change(front(1), front(10))), []);
        assert.deepEqual(exceeded(steps, change(front(50), front(0))), []);
      },
    ));

  it("falls back to maxShift if the stack has no steps", () =>
    assert.deepEqual(exceeded(maxShift, renamed(front(1), front(100))), ["AGP-021"]));

  it("leaves updates and number changes to the provider's own guards", () => {
    assert.deepEqual(exceeded(maxShift, [single("replace", "line", line("+1", A), line("+9", B))]), []);
    assert.deepEqual(exceeded(maxShift, [single("update", "line", line("+1", A), line("+1", B))]), []);
  });

  it("applies a shift gate to a renamed number", () => {
    const blocked = (percent: number) =>
      blockingGates(readGates("shift=25"), reportOf(renamed(front(1), front(percent)), { config: steps })).map(
        ({ gate }) => gateText(gate),
      );
    assert.deepEqual(blocked(100), ["shift=25", "guard"]);
    assert.deepEqual(blocked(10), []);
  });

  it("blocks a new stable agent that has received no calls", () => {
    const rollout = { name: "front", stable: "agent_typo@1", candidate: "agent_a@1", percent: 100 };
    const change = renamed(front(0), { ...front(0), rollout });
    assert.deepEqual(exceeded(steps, change), ["AGP-027"]);
    assert.deepEqual(exceeded(maxShift, change), ["AGP-021"]);
  });

  it("prints the environment variable that bypasses the guards", async () => {
    const { code, stdout } = await run([], previewOf(renamed(line("+1", A), line("+1", B)), { config: maxShift }));
    assert.equal(code, 1);
    assert.ok(stdout.includes('`AGENT_PLATFORM_BYPASS="<reason>"`'), stdout);
  });
});
