/**
 * Lives random chains by hand: `node -r tsx/cjs test/random/chainsByHand.ts --runs 20000 --seed 1 [--workers 6] [--seconds 600] [--quick]`,
 * with `--edge plugin` over the plugin's wire, with `--real` on the real CLI; `--seed 7 --path 27:0:1 --trace` lives again the one that failed.
 */
import { parseArgs } from "node:util";
import { defaultEdge } from "../support/edges";
import { inWords, runChains } from "../support/runChains";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "2000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    workers: { type: "string", default: "6" },
    seconds: { type: "string" },
    path: { type: "string" },
    trace: { type: "boolean", default: false },
    /** Does not look for a smaller chain that fails in the same way. */
    quick: { type: "boolean", default: false },
    real: { type: "boolean", default: false },
    edge: { type: "string", default: defaultEdge },
  },
});

const numbers = { runs: Number(values.runs), seed: Number(values.seed), workers: Number(values.workers) };

async function main(): Promise<void> {
  const result = await runChains({
    ...numbers,
    edge: values.edge === "plugin" ? "plugin" : "dynamic",
    engine: values.real ? "real" : "small",
    shrinks: !values.quick && values.path === undefined,
    ...(values.trace && { trace: (line: string) => console.error(line) }),
    ...(values.seconds !== undefined && { seconds: Number(values.seconds) }),
    ...(values.path !== undefined && { path: values.path, runs: 1, workers: 1 }),
  });
  for (const failure of result.failures) {
    console.error(`${failure}\n`);
  }
  console.log(`seed ${numbers.seed}: ${inWords(result)}, ${result.failures.length} failed`);
  process.exitCode = result.failures.length > 0 ? 1 : 0;
}

void main();
