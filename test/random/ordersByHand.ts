/**
 * Lives random orders by hand: `node -r tsx/cjs test/random/ordersByHand.ts --runs 5000 --seed 1 [--workers 4] [--seconds 600] [--quick] [--real]`;
 * `--seed 7 --path 27:0:1 --trace` lives again the one that failed.
 */
import { parseArgs } from "node:util";
import { ordersInWords, runOrders } from "../support/runOrders";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    workers: { type: "string", default: "4" },
    seconds: { type: "string" },
    path: { type: "string" },
    trace: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    real: { type: "boolean", default: false },
  },
});

async function main(): Promise<void> {
  const result = await runOrders({
    runs: values.path === undefined ? Number(values.runs) : 1,
    workers: values.path === undefined ? Number(values.workers) : 1,
    seed: Number(values.seed),
    engine: values.real ? "real" : "small",
    shrinks: !values.quick && values.path === undefined,
    ...(values.trace && { trace: (line: string) => console.error(line) }),
    ...(values.seconds !== undefined && { seconds: Number(values.seconds) }),
    ...(values.path !== undefined && { path: values.path }),
  });
  for (const failure of result.failures) {
    console.error(`${failure}\n`);
  }
  console.log(`seed ${values.seed}: ${ordersInWords(result)}, ${result.failures.length} failed`);
  process.exitCode = result.failures.length > 0 ? 1 : 0;
}

void main();
