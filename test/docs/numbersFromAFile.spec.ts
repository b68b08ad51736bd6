import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, it } from "mocha";
import { inJavaScript } from "../support/transpiled";
import { blocksOf } from "./blocks";

/** The program of the page that reads a file, run on files as spreadsheets and people leave them. */
describe("docs/guides/many-numbers.md: its program that reads a file", () => {
  const [csv = ""] = blocksOf("docs/guides/many-numbers.md")
    .filter(({ flags, text }) => flags.includes("program") && text.includes("readFileSync"))
    .map(({ text }) => inJavaScript(text));
  const find = createRequire(__filename);

  /** What a program declares for a file: each number with its label, or the error that it ends with. */
  function declared(program: string, file: string): unknown {
    let numbers: unknown;
    const modules: Readonly<Record<string, unknown>> = {
      "node:fs": { readFileSync: () => file },
      "pulumi-agent-platform": {
        NumberGroup: function newGroup(_: string, args: { numbers: unknown }) {
          numbers = args.numbers;
        },
        split: (weights: unknown) => weights,
      },
    };
    try {
      new Function("require", "exports", program)((name: string) => modules[name] ?? find(name), {});
      return numbers;
    } catch (error) {
      return error instanceof Error ? error.message.split("\n")[0] : error;
    }
  }

  const both = { "+442079460101": "Desk 1", "+442079460102": "Desk 2" };
  const [one, two] = ["+442079460101,Desk 1", "+442079460102,Desk 2"];
  const file = (...rows: string[]) => ["number,label", ...rows, ""].join("\n");

  it("read what Windows adds, and blank lines at the end", () => {
    const files = [
      file(one, two),
      file(one, two).replaceAll("\n", "\r\n"),
      `\uFEFF${file(one, two)}`,
      file(one, two, "", ""),
    ];
    assert.deepEqual(
      files.map((text) => declared(csv, text)),
      files.map(() => both),
    );
  });

  it("refuse every other file, and name the line", () => {
    const cases: Readonly<Record<string, string>> = {
      [`${one}\n${two}\n`]: 'numbers.csv, line 1: not "number,label": +442079460101,Desk 1',
      [file(one, two).replaceAll(",", ";")]: 'numbers.csv, line 1: not "number,label": number;label',
      [file(one, "+442079460101,Desk 2")]:
        "numbers.csv, line 3: no +, or a number that is there already: +442079460101,Desk 2",
      [file(one, "442079460102,Desk 2")]:
        "numbers.csv, line 3: no +, or a number that is there already: 442079460102,Desk 2",
      [file(one, "4.42079E+11,Desk 2")]:
        "numbers.csv, line 3: no +, or a number that is there already: 4.42079E+11,Desk 2",
      [file(one, "", two)]: "numbers.csv, line 3: no +, or a number that is there already: ",
    };
    assert.deepEqual(Object.fromEntries(Object.keys(cases).map((text) => [text, declared(csv, text)])), cases);
  });
});
