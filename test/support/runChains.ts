import * as fc from "fast-check";
import { chains, shortChains } from "./chainArbitraries";
import { type Chain, liveChain } from "./chains";
import { checkLives } from "./checkLives";
import type { EdgeName } from "./edges";
import { createMiniEngine } from "./miniEngine";
import { createProviders } from "./miniEngineProviders";
import { type Machine, type Tally, token } from "./modelWorld";
import { createRealEngine } from "./realEngine";

export interface ChainsOptions {
  readonly runs: number;
  readonly seed: number;
  /** The small engine on the real provider process, or the real CLI. @default "small" */
  readonly engine?: "small" | "real";
  /** Over whose wire the small engine speaks. @default that of the environment */
  readonly edge?: EdgeName;
  /** Chains under way at once, each with processes of its own. */
  readonly workers?: number;
  /** Draws no further chains after so many seconds. */
  readonly seconds?: number;
  /** Of a chain that failed. */
  readonly path?: string;
  /** Look for the smallest chain that fails in the same way? @default true */
  readonly shrinks?: boolean;
  readonly trace?: (line: string) => void;
}

export interface ChainsResult extends Tally {
  readonly chains: number;
  readonly seconds: number;
  /** How to live the chain again, the chain itself, and what does not hold. */
  readonly failures: readonly string[];
}

type Live = (chain: Chain) => Promise<Tally>;

/** Lives random chains; a worker stops at its first failure. */
export async function runChains(options: ChainsOptions): Promise<ChainsResult> {
  const { runs, workers = 6 } = options;
  const started = performance.now();
  const total = { chains: 0, runs: 0, requests: 0, faults: 0, deaths: 0 };
  const failures = await Promise.all(
    Array.from({ length: workers }, (_, index) =>
      runWorker({ ...options, seed: options.seed + index, runs: Math.ceil(runs / workers) }, (tally) => {
        total.chains += 1;
        for (const key of ["runs", "requests", "faults", "deaths"] as const) {
          total[key] += tally[key];
        }
      }),
    ),
  );
  const seconds = (performance.now() - started) / 1000;
  return { ...total, seconds, failures: failures.filter((failure) => failure !== undefined) };
}

/** In words, for whoever runs them. */
export const inWords = ({ chains: lived, runs, requests, faults, deaths, seconds }: ChainsResult): string =>
  `${lived} chains of ${runs} runs, ${requests} requests, ${faults} faults met, ${deaths} deaths, ${seconds.toFixed(0)} s`;

async function runWorker(options: ChainsOptions, count: (tally: Tally) => void): Promise<string | undefined> {
  const { engine = "small" } = options;
  const { live, close } = engine === "real" ? onRealEngine(options) : onSmallEngine(options);
  const property = fc.asyncProperty(engine === "real" ? shortChains : chains, async (chain) =>
    count(await live(chain)),
  );
  try {
    return await checkLives(property, options, (seedAndPath, chain) => [
      `To live it again: node -r tsx/cjs test/random/chainsByHand.ts ${seedAndPath}${engine === "real" ? " --real" : ""} --trace`,
      JSON.stringify(chain),
    ]);
  } finally {
    await close();
  }
}

/** The provider processes live on from chain to chain. */
function onSmallEngine({ trace, edge }: ChainsOptions): { live: Live; close: () => Promise<void> } {
  const providers = createProviders(edge);
  const machine = (): Machine => ({ engine: createMiniEngine(providers), providers });
  return { live: (chain) => liveChain(machine(), chain, trace), close: () => providers.close() };
}

function onRealEngine({ trace }: ChainsOptions): { live: Live; close: () => Promise<void> } {
  const live: Live = async (chain) => {
    const engine = await createRealEngine(token);
    try {
      return await liveChain({ engine }, chain, trace);
    } finally {
      await engine.close();
    }
  };
  return { live, close: async () => {} };
}
