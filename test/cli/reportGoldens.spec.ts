import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMIT, toMarkdown } from "../../cli/report/markdown";
import { checkRows } from "../support/rows";
import { cases } from "./reportCases";
import { buildReport, folder, stored } from "./reportSteps";
import { syntheticCases, TOPICS } from "./reportTexts";

/** Compares reports with golden files that a person has reviewed. `npm run goldens` regenerates these files. */

/** Returns the content of a golden file. If UPDATE_GOLDENS is set, writes the new page to the file first. */
function golden(name: string, page: string): string {
  const file = join(folder, `${name}.md`);
  if (process.env.UPDATE_GOLDENS !== undefined) {
    writeFileSync(file, page);
  }
  return readFileSync(file, "utf8");
}

describe("a report", () => {
  const reportOn = (name: string) => buildReport(readFileSync(stored(name), "utf8"));

  it("matches the golden page for each stored preview", () =>
    checkRows(
      cases,
      ({ name }) => name,
      ({ name }) => {
        const page = toMarkdown(reportOn(name));
        assert.equal(page, golden(name, page));
        assert.ok(page.length < LIMIT, `the page has ${page.length} characters, but the limit is ${LIMIT}`);
      },
    ));

  it("hides webhook queries and metadata values", () =>
    checkRows(
      cases,
      ({ name }) => name,
      ({ name }) => {
        const report = reportOn(name);
        for (const output of [toMarkdown(report), JSON.stringify([report.cards, report.facts])]) {
          assert.doesNotMatch(output, /key=k|spring|\/tmp\//);
        }
      },
    ));
});

describe("a report on a synthetic preview", () => {
  for (const [name, cases] of Object.entries(syntheticCases)) {
    it(`matches the golden pages for ${TOPICS[name] ?? name}`, async () => {
      const pages = Object.entries(cases).map(([title, { page }]) => `# ${title}\n\n${page()}`);
      const storedPages = golden(name, pages.join("\n")).split(/\n(?=# )/);
      // Compare the pages one by one to keep the output of a failing test short.
      await checkRows(
        [...pages.entries()],
        ([, page]) => page.slice(2, page.indexOf("\n")),
        ([index, page]) => assert.equal(page.trimEnd(), storedPages[index]?.trimEnd()),
      );
      assert.equal(storedPages.length, pages.length, `${storedPages.length} stored pages for ${pages.length} cases`);
    });
  }

  it("hides the values of a chat's free-form fields", () =>
    checkRows(
      Object.values(syntheticCases).flatMap((cases) => Object.entries(cases)),
      ([title]) => title,
      ([, { page }]) => assert.doesNotMatch(page(), /hush/),
    ));
});

describe("the folder testdata/report", () => {
  it("has no missing or stale golden files", () => {
    const expected = cases.flatMap(({ name }) => [`${name}.md`, `${name}.preview.json`]);
    assert.deepEqual(
      readdirSync(folder).sort(),
      [...expected, ...Object.keys(syntheticCases).map((name) => `${name}.md`)].sort(),
    );
  });
});
