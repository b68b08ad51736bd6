import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { FLEET_LIVES, liveFleet } from "./fleets";

describe("every life of a fleet in which some numbers do not work", () => {
  it("brings a change to every number that works", async () => {
    const begun = process.cpuUsage();
    const failed: string[] = [];
    for (const life of FLEET_LIVES) {
      const wrong = await liveFleet(life);
      if (wrong !== undefined) {
        failed.push(`${JSON.stringify(life)}: ${wrong}`);
      }
    }
    const { user, system } = process.cpuUsage(begun);
    const seconds = ((user + system) / 1e6).toFixed(1);
    process.stdout.write(`      fleets: ${FLEET_LIVES.length} lives, ${failed.length} failed, in ${seconds} s\n`);
    assert.equal(failed.slice(0, 5).join("\n"), "");
  });
});
