import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, it } from "mocha";
import { repository } from "./support/repository";

describe("npm run bench", () => {
  it("prints a row for each step and a column for each number resource", async () => {
    const args = ["run", "--silent", "bench", "--", "--sizes", "1", "--alone"];
    const { stdout } = await promisify(execFile)("npm", args, { cwd: repository });
    const [head = "", , ...rows] = stdout.split("\n").filter((line) => line.startsWith("|"));
    assert.equal(head, "| numbers |  | NumberGroup | NumberAssignment |");
    assert.deepEqual(
      rows.map((row) => row.replaceAll(/\d+\.\d+ s/g, "…")),
      ["first run", "no change", "another split"].map((step) => `| 1 | ${step} | … | … |`),
    );
  });
});
