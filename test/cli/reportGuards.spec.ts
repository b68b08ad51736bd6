import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readPreview } from "../../cli/pulumi/preview";
import { blockingGates, gateText, readGates } from "../../cli/report/guards";
import { buildReport } from "../../cli/report/report";
import { plain } from "../../cli/report/text";
import { A, B, group, line, list, of, reportOf, single } from "./reportSteps";
import { run } from "./reportSupport";
import { previewOf, type SyntheticStep } from "./reportSynthetic";

/** What no resource shows by itself: numbers under a new name, which no guard of the provider can judge. */

const numbers = Array.from({ length: 40 }, (_, index) => `+${100 + index}`);

/** The guards that the whole change exceeds: a card for each, which blocks. */
function exceeded(config: object, steps: Parameters<typeof reportOf>[0]): string[] {
  const model = reportOf(steps, { config });
  const stops = blockingGates([], model).flatMap(({ facts }) => facts.map(({ text }) => plain(text)));
  const titles = model.cards.map(({ title }) => plain(title)).filter((title) => title.includes("(guard "));
  assert.deepEqual(titles.sort(), stops.map((text) => `⛔ ${text}`).sort());
  return stops;
}

describe("the guards that only the whole change shows", () => {
  const renamed = [
    group("create", "new", undefined, { numbers: list(...numbers.slice(0, 3)), inboundAgents: A }),
    group("delete", "old", of(A, ...numbers)),
  ];

  it("maxRemove: a renamed group that keeps 3 of 40 numbers, without any setting", () => {
    const text =
      "37 of 40 numbers of old lose their agents, and the others go on under another name; limit 2 (guard maxRemove, AGP-024)";
    assert.deepEqual(exceeded({}, renamed), [text]);
    assert.deepEqual(exceeded({ "agent-platform:maxRemove": "37" }, renamed), []);
  });

  it("maxRemove: a group that is removed as a whole is what the gate on deletes is for", () => {
    assert.deepEqual(exceeded({}, renamed.slice(1)), []);
    // A number that never got anything of the group does not go on elsewhere.
    const unapplied = [{ numbers: list("+100"), reason: "rejected" }];
    const partly = group("delete", "old", { numbers: list(...numbers), inboundAgents: A, unapplied });
    assert.deepEqual(exceeded({}, [partly]), []);
  });

  const limited = { "agent-platform:maxRemove": "1" };
  const lose = (count: number, first: string) =>
    `${count} numbers lose their agents in this run (${first}); limit 1 (guard maxRemove, AGP-024)`;
  const lines = (...own: string[]) =>
    own.map((number) => single("delete", `line${number}`, { number, inboundAgents: A }));

  it("maxRemove: a group of 40 that is gone from the program", () => {
    const text = lose(40, "+100, +101, +102 and 37 more");
    assert.deepEqual(exceeded(limited, renamed.slice(1)), [text]);
    assert.deepEqual(exceeded({ "agent-platform:maxRemove": "40" }, renamed.slice(1)), []);
  });

  it("maxRemove: a list cut between two customers, so that two groups lose some each", () => {
    const cut = (name: string, all: readonly string[], to: number) =>
      group("replace", name, of(A, ...all), of(A, ...all.slice(0, to)));
    const text = lose(2, "+119, +139");
    const steps = [cut("first", numbers.slice(0, 20), 19), cut("second", numbers.slice(20), 19)];
    assert.deepEqual(exceeded(limited, steps), [text]);
    assert.deepEqual(exceeded(limited, steps.slice(1)), []);
    assert.deepEqual(exceeded({}, steps), []);
  });

  it("maxRemove: single numbers that go, and one that changes", () => {
    const text = lose(5, "+1, +2, +3 and 2 more");
    assert.deepEqual(exceeded(limited, lines("+1", "+2", "+3", "+4", "+5")), [text]);
    assert.deepEqual(exceeded(limited, lines("+1")), []);
    const changed = single("replace", "a", line("+7", A), line("+8", A));
    assert.deepEqual(exceeded(limited, [...lines("+1"), changed]), [lose(2, "+7, +1")]);
    assert.deepEqual(exceeded({}, lines("+1", "+2", "+3", "+4", "+5", "+6")), []);
  });

  it("maxRemove: counts neither what goes on elsewhere, nor what is retained, nor what has no agents", () => {
    const [first, ...others] = lines("+1", "+2", "+3");
    const kept = others.map((step) => ({ ...step, retainOnDelete: true as const }));
    const empty = single("delete", "empty", { number: "+4", inboundAgents: {} });
    const moved = [single("delete", "old", line("+5", A)), single("create", "new", undefined, line("+5", A))];
    const steps = [...(first ? [first] : []), ...kept, empty, ...moved];
    assert.deepEqual(exceeded(limited, steps), []);
  });

  it("maxShift: numbers that move between groups, and one that gets a new name together with a new split", () => {
    const config = { "agent-platform:maxShift": "25" };
    const moved = [
      group("replace", "old", of(A, "+1", "+2"), of(A, "+1")),
      group("update", "new", of(B, "+5"), of(B, "+2", "+5")),
    ];
    const text =
      "1 number goes from old to new: moves 100 percentage points of traffic; limit 25 (agent_a@1 100 % → none, agent_b@9 none → 100 %) (guard maxShift, AGP-021)";
    assert.deepEqual(exceeded(config, moved), [text]);
    assert.deepEqual(exceeded({}, moved), []);
    const step = { "agent_a@1": 80, "agent_b@9": 20 };
    const renames = (split: Record<string, number>) => [
      single("create", "after", undefined, line("+1", split)),
      single("delete", "before", line("+1", A)),
    ];
    assert.deepEqual(exceeded(config, renames(step)), []);
    assert.deepEqual(exceeded(config, renames(B)), [
      "1 number goes from before to after: moves 100 percentage points of traffic; limit 25 (agent_a@1 100 % → none, agent_b@9 none → 100 %) (guard maxShift, AGP-021)",
    ]);
  });

  it("maxShift: what `--replace` makes anew, which its provider judges as new", () => {
    const config = { "agent-platform:maxShift": "25" };
    const anew = (split: Record<string, number>) => [
      single("replace", "line", line("+1", A), line("+1", split)),
      group("replace", "fleet", of(A, "+2", "+3"), of(split, "+2", "+3")),
    ];
    assert.deepEqual(exceeded(config, anew(B)), [
      "1 number of line, made anew: moves 100 percentage points of traffic; limit 25 (agent_a@1 100 % → none, agent_b@9 none → 100 %) (guard maxShift, AGP-021)",
      "2 numbers of fleet, made anew: moves 100 percentage points of traffic; limit 25 (agent_a@1 100 % → none, agent_b@9 none → 100 %) (guard maxShift, AGP-021)",
    ]);
    assert.deepEqual(exceeded(config, anew({ "agent_a@1": 80, "agent_b@9": 20 })), []);
    const other = single("replace", "line", line("+1", A), line("+9", B));
    assert.deepEqual(exceeded(config, [other]), []);
  });

  describe("a rollout that gets a new name together with a new percentage", () => {
    const front = (percent: number) => ({
      rollout: { name: "front", stable: "agent_a@1", candidate: "agent_b@9", percent },
      inboundAgents: Object.fromEntries(
        Object.entries({ "agent_a@1": 100 - percent, "agent_b@9": percent }).filter(([, part]) => part > 0),
      ),
    });
    const ways: [string, (from: object, to: object) => SyntheticStep[], string][] = [
      [
        "renamed without an alias",
        (from, to) => [
          single("create", "new", undefined, { number: "+1", ...to }),
          single("delete", "old", { number: "+1", ...from }),
        ],
        "1 number goes from old to new",
      ],
      [
        "a single number that moves into a group",
        (from, to) => [
          group("update", "all", { numbers: list("+5"), ...to }, { numbers: list("+1", "+5"), ...to }),
          single("delete", "one", { number: "+1", ...from }),
        ],
        "1 number goes from one to all",
      ],
      [
        "made anew by `--replace`",
        (from, to) => [single("replace", "one", { number: "+1", ...from }, { number: "+1", ...to })],
        "1 number of one, made anew",
      ],
    ];
    const steps = { "agent-platform:steps": "[1, 10, 50, 100]" };
    const maxShift = { "agent-platform:maxShift": "25" };
    const skips =
      "WHO: rollout.percent: from 1 % to 100 % skips 10 %, 50 %. Promote one step at a time (guard steps, AGP-027)";
    const shifts =
      "WHO: moves 99 percentage points of traffic; limit 25 (agent_a@1 99 % → none, agent_b@9 1 % → 100 %) (guard maxShift, AGP-021)";
    const settings: [string, object, string[]][] = [
      ["steps", steps, [skips]],
      ["maxShift", maxShift, [shifts]],
      ["both", { ...steps, ...maxShift }, [skips]],
      ["neither", {}, []],
    ];
    for (const [way, change, who] of ways) {
      for (const [name, config, expected] of settings) {
        it(`is judged by the report: ${way}, under ${name}`, () => {
          const texts = expected.map((text) => text.replace("WHO", who));
          assert.deepEqual(exceeded(config, change(front(1), front(100))), texts);
          assert.deepEqual(exceeded(config, change(front(1), front(10))), []);
          assert.deepEqual(exceeded(config, change(front(50), front(0))), []);
        });
      }
      it(`is stopped by a gate on its size, unless it is a step: ${way}`, () => {
        const blocked = (percent: number) =>
          blockingGates(readGates("shift=25"), reportOf(change(front(1), front(percent)), { config: steps })).map(
            ({ gate }) => gateText(gate),
          );
        assert.deepEqual(blocked(100), ["shift>25", "guard"]);
        assert.deepEqual(blocked(10), []);
      });
    }

    it("is judged if it names an agent as stable that had no calls", () => {
      const typo = {
        ...front(0),
        rollout: { name: "front", stable: "agent_typo@1", candidate: "agent_a@1", percent: 100 },
      };
      const [[, change]] = ways as [(typeof ways)[number]];
      assert.deepEqual(exceeded(steps, change(front(0), typo)), [
        "1 number goes from old to new: rollout.candidate: agent_a@1 has all calls. Name it as stable, or abort it, before another one starts (guard steps, AGP-027)",
      ]);
      assert.deepEqual(exceeded(maxShift, change(front(0), typo)), [
        "1 number goes from old to new: rollout.stable: an abort would move 100 percentage points of traffic; limit 25 (agent_a@1 100 % → none, agent_typo@1 none → 100 %) (guard maxShift, AGP-021)",
      ]);
    });
  });

  it("stand first in the headline, with what happens before the name of the guard", async () => {
    const steps = [
      group("update", "new", of(B, "+5"), of(B, "+1", "+5")),
      group("replace", "old", of(A, "+1", "+2"), of(A, "+2")),
    ];
    const config = { "agent-platform:maxShift": "25" };
    const { code, stdout } = await run([], previewOf(steps, { config }));
    const [headline = ""] = stdout.split("\n").filter((text) => text.startsWith("### "));
    const first = "### `dev`: ⛔ 1 number goes from `old` to `new`: moves 100 percentage points of traffic; limit 25 (";
    assert.deepEqual([code, headline.slice(0, first.length)], [1, first]);
  });

  it("bypassed for the run, they are said and stop nothing", () => {
    const bypass = { severity: "warning", message: "AGP-068 AGENT_PLATFORM_BYPASS (incident) bypassed 1 guard" };
    const model = reportOf(renamed, { diagnostics: [bypass] });
    assert.equal(model.cards.filter(({ title }) => plain(title).includes("(guard ")).length, 1);
    assert.deepEqual(blockingGates([], model), []);
  });
});

