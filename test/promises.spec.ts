import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";

/** A row of README.md in this folder: a promise, and the tests that show it. */

interface Named {
  readonly title: string;
  readonly file: string;
}

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line.startsWith("| "));
const page = readFileSync(join(__dirname, "README.md"), "utf8");
const rows = linesOf(page.slice(page.indexOf("| Promise of README.md")))
  .slice(2)
  .map((line) => line.split("|"))
  .map(([, promise = "", quick = "", long = ""]) => ({ promise, quick: namedIn(quick), long: namedIn(long) }));

function namedIn(cell: string): Named[] {
  return [...cell.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, title = "", file = ""]) => ({ title, file }));
}

const isThere = ({ title, file }: Named): boolean =>
  existsSync(join(__dirname, file)) && readFileSync(join(__dirname, file), "utf8").includes(title);

describe("the promises of README.md", () => {
  it("are each shown by `npm test`", () => {
    assert.ok(rows.length > 20, `${rows.length} promises`);
    const unheld = rows.filter(({ quick }) => quick.length === 0 || quick.some(({ file }) => file.includes(".long.")));
    assert.deepEqual(unheld, []);
  });

  it("name tests that there are", () => {
    const missing = rows.flatMap(({ quick, long }) => [...quick, ...long]).filter((named) => !isThere(named));
    assert.deepEqual(missing, []);
  });

  it("are told apart from the extra of `npm run test:long`", () => {
    const quick = rows.flatMap(({ long }) => long).filter(({ file }) => !file.endsWith(".long.spec.ts"));
    assert.deepEqual(quick, []);
  });
});
