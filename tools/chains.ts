/**
 * Lives random chains by hand: `node -r ts-node/register tools/chains.ts --runs 20000 --seed 1 [--workers 6] [--seconds 600] [--quick]`;
 * `--seed 7 --path 27:0:1` lives again the one that failed.
 */
import { parseArgs } from "node:util";
import { runChains } from "../test/support/chains";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "2000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    workers: { type: "string", default: "6" },
    seconds: { type: "string" },
    path: { type: "string" },
    trace: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});

const numbers = { runs: Number(values.runs), seed: Number(values.seed), workers: Number(values.workers) };

async function main(): Promise<void> {
  const { chains, requests, seconds, failures } = await runChains({
    ...numbers,
    shrinks: !values.quick && values.path === undefined,
    ...(values.trace && { trace: (line: string) => console.error(line) }),
    ...(values.seconds !== undefined && { seconds: Number(values.seconds) }),
    ...(values.path !== undefined && { path: values.path, runs: 1, workers: 1 }),
  });
  for (const failure of failures) console.error(`${failure}\n`);
  console.log(
    `seed ${numbers.seed}: ${chains} chains, ${requests} requests, ${seconds.toFixed(0)} s, ${failures.length} failed`,
  );
  process.exitCode = failures.length > 0 ? 1 : 0;
}

void main();
