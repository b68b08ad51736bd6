import assert from "node:assert/strict";
import type { Declaration } from "../support/miniEngine";
import { type Life, type RunRecord, withRealEngine, withSmallEngine } from "../support/twoEngines";

/** The small engine is worth what it shares with the real one: both live the same lives here. */

const agents = (agentId: string, weight = 100) => [{ agentId, weight }];
const line = (name: string, number: string, more: object = {}): Declaration => ({
  name,
  kind: "numberAssignment",
  args: { number, inboundAgents: agents("agent_a"), ...more },
});
const group = (name: string, numbers: readonly string[], more: object = {}): Declaration => ({
  name,
  kind: "numberGroup",
  args: { numbers, inboundAgents: agents("agent_g"), ...more },
});
const [one, two, three] = ["+15550000001", "+15550000002", "+15550000003"] as const;

interface Story {
  readonly title: string;
  live(life: Life): Promise<void>;
  /** The steps of each run, so that two engines that do nothing at all do not pass. */
  readonly steps: readonly (readonly string[])[];
}

const stories: readonly Story[] = [
  {
    title: "numbers that are renamed, passed on, moved and destroyed after the base URL was changed",
    async live({ up, destroy, moveHome, preview }) {
      await up([line("first", one), group("all", [two, three])]);
      await preview([line("renamed", one, { inboundWebhookUrl: "https://hooks.invalid/in" }), group("all", [three])]);
      await up([
        line("renamed", one, { inboundWebhookUrl: "https://hooks.invalid/in" }),
        group("all", [three], { inboundAgents: agents("agent_h") }),
        line("taker", two),
      ]);
      await up([line("renamed", three), group("all", [one]), line("taker", two)]);
      moveHome();
      await destroy();
    },
    steps: [
      ["create all", "create first"],
      ["createReplacement all", "deleteReplaced all", "delete first", "create renamed"],
      ["createReplacement all", "deleteReplaced all", "delete first", "create renamed", "create taker"],
      ["createReplacement all", "deleteReplaced all", "createReplacement renamed", "deleteReplaced renamed"],
      ["delete all", "delete renamed", "delete taker"],
    ],
  },
  {
    title: "arguments that `ignoreChanges` keeps away, where the resource is replaced",
    async live({ up }) {
      const ignoring = (declaration: Declaration) => ({ ...declaration, ignoreChanges: ["inboundAgents"] });
      await up([ignoring(group("all", [one, two])), ignoring(line("single", three))]);
      const other = { inboundAgents: agents("agent_b") };
      await up([ignoring(group("all", [one], other)), ignoring(line("single", two, other))]);
      await up([ignoring(group("all", [one], other)), ignoring(line("single", two, other))]);
    },
    steps: [
      ["create all", "create single"],
      ["createReplacement all", "deleteReplaced all", "createReplacement single", "deleteReplaced single"],
      [],
    ],
  },
  {
    title: "failures that save something, and failures that save nothing",
    async live({ up, fault, refresh, destroy }) {
      fault({ kind: "status", status: 400, number: two });
      await up([line("first", one), line("second", two)], { continueOnError: true });
      fault({ kind: "appliedBut500", number: one });
      fault({ kind: "appliedBut500", number: two });
      await up([line("first", one, { inboundAgents: agents("agent_b") }), line("second", two)], {
        continueOnError: true,
      });
      await refresh();
      fault({ kind: "status", status: 403, number: one });
      await up([line("first", one, { inboundAgents: [] }), line("second", two)], { continueOnError: true });
      await up([line("first", one, { inboundAgents: agents("agent_b") })], { targets: ["first"] });
      fault({ kind: "status", status: 500, number: one });
      await destroy({ continueOnError: true });
    },
    steps: [
      ["create first", "create second"],
      ["update first", "create second"],
      ["read first", "read second"],
      ["update first", "update second"],
      ["update first"],
      ["delete first", "delete second"],
    ],
  },
];

describe("the small engine does as the real one", () => {
  for (const { title, live, steps } of stories) {
    it(title, async () => {
      const [small, real] = await Promise.all([withSmallEngine(live), withRealEngine(live)]);
      for (const [index, run] of small.entries()) {
        assert.deepEqual(run, real[index], `run ${index + 1}`);
      }
      assert.deepEqual(
        real.map((run: RunRecord) => run.steps),
        steps,
      );
    });
  }
});