describe("the report of agents that are not approved", () => {
  const filed = { "agent-platform:approvedAgents": "agents.yaml", "agent-platform:maxUnapproved": "10" };
  const content = "# the voice team\n- agent_front@12\n- agent_front@14\n- agent_out@9\n";
  const passes = "It passes, because agents that are not approved may get up to 10 % of the calls (maxUnapproved).";

  function unapproved(steps: readonly SyntheticStep[], config: object = filed, diagnostics: readonly object[] = []) {
    const preview = readPreview(previewOf(steps, { config, diagnostics }));
    const report = buildReport(preview, (name) => (name === "agents.yaml" ? content : undefined));
    const own = report.cards.filter(({ family }) => family === "unapproved");
    return own.map(({ title, notes = [] }) => [plain(title), ...notes.map(plain)]);
  }

  it("names a typing mistake at 1 %, and asks for the agent that was meant", () => {
    const before = of({ "agent_front@12": 100 }, "+1", "+2");
    const typo = of({ "agent_front@12": 99, "agent_frnot@14": 1 }, "+1", "+2");
    const title =
      "⚠ agent_frnot@14 is not in agents.yaml and gets 1 % of the calls of 2 numbers: did you mean agent_front@14?";
    assert.deepEqual(unapproved([group("update", "front", before, typo)]), [[title, passes]]);
  });

  it("is told once of an agent, over all resources, for new numbers alone", () => {
    const night = (percent: number) => ({ "agent_front@12": 100 - percent, "agent_night@2": percent });
    const steps = [
      single("create", "one", undefined, line("+1", night(5))),
      group("update", "front", of(night(10), "+2"), of(night(10), "+2", "+3")),
      group("update", "less", of(night(9), "+4"), of(night(5), "+4")),
    ];
    const title = "⚠ agent_night@2 is not in agents.yaml and gets up to 10 % of the calls of 2 numbers";
    assert.deepEqual(unapproved(steps), [[title, passes]]);
  });

  it("names the setting if the list is there, and a bypass", () => {
    const listed = { "agent-platform:approvedAgents": '["agent_front@12"]' };
    const diagnostics = [{ severity: "warning", message: "warning: AGP-068 bypassed" }];
    assert.deepEqual(unapproved([group("create", "front", undefined, of(A, "+1"))], listed, diagnostics), [
      [
        "⚠ agent_a@1 is not in approvedAgents and gets 100 % of the calls of 1 number",
        "It passes, because the guards are bypassed for this run.",
      ],
    ]);
  });

  it("is about the list in the program's folder, which the provider reads; a list that cannot be read is named", async () => {
    const root = mkdtempSync(join(tmpdir(), "agent-platform-approved-"));
    try {
      const steps = [single("update", "line", line("+1", A), line("+1", { "agent_a@1": 99, "agent_typo@14": 1 }))];
      const stdin = previewOf(steps, { config: filed });
      const said = async () =>
        (await run([], stdin, root)).stdout.split("\n").filter((text) => /^###|^Guards/.test(text));
      mkdirSync(join(root, "src"));
      writeFileSync(join(root, "Pulumi.yaml"), "name: phones\nruntime: nodejs\nmain: src/\n");
      writeFileSync(join(root, "agents.yaml"), "- agent_typo@14\n");
      assert.deepEqual(await said(), [
        "### `dev`: Traffic on `+1` (`line`): `agent_typo@14` none → 1 %, `agent_a@1` 100 % → 99 %",
        "Guards: `agents.yaml` cannot be read here, so agents are not compared with it.<br>",
      ]);
      writeFileSync(join(root, "src/agents.yaml"), "- agent_a@1\n");
      assert.match((await said())[0] ?? "", /^### `dev`: ⚠ `agent_typo@14` is not in `agents\.yaml`/);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
