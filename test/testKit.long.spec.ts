import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findOrInstallEngine, pathWith, withoutSettings } from "../tools/engine/engine";
import { quickStart } from "./support/engineProject";
import { repository } from "./support/repository";
import "./support/built";

const folder = join(repository, "examples/test-kit");

/** Runs the example's tests with `npm test`, as a user would, with the built package. */
describe("the test-kit example", () => {
  it("passes its tests and leaves no files behind", async () => {
    // Use a copy, so that parallel runs of this repository's tests don't see each other's files.
    const root = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-kit-")));
    const copy = join(root, "kit");
    cpSync(folder, copy, { recursive: true });
    symlinkSync(join(repository, "node_modules"), join(root, "node_modules"), "dir");
    const before = readdirSync(copy);
    const env = {
      ...withoutSettings(process.env),
      ...quickStart,
      PATH: pathWith(await findOrInstallEngine(), process.env.PATH),
    };
    const { stdout } = await promisify(execFile)("npm", ["test", "--silent"], { cwd: copy, env }).catch(
      // If `npm test` fails, still check its output, so that the assertion shows which tests failed.
      (error: { stdout: string }) => error,
    );
    assert.match(stdout, /^[#ℹ] tests 6$.*^[#ℹ] pass 6$/ms);
    assert.deepEqual(readdirSync(copy), before);
    rmSync(root, { recursive: true, force: true });
  });
});
