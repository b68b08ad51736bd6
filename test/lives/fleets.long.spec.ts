import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { ALL_EVENTS, CAUSES, fleetLives, liveFleet } from "./fleets";

describe("every life of a fleet in which some numbers do not work", () => {
  it("brings a return to every other number in one run, and a change in two", async () => {
    const begun = process.cpuUsage();
    const failed: string[] = [];
    let lives = 0;
    for (const life of fleetLives()) {
      const wrong = await liveFleet(life);
      lives += 1;
      if (wrong !== undefined) {
        failed.push(`${JSON.stringify(life)}: ${wrong}`);
      }
    }
    const { user, system } = process.cpuUsage(begun);
    process.stdout.write(
      `fleets: ${lives} lives, ${failed.length} failed, in ${((user + system) / 1e6).toFixed(1)} s\n`,
    );
    assert.equal(failed.slice(0, 5).join("\n"), "");
    assert.equal(lives, ALL_EVENTS.length * CAUSES.length * 32 * 2);
  });
});
