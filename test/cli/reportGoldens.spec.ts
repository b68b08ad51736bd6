import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPreview } from "../../cli/pulumi/preview";
import { LIMIT, toMarkdown } from "../../cli/report/markdown";
import { buildReport } from "../../cli/report/report";
import { cases } from "./reportCases";

/** What the real engine wrote, drawn, against what was read once by a person. `npm run goldens` writes them again. */

const folder = join(__dirname, "testdata", "report");
const isUpdating = process.env.UPDATE_GOLDENS !== undefined;

function compare(file: string, drawn: string): void {
  const path = join(folder, file);
  if (isUpdating) {
    writeFileSync(path, drawn);
  }
  assert.ok(existsSync(path), `${file} is missing: run "npm run goldens", and read it`);
  assert.equal(drawn, readFileSync(path, "utf8"));
}

const modelOf = (name: string) => buildReport(readPreview(readFileSync(join(folder, `${name}.preview.json`), "utf8")));

describe("the report of a preview by the real engine", () => {
  for (const { name } of cases) {
    it(`is as it was read, fits into a comment and shows no secret: ${name}`, () => {
      const model = modelOf(name);
      const page = toMarkdown(model);
      compare(`${name}.md`, page);
      assert.ok(page.length < LIMIT);
      // Nor a query of a webhook, a value of metadata, or a path of a machine.
      for (const text of [page, JSON.stringify([model.cards, model.facts])]) {
        assert.doesNotMatch(text, /hush|key=k|spring|summer|token-of-the-second|\/tmp\//);
      }
    });
  }

  it("has a golden file for each case, and none for anything else", () => {
    const expected = cases.flatMap(({ name }) => [`${name}.md`, `${name}.preview.json`]);
    assert.deepEqual(readdirSync(folder).sort(), expected.sort());
  });
});
