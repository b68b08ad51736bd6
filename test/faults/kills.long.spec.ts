import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { type KillPoint, killAt } from "../support/kills";

/** A few points here; `test/faults/killsByHand.ts` runs as many as one likes by hand. */
const points: KillPoint[] = [
  { role: "cli", signal: "SIGKILL", request: 3, applied: true },
  { role: "cli", signal: "SIGINT", request: 2, applied: true },
  { role: "cli", signal: "SIGTERM", request: 5, applied: false },
  { role: "provider", signal: "SIGKILL", request: 4, applied: true },
  { role: "provider", signal: "SIGINT", request: 1, applied: false },
  { role: "languageHost", signal: "SIGKILL", request: 2, applied: true },
];

describe("a process that is killed in the middle of a run", function () {
  this.timeout(30 * 60_000);
  for (const point of points) {
    const { role, signal, request, applied } = point;
    it(`loses nothing: ${signal} to the ${role} at request ${request}, ${applied ? "applied" : "not applied"}`, async () => {
      const report = await killAt(point);
      assert.deepEqual(
        { lost: report.lost, wrong: report.wrong, twice: report.twice },
        { lost: [], wrong: [], twice: [] },
      );
      assert.ok(report.runs <= 2, `${report.runs} runs to recover`);
    });
  }
});
