import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, it } from "mocha";
import { repository } from "../support/repository";

/** Tests of a provider process (`startProvider`), which everywhere else are about the dynamic edge. */
const SPECS = [
  "test/faults/clearing.spec.ts",
  "test/faults/deletes.spec.ts",
  "test/faults/engineGone.spec.ts",
  "test/faults/interruptedMoves.spec.ts",
  "test/faults/recovery.spec.ts",
];

describe("over the plugin's wire", function () {
  this.timeout(30 * 60_000);
  for (const spec of SPECS) {
    it(spec, async () => {
      const mocha = join(repository, "node_modules/mocha/bin/mocha.js");
      const env = { ...process.env, PROVIDER_EDGE: "plugin" };
      const options = { cwd: repository, env, maxBuffer: 1e8 };
      const { stdout } = await promisify(execFile)(process.execPath, [mocha, spec], options).catch((error: unknown) => {
        throw new Error((error as { stdout?: string }).stdout ?? String(error));
      });
      assert.match(stdout, /\n {2}\d+ passing/);
    });
  }
});
