import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import * as z from "zod";
import { validate, wholeOrUnknown, withVisibility } from "../../provider/base/arguments";
import { MISSING, NOT_JSON, UNKNOWN } from "../../provider/base/engine";
import { canonicalNumbers, membersOf, numbersText } from "../../provider/routing/group";
import { numbers } from "../../provider/routing/numbers";
import { assertRefused } from "../support/failures";

const validated = (value: unknown) =>
  validate(z.object({ numbers: withVisibility("public", wholeOrUnknown(numbers)) }), { numbers: value });

function read(value: unknown) {
  const { value: inputs, problems } = validated(value);
  assert.deepEqual(problems, []);
  return inputs?.numbers;
}

/** Returns each problem as its path within `numbers`, followed by the rule that was broken. */
const problemsOf = (value: unknown): string[] =>
  validated(value).problems.map(({ path, rule }) => `${path.slice("numbers".length)} ${rule}`);

describe("a group's numbers", () => {
  it("saves numbers as sorted lines with tab-separated labels", () => {
    assert.equal(read(["+15551230002", "4001", "+15551230001"]), "+15551230001\n+15551230002\n4001\n");
    assert.equal(
      read({ "+442079460100": "London sales", "+15551230001": "", "4001": "desk  one" }),
      "+15551230001\n+442079460100\tLondon sales\n4001\tdesk  one\n",
    );
  });

  it("saves numbers in the same order regardless of the program's order", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^\+1555[0-9]{7}$/), { minLength: 1, maxLength: 20 }), (list) => {
        assert.equal(read([...list].reverse()), read(list));
      }),
      { verbose: true },
    );
  });

  it("reads saved numbers back with their labels", () => {
    const plain = fc
      .string({ minLength: 1, maxLength: 20 })
      .filter((text) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text));
    const label = fc.option(plain, { nil: "" });
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(plain, label), { selector: ([number]) => number }), (entries) => {
        const labels = new Map(entries);
        assert.deepEqual(new Map(membersOf({ numbers: numbersText(labels) })), labels);
        assert.deepEqual([...membersOf({ numbers: numbersText(labels) }).keys()], [...labels.keys()].sort());
      }),
      { verbose: true },
    );
  });

  it("accepts numbers as the saved string that ignoreChanges restores", () => {
    const text = "+15551230001\tsales\n+15551230002\n";
    assert.equal(read(text), text);
  });

  it("accepts 10,000 numbers", () => {
    const manyNumbers = Array.from({ length: 10_000 }, (_, index) => `${index}`);
    assert.equal(read(manyNumbers), `${manyNumbers.sort().join("\n")}\n`);
  });

  it("treats numbers as unknown if any number or label is unknown", () => {
    for (const unknown of [["+15551230001", UNKNOWN], { "+15551230001": UNKNOWN }, UNKNOWN]) {
      assert.equal(read(unknown), UNKNOWN);
    }
  });

  it("rejects numbers with leading or trailing spaces", () => {
    const invalid = [" +15551234567", "+15551234567 ", "+15551234567#12 ", "4001 ", "\u00a04001", "\u3000", " "];
    assertRefused(
      problemsOf(["+15551234567", "front desk", ...invalid]),
      invalid.map((number, index) => `[${index + 2}] ("${number}")`),
    );
    assertRefused(problemsOf({ " 4001": "desk" }), ['[" 4001"] ("desk")']);
  });

  it("accepts labels in non-Latin scripts", () => {
    const value = { "4001": "\u0645\u06cc\u200c\u062e" };
    assert.deepEqual(
      [canonicalNumbers(value), read(value)],
      ["4001\t\u0645\u06cc\u200c\u062e\n", "4001\t\u0645\u06cc\u200c\u062e\n"],
    );
    assertRefused(problemsOf({ "4001": "\u202elabel" }), ['["4001"] ("\\u{202e}label")']);
    assertRefused(problemsOf({ "4001": " \u200d" }), ['["4001"] (" \\u{200d}")']);
  });

  it("normalizes a valid list of numbers and leaves an invalid one unchanged", () => {
    assert.equal(canonicalNumbers(["4002", "4001"]), "4001\n4002\n");
    assert.equal(canonicalNumbers({ "4001": "desk" }), "4001\tdesk\n");
    for (const value of [["4001", "4001"], [], ["+1"], { "4001": MISSING }, { "4001": "two\nlines" }, undefined]) {
      assert.equal(canonicalNumbers(value), value);
    }
  });

  const notJson: readonly { name: string; value: unknown; path: string }[] = [
    { name: "in place of a number", value: [NOT_JSON], path: "[0]" },
    { name: "in place of a label", value: { "4001": NOT_JSON }, path: '["4001"]' },
  ];
  for (const { name, value, path } of notJson) {
    it(`rejects a Date or function ${name}`, () => {
      assert.equal(canonicalNumbers(value), value);
      const [problem = "", ...others] = problemsOf(value);
      assert.deepEqual([problem.split(" ")[0], others], [path, []]);
      assert.ok(!problem.includes(NOT_JSON), problem);
    });
  }

  const refused: readonly { readonly name: string; readonly value: unknown; readonly problems: readonly string[] }[] = [
    {
      name: "a single number in place of a list",
      value: "+15551230001",
      problems: [' ("+15551230001")'],
    },
    { name: "an empty list", value: [], problems: [""] },
    {
      name: "list entries that are not numbers",
      value: ["+5", "+15551230001", "..", "", "+1555 123"],
      problems: [`[0] ("+5")`, '[2] ("..")', "[3]", `[4] ("+1555 123")`],
    },
    {
      name: "a duplicate number",
      value: ["4001", "4002", "4001"],
      problems: ['[2] ("4001")'],
    },
    {
      name: "map keys that are not numbers",
      value: { "4001": "", "+1x": "London", "+2x": "" },
      problems: [`["+1x"] ("London")`, `["+2x"]`],
    },
    {
      name: "multi-line and non-string labels",
      value: { "4001": "two\nlines", "4002": 7 },
      problems: ['["4001"] ("two\\nlines")', '["4002"] (7)'],
    },
    {
      name: "a number that lost its + and a boolean label, as in unquoted YAML",
      value: { "15551234567": "London", "4001": true },
      problems: ['["15551234567"] ("London")', '["4001"] (true)'],
    },
    {
      name: "a list with 1,000 mistakes but reports only the first ten",
      value: Array.from({ length: 1000 }, () => "+"),
      problems: [...Array.from({ length: 10 }, (_, index) => `[${index}] ("+")`), ""],
    },
    {
      name: "more than 10,000 numbers",
      value: Array.from({ length: 10_001 }, (_, index) => `${index}`),
      problems: [""],
    },
  ];
  for (const { name, value, problems } of refused) {
    it(`rejects ${name}`, () => assertRefused(problemsOf(value), problems));
  }
});
