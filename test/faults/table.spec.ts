import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { CODES } from "../../provider/core/codes";
import { repository } from "../support/engine";
import { FAULTS } from "./faults";

/** The table of README.md in this folder names tests that there are: mocha itself says which. */

const held = FAULTS.flatMap(({ id, heldBy }) => heldBy.map((one) => ({ by: `fault ${id}`, ...one })));
const files = [...new Set(held.map(({ file }) => file))];

interface DryRun {
  readonly tests: readonly { readonly file: string; readonly fullTitle: string }[];
}

/** Loads the files and runs nothing: titles made of templates are as they are when they run. */
async function titles(): Promise<DryRun["tests"]> {
  const mocha = join(repository, "node_modules/mocha/bin/mocha.js");
  const args = [mocha, "--dry-run", "--reporter", "json", ...files];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: repository,
    maxBuffer: 64 * 1024 * 1024,
  });
  return (JSON.parse(stdout.slice(stdout.indexOf('{\n  "stats"'))) as DryRun).tests;
}

/** `…` stands for the rest of a series. */
const patternOf = (title: string): RegExp =>
  new RegExp(
    `^${title
      .split("…")
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("[^]*")}$`,
  );

describe("the table of faults", () => {
  it("has each fault once", () => {
    assert.deepEqual(
      FAULTS.map(({ id }) => id),
      Array.from({ length: 73 }, (_, index) => index + 1),
    );
  });

  it("names a test for each, and none that there is not", async () => {
    assert.deepEqual(
      FAULTS.filter(({ heldBy }) => heldBy.length === 0),
      [],
    );
    assert.deepEqual(
      files.filter((file) => !existsSync(join(repository, file))),
      [],
    );
    const all = await titles();
    const missing = held.filter(({ file, title }) => {
      const pattern = patternOf(title);
      return !all.some((test) => test.file === join(repository, file) && pattern.test(test.fullTitle));
    });
    assert.deepEqual(missing, []);
  });

  it("names codes that there are", () => {
    const codes = FAULTS.flatMap(({ read }) => JSON.stringify(read).match(/AGP-\d{3}/g) ?? []);
    assert.ok(codes.length > 40, `${codes.length} codes`);
    assert.deepEqual(
      codes.filter((code) => !Object.hasOwn(CODES, code)),
      [],
    );
  });
});
