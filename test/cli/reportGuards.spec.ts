import assert from "node:assert/strict";
import { readPreview } from "../../cli/pulumi/preview";
import { blockingGates, gateText, readGates } from "../../cli/report/gates";
import { buildModel } from "../../cli/report/model";
import { plain } from "../../cli/report/text";
import { A, B, group, line, list, modelOf, of, single } from "./reportSteps";
import { run } from "./reportSupport";
import { previewOf, type SyntheticStep } from "./reportSynthetic";

/** What no resource shows by itself: numbers under a new name, which no guard of the provider can judge. */

const numbers = Array.from({ length: 40 }, (_, index) => `+${100 + index}`);

/** The guards that the whole change exceeds: a card for each, which blocks. */
function exceeded(config: object, steps: Parameters<typeof modelOf>[0]): string[] {
  const model = modelOf(steps, { config });
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
    // Without the setting nothing blocks, and the card says so.
    const notes = modelOf(renamed.slice(1), { config: { "agent-platform:baseUrl": "x" } }).cards.flatMap((one) =>
      one.notes.map(plain),
    );
    const open =
      "⚠ No guard limits this, because agent-platform:maxRemove is not set: without it a group may go as a whole.";
    assert.ok(notes.includes(open), notes.join("\n"));
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

  it("maxRemove: counts neither what goes on elsewhere, nor what is retained, nor what has no agents, nor what joined last", () => {
    const [first, ...others] = lines("+1", "+2", "+3");
    const kept = others.map((step) => ({ ...step, retainOnDelete: true as const }));
    const empty = single("delete", "empty", { number: "+4", inboundAgents: {} });
    const moved = [single("delete", "old", line("+5", A)), single("create", "new", undefined, line("+5", A))];
    const back = group(
      "replace",
      "fleet",
      { numbers: list("+6", "+7", "+8"), inboundAgents: A, previous: { joined: list("+7", "+8") } },
      of(A, "+6"),
    );
    const steps = [...(first ? [first] : []), ...kept, empty, ...moved, back];
    assert.deepEqual(exceeded(limited, steps), []);
  });

  it("maxRemove: a destroy is meant to take everything", () => {
    const { steps, ...preview } = JSON.parse(previewOf(renamed.slice(1), { config: limited }));
    const urn = "urn:pulumi:dev::test::pulumi:pulumi:Stack::test-dev";
    const stack = { op: "delete", urn, oldState: { type: "pulumi:pulumi:Stack", inputs: {} } };
    const model = buildModel(readPreview(JSON.stringify({ ...preview, steps: [...steps, stack] })), undefined);
    assert.deepEqual(blockingGates([], model), []);
    assert.ok(!JSON.stringify(model).includes("maxRemove"));
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
      rollout: { stable: "agent_a@1", candidate: "agent_b@9", percent },
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
          blockingGates(readGates("shift=25"), modelOf(change(front(1), front(percent)), { config: steps })).map(
            ({ gate }) => gateText(gate),
          );
        assert.deepEqual(blocked(100), ["shift>25", "guard"]);
        assert.deepEqual(blocked(10), []);
      });
    }

    it("is judged if it names an agent as stable that had no calls", () => {
      const typo = { ...front(0), rollout: { stable: "agent_typo@1", candidate: "agent_a@1", percent: 100 } };
      const [[, change]] = ways as [(typeof ways)[number]];
      assert.deepEqual(exceeded(steps, change(front(0), typo)), [
        "1 number goes from old to new: rollout.stable: agent_typo@1 has not had all calls, and an abort would give them to it at once. Start it as the candidate, one step at a time (guard steps, AGP-027)",
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
    const first = "### ⛔ `dev`: 1 number goes from `old` to `new`: moves 100 percentage points of traffic; limit 25 (";
    assert.deepEqual([code, headline.slice(0, first.length)], [1, first]);
  });

  it("bypassed for the run, they are said and stop nothing", () => {
    const bypass = { severity: "warning", message: "AGP-068 AGENT_PLATFORM_BYPASS (incident) bypassed 1 guard" };
    const model = modelOf(renamed, { diagnostics: [bypass] });
    assert.equal(model.cards.filter(({ title }) => plain(title).includes("(guard ")).length, 1);
    assert.deepEqual(blockingGates([], model), []);
  });
});

describe("the headline of several removals", () => {
  it("is true of numbers that get a fallback as well", () => {
    const gone = line("+1", A);
    const falls = { number: "+2", inboundAgents: A, onDelete: { inboundAgents: B } };
    const { headline } = modelOf([single("delete", "one", gone), single("delete", "two", falls)]);
    assert.equal(plain(headline), "⚠ 2 numbers lose their current agents");
  });
});

describe("what the report says of approved agents", () => {
  const lineOf = (config: object, split: object, before: object = A, isChecked = true) => {
    const inputs = { number: "+1", inboundAgents: split, ...(isChecked ? {} : { endpoint: undefined }) };
    const steps = [single("update", "one", { number: "+1", inboundAgents: before }, inputs)];
    const notes = modelOf(steps, { config }).cards.flatMap((card) => card.notes);
    return notes.map(plain).find((note) => note.startsWith("Guards: "));
  };
  const listed = { "agent-platform:approvedAgents": '["agent_a@1"]', "agent-platform:maxUnapproved": "30" };
  const filed = { "agent-platform:approvedAgents": "agents.yaml" };

  it("an agent below the limit is not called approved", () => {
    assert.equal(
      lineOf(listed, { "agent_a@1": 70, "agent_b@9": 20, agent_c: 10 }),
      "Guards: ⚠ unapproved agents get 30 %, limit 30",
    );
    assert.equal(lineOf(listed, A, B), "Guards: agents approved ok");
    // Over the limit, but on its way back.
    const strict = { ...listed, "agent-platform:maxUnapproved": "0" };
    assert.equal(
      lineOf(strict, { "agent_a@1": 40, "agent_b@9": 60 }, B),
      "Guards: no unapproved agent gets more than now ok",
    );
    assert.equal(
      lineOf(strict, { "agent_a@1": 40, agent_c: 60 }, B),
      "Guards: ⚠ unapproved agents get 60 %, limit 0 exceeded",
    );
  });

  it("a sum that is right is not told", () => {
    assert.equal(lineOf({ "agent-platform:weightTotal": "100" }, A, B), undefined);
    assert.equal(lineOf({}, A, B), "Guards: none configured for this split.");
  });

  it("a file that cannot be read here is named, and is not called ok", () => {
    const text = "Guards: approvedAgents not compared here, because agents.yaml cannot be read";
    assert.equal(lineOf(filed, B), text);
    assert.equal(lineOf(filed, B, A, false), text);
  });
});
