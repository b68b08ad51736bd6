/** Kill points by hand: `node -r tsx/cjs test/faults/killsByHand.ts --points 200 --seed 1`. Prints one line a point, and the sum. */
import { parseArgs } from "node:util";
import fc from "fast-check";
import { type KillPoint, killAt, REQUESTS } from "../support/kills";

const point = fc.record<KillPoint>({
  role: fc.constantFrom("cli", "provider", "program", "languageHost"),
  signal: fc.constantFrom("SIGKILL", "SIGTERM", "SIGINT"),
  request: fc.integer({ min: 1, max: REQUESTS }),
  applied: fc.boolean(),
});

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { points: { type: "string", default: "20" }, seed: { type: "string", default: "1" } },
  });
  const points = fc.sample(point, { numRuns: Number(values.points), seed: Number(values.seed) });
  const bad: string[] = [];
  for (const [index, at] of points.entries()) {
    const report = await killAt(at);
    const isBad = report.lost.length + report.wrong.length + report.twice.length > 0 || report.runs > 2;
    console.log(`${index + 1}/${points.length} ${isBad ? "BAD" : "ok"} ${JSON.stringify(report)}`);
    if (isBad) {
      bad.push(JSON.stringify(at));
    }
  }
  console.log(
    `seed ${values.seed}: ${points.length} points, ${bad.length} bad${bad.map((line) => `\n  ${line}`).join("")}`,
  );
  process.exitCode = bad.length === 0 ? 0 : 1;
}

void main();
