/**
 * Lives random lives by hand: `node -r tsx/cjs test/random/livesByHand.ts <chains|orders|aborts|walks> --runs 20000 --seed 1 [--workers 6]
 * [--seconds 600] [--quick]`, with `--edge plugin` over the plugin's wire, with `--real` on the real CLI; `--seed 7 --path 27:0:1 --trace`
 * lives again the one that failed.
 */
import { parseArgs } from "node:util";
import { chainLives } from "../support/chains";
import { defaultEdge } from "../support/edges";
import { inWords, type LivesOptions, liveAll } from "../support/lives";
import { orderLives } from "../support/orderLives";
import { abortLives, walkLives } from "../support/rolloutLives";

const kinds = {
  chains: (options: LivesOptions) => liveAll(chainLives, options),
  orders: (options: LivesOptions) => liveAll(orderLives, options),
  aborts: (options: LivesOptions) => liveAll(abortLives, options),
  walks: (options: LivesOptions) => liveAll(walkLives, options),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "2000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    workers: { type: "string", default: "6" },
    seconds: { type: "string" },
    path: { type: "string" },
    trace: { type: "boolean", default: false },
    /** Does not look for a smaller life that fails in the same way. */
    quick: { type: "boolean", default: false },
    real: { type: "boolean", default: false },
    edge: { type: "string", default: defaultEdge },
  },
});

async function main(): Promise<void> {
  const result = await kinds[positionals[0] as keyof typeof kinds]({
    runs: Number(values.runs),
    seed: Number(values.seed),
    workers: Number(values.workers),
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
  console.log(`seed ${values.seed}: ${inWords(result)}`);
  process.exitCode = result.failures.length > 0 ? 1 : 0;
}

void main();
