import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { PICTURES } from "../../tools/docs";
import { root } from "../../tools/reference/declarations";

/** Those of real output are drawn by the test that runs it. */
const OF_OUTPUT = ["docs/pictures/report.svg", "docs/pictures/terminal.svg"];
const ALL = [...Object.keys(PICTURES), ...OF_OUTPUT];

describe("docs/pictures", () => {
  for (const [file, draw] of Object.entries(PICTURES)) {
    it(`has ${file} as its script draws it: \`npm run docs\` makes it`, () => {
      assert.equal(readFileSync(join(root, file), "utf8"), draw());
    });
  }

  it("has no picture that nothing draws", () => {
    const files = readdirSync(join(root, "docs/pictures")).map((file) => `docs/pictures/${file}`);
    assert.deepEqual(files.sort(), [...ALL].sort());
  });

  it("is light and dark, and needs nothing of elsewhere", () => {
    for (const file of ALL) {
      const text = readFileSync(join(root, file), "utf8");
      assert.match(text, /@media \(prefers-color-scheme: dark\)/);
      assert.deepEqual(text.match(/(?:href|src|url)\s*[=(]\s*["']?(?!#)[^"')]+/g) ?? [], []);
    }
  });
});
