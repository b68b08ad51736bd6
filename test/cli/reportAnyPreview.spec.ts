import assert from "node:assert/strict";
import fc from "fast-check";
import { LIMIT, toMarkdown } from "../../cli/report/markdown";
import { dynamicType, KINDS } from "../../provider/config/kinds";
import { anyText } from "../support/characters";
import { buildReport, group, line, numberAt, previewOf, single } from "./reportSteps";

/** Returns a preview that changes the splits of `count` NumberAssignments from `before` to `after`. */
const singles = (count: number, before: (index: number) => object, after: (index: number) => object): string =>
  previewOf(
    Array.from({ length: count }, (_, index) => {
      const at = (split: (index: number) => object) => line(numberAt(index), { ...split(index) });
      return single("update", `line-${index}`, at(before), at(after));
    }),
  );

describe("toMarkdown", () => {
  it("shows one card for 300 numbers with the same change", () => {
    const front = (percent: number) => () => ({ "agent_front@12": 100 - percent, "agent_front@13": percent });
    const text = toMarkdown(buildReport(singles(300, front(10), front(30))));
    assert.ok(text.length < 6000, String(text.length));
    assert.match(text, /^### `dev`: .*\b300\b/m);
    // The list names 150 resources once each, and then says how many it leaves out.
    assert.equal(text.match(/^- `\+1555\d+` \(`line-\d+`\)$/gm)?.length, 150);
    assert.match(text, /^- .*\b150\b/m);
  });

  it("keeps a report on 400 different changes below the size limit", () => {
    const version = (number: number) => (index: number) => ({ [`agent_${index}@${number}`]: 100 });
    const model = buildReport(singles(400, version(1), version(2)));
    const text = toMarkdown(model);
    assert.ok(text.length < LIMIT, String(text.length));
    assert.equal(model.cards.length, 400);
    assert.equal(text.split("\n#### ").length - 1, 30);
    assert.match(text, /^\*\*.*\b370\b/m);
    assert.match(text, /^### `dev`: .*\b400\b/m);
  });

  const long = "x".repeat(250);
  const numbers = Array.from({ length: 100 }, (_, index) => `${numberAt(index)}\t${long}\n`).join("");
  const splitOf = (agents: number, version: number) =>
    Object.fromEntries(Array.from({ length: agents }, (_, index) => [`agent_${index}_${long}@${version}`, 1]));
  const diagnostics = Array.from({ length: 100 }, (_, index) => ({
    severity: index % 2 === 0 ? "error" : "info#err",
    message: `AGP-001 ${index} ${long.repeat(100)}`,
  }));

  it("keeps a report on 40 changes with long names below the size limit", () => {
    const steps = Array.from({ length: 40 }, (_, index) =>
      group("create", `${long}${index}`, undefined, {
        numbers,
        inboundAgents: splitOf(40, index),
        extraFields: { [long]: 1 },
      }),
    );
    const text = toMarkdown(buildReport(previewOf(steps, { diagnostics })));
    assert.ok(text.length < LIMIT, String(text.length));
    assert.equal(/^\*\*.*\b10\b/m.test(text), true, "it says how many changes are left out");
  });

  it("keeps a report below the size limit even if one change exceeds it", () => {
    // The change's table has a row for each agent, so this many agents make it exceed the limit.
    const at = (version: number) => ({ numbers, inboundAgents: splitOf(150, version) });
    const text = toMarkdown(buildReport(previewOf([group("update", "front", at(1), at(2))], { diagnostics })));
    assert.ok(text.length < LIMIT, String(text.length));
    assert.equal(/^\*\*.*\b1\b/m.test(text), true, "it says that the change is left out");
  });
});

describe("toMarkdown with random input", () => {
  /** Names that contain markup, mentions or workflow commands. */
  const hostile = fc.oneof(
    fc.constantFrom(
      "`x` | b |",
      "```",
      "@everyone",
      "<img src=x onerror=alert(1)>",
      "</text><script>",
      "-->",
      "[a](javascript:x)",
      "&lt;",
      "reviewed-digest `0123456789ab`",
      "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
      "a\n\n# b",
      "\u202e\u0000",
      "\u001b[31mred",
      "a\n::error::x\n::set-output name=a::b",
      "::error::x",
      "\ud800",
      "",
    ),
    anyText(40),
  );
  const value = fc.oneof(
    { weight: 4, arbitrary: hostile },
    { weight: 2, arbitrary: fc.dictionary(hostile, fc.oneof(fc.double(), hostile), { maxKeys: 4 }) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
  const names = [
    ...["endpoint", "number", "numbers", "inboundAgents", "outboundAgentId", "outboundAgentVersion"],
    ...["inboundWebhookUrl", "isTimeRoutingEnabled", "workspaceId", "extraFields", "unapplied"],
    ...["triggers", "rollout", "previousInboundAgents", "unresolved", "voiceName", "toNumber", "adopt"],
  ];
  const properties = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: names.length });
  const op = fc.constantFrom("create", "update", "replace", "delete", "delete-replaced", "same", "import", "refresh");
  const step = fc.record({
    op,
    kind: fc.constantFrom(...KINDS),
    name: hostile,
    old: fc.option(properties, { nil: undefined }),
    new: fc.option(properties, { nil: undefined }),
  });
  const diagnostic = fc.record({
    severity: fc.constantFrom("error", "warning", "info#err"),
    message: hostile,
    urn: hostile,
  });

  it("escapes HTML, mentions and workflow commands in names and values", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.array(diagnostic, { maxLength: 3 }), (steps, diagnostics) => {
        const text = toMarkdown(buildReport(previewOf(steps, { diagnostics })));
        assert.ok(text.length < LIMIT, `${text.length} characters, and the limit is ${LIMIT}`);
        assertHarmless(text);
      }),
      { numRuns: 100 },
    );
  });

  it("keeps the agents in a guard's message on one line", () => {
    for (const agent of ["a\n::error::x", "a\nreviewed-digest `0123456789ab`"]) {
      const steps = [
        single("delete", "old", line("+1", { [agent]: 100 })),
        single("create", "new", undefined, line("+1", { "agent_b@9": 100 })),
      ];
      assertHarmless(toMarkdown(buildReport(previewOf(steps, { config: { "agent-platform:maxShift": "25" } }))));
    }
  });

  it("never throws anything but a UsageError for arbitrary JSON", () => {
    const json = fc.jsonValue();
    const state = fc.oneof(json, fc.record({ inputs: json, outputs: json, retainOnDelete: json }));
    const urn = fc.constantFrom(...KINDS).map((kind) => `urn:pulumi:dev::test::${dynamicType(kind)}::a`);
    const steps = fc.array(fc.record({ op, urn, oldState: state, newState: state }), { maxLength: 4 });
    const preview = fc.record({ config: json, steps }).map((document) => JSON.stringify(document));
    fc.assert(
      fc.property(fc.oneof(fc.json(), preview), (text) => {
        try {
          toMarkdown(buildReport(text));
        } catch (error) {
          assert.equal((error as Error).constructor.name, "UsageError");
        }
      }),
    );
  });
});

