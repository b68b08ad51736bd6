import assert from "node:assert/strict";
import fc from "fast-check";
import { readPreview } from "../../cli/pulumi/preview";
import { LIMIT, toMarkdown } from "../../cli/report/markdown";
import { buildReport } from "../../cli/report/report";
import { KINDS } from "../../provider/core/platform/kinds";
import { numberAt, previewOf, singles } from "./reportSynthetic";

const BEFORE = { "agent_front@12": 90, "agent_front@13": 10 };
const AFTER = { "agent_front@12": 70, "agent_front@13": 30 };

const modelOf = (preview: string) => buildReport(readPreview(preview));

describe("the size of a report", () => {
  it("is one card for 10,000 single numbers with the same change", () => {
    const preview = singles(
      10_000,
      () => BEFORE,
      () => AFTER,
    );
    const text = toMarkdown(modelOf(preview));
    assert.ok(text.length < 6000);
    assert.ok(text.includes("### `dev`: Traffic on 10,000 numbers: `agent_front@13` 10 % → 30 %\n"));
    assert.ok(text.includes("- … and 9,850 more, not listed\n"));
  });

  it("stays below the limit for 2,000 different changes, and says what it leaves out", () => {
    const preview = singles(
      2000,
      (index) => ({ [`agent_${index}@1`]: 100 }),
      (index) => ({ [`agent_${index}@2`]: 100 }),
    );
    const model = modelOf(preview);
    const text = toMarkdown(model);
    assert.ok(text.length < LIMIT, String(text.length));
    assert.equal(model.cards.length, 2000);
    const shown = text.split("\n#### ").length - 1;
    assert.equal(shown, 100);
    assert.match(text, /\*\*Left out\*\*, because a comment holds 65,000 characters: 1,900 changes\. /);
    assert.ok(text.includes("### `dev`: ⚠ All calls of 2,000 numbers at once, in 2,000 different ways\n"));
  });

  it("stays below the limit for a single change that is larger than a comment", () => {
    const long = "x".repeat(250);
    const split = (offset: number) =>
      Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`agent_${long}${index + offset}`, 1]));
    const numbers = Array.from({ length: 500 }, (_, index) => `${numberAt(index)}\t${long}\n`).join("");
    const preview = previewOf(
      Array.from({ length: 40 }, (_, index) => ({
        op: "create",
        kind: "NumberGroup" as const,
        name: `${long}${index}`,
        new: { endpoint: "e", numbers, inboundAgents: split(index), extraFields: { [long]: 1 } },
      })),
      {
        diagnostics: Array.from({ length: 500 }, (_, index) => ({
          severity: index % 2 === 0 ? "error" : "info#err",
          message: `AGP-001 ${index} ${long.repeat(100)}`,
        })),
      },
    );
    const text = toMarkdown(modelOf(preview));
    assert.ok(text.length < LIMIT, String(text.length));
    assert.ok(text.includes("**Left out**"));
  });
});

describe("any preview", () => {
  /** Names that would be markup, mentions or tags. */
  const hostile = fc.oneof(
    fc.constantFrom(
      "| a | b |",
      "`x`",
      "```",
      "@everyone",
      "<img src=x onerror=alert(1)>",
      "</text><script>",
      "-->",
      "[a](javascript:x)",
      "\\|",
      "&lt;",
      "reviewed-digest `0123456789ab`",
      "[secret]",
      "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
      "output<string>",
      "a\n\n# b",
      "\u202e\u0000",
      "\ud800",
      "",
    ),
    fc.string({ unit: "binary", maxLength: 40 }),
  );
  const value = fc.oneof(
    { weight: 4, arbitrary: hostile },
    { weight: 2, arbitrary: fc.dictionary(hostile, fc.oneof(fc.double(), hostile), { maxKeys: 4 }) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
  const Names = [
    ...["endpoint", "number", "numbers", "inboundAgents", "outboundAgentId", "outboundAgentVersion"],
    ...["inboundWebhookUrl", "isTimeRoutingEnabled", "workspaceId", "extraFields", "unapplied"],
    ...["onDelete", "triggers", "previousInboundAgents", "unresolved", "voiceName", "toNumber", "adopt", "maxShift"],
  ];
  const properties = fc.dictionary(fc.constantFrom(...Names), value, { maxKeys: Names.length });
  const step = fc.record({
    op: fc.constantFrom("create", "update", "replace", "delete", "delete-replaced", "same", "import", "refresh"),
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

  it("is drawn, below the limit and without markup of others", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.array(diagnostic, { maxLength: 3 }), (steps, diagnostics) => {
        const model = modelOf(previewOf(steps, { diagnostics }));
        const text = toMarkdown(model);
        assert.ok(text.length < LIMIT);
        assertHarmless(text);
      }),
      { numRuns: 300 },
    );
  });

  it("that is any JSON is read or refused with a sentence", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        try {
          toMarkdown(modelOf(text));
        } catch (error) {
          assert.equal((error as Error).constructor.name, "UsageError");
        }
      }),
    );
  });
});

/** Outside of code there are no tags but ours, no mention and no second digest. */
function assertHarmless(text: string): void {
  const [marker = "", ...rest] = text.split("\n");
  assert.match(marker, /^<!-- agent-platform-report [\w./-]* -->$/);
  const bare = withoutCode(rest.join("\n"));
  assert.equal(/<(?!br>|details>|summary>|\/details>|\/summary>)/.test(bare), false, bare);
  assert.equal(/(^|[^\w\u200b])@\w/.test(bare), false, bare);
  assert.ok((text.match(/reviewed-digest/g) ?? []).length <= 1);
  // A row of a table has as many cells as its head, whatever they hold.
  for (const table of text.matchAll(/(?:^\|.*\|$\n?)+/gm)) {
    const rows = table[0].trimEnd().split("\n");
    const cells = rows.map((row) => row.replace(/\\\|/g, "").split("|").length);
    assert.deepEqual(new Set(cells).size, 1, table[0]);
  }
}

/** As CommonMark reads it: a backslash escapes outside of code alone, and a run of backticks ends at the next one as long. */
function withoutCode(text: string): string {
  let bare = "";
  for (let at = 0; at < text.length; ) {
    const [run = ""] = /^`*/.exec(text.slice(at)) ?? [];
    const end = run === "" ? -1 : endOf(text, at + run.length, run.length);
    if (text[at] === "\\") {
      at += 2;
    } else if (end >= 0) {
      at = end;
    } else {
      bare += text[at];
      at += 1;
    }
  }
  return bare;
}

function endOf(text: string, from: number, length: number): number {
  for (const match of text.slice(from).matchAll(/`+/g)) {
    if (match[0].length === length) {
      return from + match.index + length;
    }
  }
  return -1;
}
