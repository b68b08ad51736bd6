import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";

const page = readFileSync(join(__dirname, "README.md"), "utf8");

/** Each row of the table: what a cell of its second column says of the test. */
const held = page
  .slice(page.indexOf("| Promise"))
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .slice(2)
  .map((line) => [...line.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, title = "", file = ""]) => ({ title, file })));

describe("the promises of README.md", () => {
  it("are each held by one test, which there is, and which `npm test` runs", () => {
    assert.ok(held.length > 40, `${held.length} promises`);
    for (const [test, ...others] of held) {
      assert.ok(test !== undefined && others.length === 0, JSON.stringify([test, ...others]));
      assert.ok(test.file.endsWith(".spec.ts") && !test.file.includes(".long."), test.file);
      const file = join(__dirname, test.file);
      assert.ok(existsSync(file) && readFileSync(file, "utf8").includes(test.title), `${test.file}: ${test.title}`);
    }
  });

  it("are on a page that has a line for each folder", () => {
    const folders = readdirSync(__dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    assert.deepEqual(
      folders.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``)),
      [],
    );
  });
});
