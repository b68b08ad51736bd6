import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { transformSync } from "esbuild";
import { describe, it } from "mocha";
import { blocksOf } from "./blocks";

/** The two programs of the page, run on files as spreadsheets and people leave them. */
describe("docs/guides/numbers-from-a-file.md: its programs", () => {
  const [csv = "", yaml = ""] = blocksOf("docs/guides/numbers-from-a-file.md")
    .filter(({ flags }) => flags.includes("program"))
    .map(({ text }) => transformSync(text, { loader: "ts", format: "cjs" }).code);
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
      new Function("require", program)((name: string) => modules[name] ?? find(name));
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
      "label,number\nDesk 1,+442079460101\n": 'numbers.csv, line 1: not "number,label": label,number',
      "": 'numbers.csv, line 1: not "number,label": ',
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

  it("read a number of a YAML file as text, with and without quotes, and refuse one that is there twice", () => {
    const lines = ["+442079460101: Desk 1", '"+442079460102": Desk 2'];
    assert.deepEqual(declared(yaml, lines.join("\n")), both);
    assert.deepEqual(declared(yaml, "+442079460101: 12"), { "+442079460101": "12" });
    assert.equal(
      declared(yaml, `${lines[0]}\n"+442079460101": Desk 2`),
      "Map keys must be unique at line 2, column 1:",
    );
  });
});
