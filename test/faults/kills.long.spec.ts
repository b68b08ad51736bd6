import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { type KillPoint, killAt } from "../support/kills";

/** A process of each role. */
const points: KillPoint[] = [
  { role: "cli", signal: "SIGKILL", request: 3, applied: true },
  { role: "provider", signal: "SIGKILL", request: 4, applied: true },
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
