import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPreview } from "../../cli/pulumi/preview";
import { LIMIT, toMarkdown } from "../../cli/report/markdown";
import { buildReport } from "../../cli/report/report";
import { cases } from "./reportCases";
import { folder, stored } from "./reportSteps";

/** What the real engine wrote, drawn, against what was read once by a person. `npm run goldens` writes them again. */

describe("the report of a preview by the real engine", () => {
  for (const { name } of cases) {
    it(`is what a person has read, without a secret: ${name}`, () => {
      const model = buildReport(readPreview(readFileSync(stored(name), "utf8")));
      const page = toMarkdown(model);
      const file = join(folder, `${name}.md`);
      if (process.env.UPDATE_GOLDENS !== undefined) {
        writeFileSync(file, page);
      }
      assert.equal(page, readFileSync(file, "utf8"));
      assert.ok(page.length < LIMIT);
      // Nor a query of a webhook, a value of metadata, or a path of a machine.
      for (const text of [page, JSON.stringify([model.cards, model.facts])]) {
        assert.doesNotMatch(text, /key=k|spring|\/tmp\//);
      }
    });
  }

  it("has a golden file for each case, and none for anything else", () => {
    const expected = cases.flatMap(({ name }) => [`${name}.md`, `${name}.preview.json`]);
    assert.deepEqual(readdirSync(folder).sort(), expected.sort());
  });
});
