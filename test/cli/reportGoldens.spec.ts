import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPreview } from "../../cli/pulumi/preview";
import { LIMIT, toMarkdown } from "../../cli/report/markdown";
import { buildReport } from "../../cli/report/report";
import { cases } from "./reportCases";
import { folder, stored } from "./reportSteps";
import { texts } from "./reportTexts";

/** What the real engine wrote, drawn, against what was read once by a person. `npm run goldens` writes them again. */

/** What the file has. With UPDATE_GOLDENS it is written first. */
function golden(name: string, page: string): string {
  const file = join(folder, `${name}.md`);
  if (process.env.UPDATE_GOLDENS !== undefined) {
    writeFileSync(file, page);
  }
  return readFileSync(file, "utf8");
}

describe("the report of a preview by the real engine", () => {
  for (const { name } of cases) {
    it(`is what a person has read, without a secret: ${name}`, () => {
      const model = buildReport(readPreview(readFileSync(stored(name), "utf8")));
      const page = toMarkdown(model);
      assert.equal(page, golden(name, page));
      assert.ok(page.length < LIMIT, `${page.length} characters, and the limit is ${LIMIT}`);
      // Nor a query of a webhook, a value of metadata, or a path of a machine.
      for (const text of [page, JSON.stringify([model.cards, model.facts])]) {
        assert.doesNotMatch(text, /key=k|spring|\/tmp\//);
      }
    });
  }

  it("has a golden file for each case, and none for anything else", () => {
    const expected = cases.flatMap(({ name }) => [`${name}.md`, `${name}.preview.json`]);
    assert.deepEqual(
      readdirSync(folder).sort(),
      [...expected, ...Object.keys(texts).map((name) => `${name}.md`)].sort(),
    );
  });
});

describe("the report of a preview that a test made", () => {
  for (const [name, cases] of Object.entries(texts)) {
    const pages = Object.entries(cases).map(([title, { page }]) => `# ${title}\n\n${page()}`);
    // Each by itself, so that what a test prints is short.
    const read = golden(name, pages.join("\n")).split(/\n(?=# )/);
    for (const [index, page] of pages.entries()) {
      it(`is what a person has read: ${name}, ${page.slice(2, page.indexOf("\n"))}`, () =>
        assert.equal(page.trimEnd(), read[index]?.trimEnd()));
    }

    it(`names free-form values of chats by their keys alone: ${name}`, () =>
      assert.doesNotMatch(read.join(""), /hush/));

    it(`has nothing else in ${name}`, () => assert.equal(read.length, pages.length));
  }
});
