import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { cases } from "./reportCases";
import { makePreviews } from "./reportPreviews";

/** The stored previews are what the engine writes today. `npm run goldens test/cli/reportEngine.spec.ts` makes all of them again, and stores those that differ. */

const folder = join(__dirname, "testdata", "report");
const isRemaking = process.env.UPDATE_GOLDENS !== undefined;
/** Few enough for every run. */
const everyRun = ["hostile-texts", "split-change"];

describe("the stored previews", () => {
  it("are what the real engine writes", async () => {
    const wanted = isRemaking ? cases : cases.filter(({ name }) => everyRun.includes(name));
    let compared = 0;
    await makePreviews(wanted, (name, preview) => {
      const path = join(folder, `${name}.preview.json`);
      if (isRemaking && !(existsSync(path) && isDeepStrictEqual(parsed(preview), parsed(readFileSync(path, "utf8"))))) {
        writeFileSync(path, preview);
      }
      assert.deepEqual(parsed(preview), parsed(readFileSync(path, "utf8")), name);
      compared += 1;
    });
    assert.equal(compared, wanted.length);
  });
});

/** Steps of resources that do not depend on each other come in any order. */
function parsed(text: string): unknown {
  const { steps, ...rest } = JSON.parse(text) as { steps: { urn: string; op: string }[] };
  return { ...rest, steps: [...steps].sort(byText) };
}

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
