import * as fc from "fast-check";
import { checkLives } from "./checkLives";
import { createMiniEngine } from "./miniEngine";
import { createProviders } from "./miniEngineProviders";
import { liveOrders, type OrderMachine, type OrderTally } from "./orderLives";
import { orderLives } from "./orderPrograms";

export interface OrdersOptions {
  readonly runs: number;
  readonly seed: number;
  readonly workers?: number;
  readonly seconds?: number;
  readonly path?: string;
  readonly shrinks?: boolean;
  readonly trace?: (line: string) => void;
  /** Of a test that looks whether the judge sees. */
  readonly spoil?: (machine: OrderMachine) => OrderMachine;
}

export interface OrdersResult extends OrderTally {
  readonly lives: number;
  readonly failures: readonly string[];
}

/** Lives random orders; a worker stops at its first failure. */
export async function runOrders(options: OrdersOptions): Promise<OrdersResult> {
  const { workers = 4, runs, seed } = options;
  const total = { lives: 0, runs: 0, requests: 0, faults: 0, kills: 0, failed: 0 };
  const count = (tally: OrderTally) => {
    total.lives += 1;
    for (const key of ["runs", "requests", "faults", "kills", "failed"] as const) {
      total[key] += tally[key];
    }
  };
  const share = Math.ceil(runs / workers);
  const failures = await Promise.all(
    Array.from({ length: workers }, (_, index) => work({ ...options, seed: seed + index, runs: share }, count)),
  );
  return { ...total, failures: failures.filter((failure) => failure !== undefined) };
}

export const ordersInWords = ({ lives, runs, failed, requests, faults, kills }: OrdersResult): string =>
  `${lives} lives of ${runs} runs, ${failed} of them failed, ${requests} requests, ${faults} faults met, ${kills} kills`;

async function work(options: OrdersOptions, count: (tally: OrderTally) => void): Promise<string | undefined> {
  const { trace, spoil = (machine) => machine } = options;
  const providers = createProviders();
  const property = fc.asyncProperty(orderLives, async (life) =>
    count(await liveOrders(spoil({ engine: createMiniEngine(providers), providers }), life, trace)),
  );
  try {
    return await checkLives(property, options, (seedAndPath) => [
      `To live it again: node -r tsx/cjs test/random/ordersByHand.ts ${seedAndPath} --trace`,
    ]);
  } finally {
    await providers.close();
  }
}
