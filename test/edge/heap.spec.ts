import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "mocha";

/** What lives is large, and what comes and goes lives long enough to be taken for long-lived, as requests do. */
const work = `
const { collectGarbageFor } = require(${JSON.stringify(join(__dirname, "../../dist/provider/edge/heap.js"))});
const kept = Array.from({ length: 400_000 }, (_, index) => ({ index, more: [index] }));
const passing = [];
let most = 0;
(async () => {
  collectGarbageFor(Number(process.argv[1]));
  for (let index = 0; index < 15_000; index += 1) {
    passing[index % 500] = Array.from({ length: 500 }, (_, item) => ({ item }));
    if (index % 50 !== 0) continue;
    most = Math.max(most, process.memoryUsage().heapTotal);
    await new Promise(setImmediate);
  }
  console.log(most, kept.length);
})();`;

function mostFor(numbers: number): number {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["-e", work, String(numbers)], { encoding: "utf8" });
  // A flag that this Node does not know is named here.
  assert.deepEqual([status, stderr], [0, ""]);
  return Number.parseInt(stdout, 10);
}

describe("the heap of a provider process", () => {
  it("holds less of what is over where thousands of numbers are worked on", () => {
    const [many, few] = [mostFor(2000), mostFor(1999)];
    assert.ok(many < 0.7 * few, `${many} bytes against ${few}`);
  });
});