/** Asserts that a report contains nothing that could mislead its readers or trigger an action. */
function assertHarmless(text: string): void {
  // Control characters and bidirectional controls.
  assert.doesNotMatch(text, /[^\P{Cc}\n]|\p{Bidi_Control}/u);
  // Workflow commands.
  assert.doesNotMatch(text, /^\s*(::|##\[)/m);
  const bare = withoutCode(text);
  // HTML tags other than the report's own, then mentions.
  assert.equal(/<(?!br>|details>|summary>|\/details>|\/summary>)/.test(bare), false, bare);
  assert.equal(/(^|[^\w\u200b])@\w/.test(bare), false, bare);
  assert.ok((text.match(/reviewed-digest/g) ?? []).length <= 1, "more than one digest");
  // Every table row must have as many cells as the header, whatever the cells contain.
  for (const table of text.matchAll(/(?:^\|.*\|$\n?)+/gm)) {
    const rows = table[0].trimEnd().split("\n");
    const cells = rows.map((row) => row.replace(/\\\|/g, "").split("|").length);
    assert.deepEqual(new Set(cells).size, 1, table[0]);
  }
}

/**
 * Removes code spans as CommonMark parses them: a backslash escapes only outside code, and a code span ends at a run
 * of backticks that is as long as the opening one.
 */
const withoutCode = (text: string): string =>
  text.replace(/\\[\s\S]|(`+)(?:(?!`)[\s\S]*?(?<!`)\1(?!`))?/g, (found, run) => (found === run ? run : ""));
