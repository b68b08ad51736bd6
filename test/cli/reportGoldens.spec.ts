import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMIT, toMarkdown } from "../../cli/report/markdown";
import { cases } from "./reportCases";
import { buildReport, folder, stored } from "./reportSteps";
import { texts } from "./reportTexts";

/** Compares reports with golden pages that somebody has read. `npm run goldens` regenerates the pages. */

/** The stored page. With UPDATE_GOLDENS, writes it first. */
function golden(name: string, page: string): string {
  const file = join(folder, `${name}.md`);
  if (process.env.UPDATE_GOLDENS !== undefined) {
    writeFileSync(file, page);
  }
  return readFileSync(file, "utf8");
}

describe("the report on a preview by the real engine", () => {
  for (const { name } of cases) {
    it(`renders ${name}.preview.json as in ${name}.md and shows no secrets`, () => {
      const model = buildReport(readFileSync(stored(name), "utf8"));
      const page = toMarkdown(model);
      assert.equal(page, golden(name, page));
      assert.ok(page.length < LIMIT, `${page.length} characters, and the limit is ${LIMIT}`);
      // No webhook query, metadata value or local path either.
      for (const text of [page, JSON.stringify([model.cards, model.facts])]) {
        assert.doesNotMatch(text, /key=k|spring|\/tmp\//);
      }
    });
  }

  it("has exactly one golden page per case", () => {
    const expected = cases.flatMap(({ name }) => [`${name}.md`, `${name}.preview.json`]);
    assert.deepEqual(
      readdirSync(folder).sort(),
      [...expected, ...Object.keys(texts).map((name) => `${name}.md`)].sort(),
    );
  });
});

describe("the report on a synthetic preview", () => {
  for (const [name, cases] of Object.entries(texts)) {
    const pages = Object.entries(cases).map(([title, { page }]) => `# ${title}\n\n${page()}`);
    // Compare pages one by one, to keep a failing test's output short.
    const read = golden(name, pages.join("\n")).split(/\n(?=# )/);
    for (const [index, page] of pages.entries()) {
      it(`renders the same report as before for "${page.slice(2, page.indexOf("\n"))}" (${name}.md)`, () =>
        assert.equal(page.trimEnd(), read[index]?.trimEnd()));
    }

    it(`shows only the keys of a chat's free-form fields in ${name}.md`, () =>
      assert.doesNotMatch(read.join(""), /hush/));

    it(`has a case for every page in ${name}.md`, () => assert.equal(read.length, pages.length));
  }
});
