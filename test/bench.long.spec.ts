import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, it } from "mocha";
import "./support/built";
import { repository } from "./support/repository";

describe("npm run bench", function () {
  this.timeout(30 * 60_000);
  it("still runs, at a size at which a figure means nothing", async () => {
    const args = ["-r", "tsx/cjs", "bench/main.ts", "--sizes", "3", "--alone"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repository });
    const steps = ["first run", "no change", "another split"];
    for (const step of steps) {
      assert.match(stdout, new RegExp(`^\\| 3 \\| ${step}( \\| \\d+\\.\\d\\d s){3} \\|$`, "m"));
    }
  });
});
