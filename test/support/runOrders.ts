import * as fc from "fast-check";
import { checkLives } from "./checkLives";
import { createMiniEngine } from "./miniEngine";
import { createProviders } from "./miniEngineProviders";
import { liveOrders, type OrderMachine, type OrderTally, token } from "./orderLives";
import { orderLives } from "./orderPrograms";
import { createRealEngine } from "./realEngine";

export interface OrdersOptions {
  readonly runs: number;
  readonly seed: number;
  /** The small engine on the real provider process, or the real CLI. @default "small" */
  readonly engine?: "small" | "real";
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
  const { engine = "small", trace, spoil = (machine) => machine } = options;
  const { machine, close } = engine === "real" ? onRealEngine() : onSmallEngine();
  const property = fc.asyncProperty(orderLives, async (life) => {
    const own = await machine();
    try {
      count(await liveOrders(spoil(own), life, trace));
    } finally {
      await own.close?.();
    }
  });
  try {
    return await checkLives(property, options, (seedAndPath) => [
      `To live it again: node -r tsx/cjs test/random/ordersByHand.ts ${seedAndPath}${engine === "real" ? " --real" : ""} --trace`,
    ]);
  } finally {
    await close();
  }
}

interface Machines {
  machine(): Promise<OrderMachine & { close?(): Promise<void> }>;
  close(): Promise<void>;
}

/** The provider processes live on from life to life. */
function onSmallEngine(): Machines {
  const providers = createProviders();
  return { machine: async () => ({ engine: createMiniEngine(providers), providers }), close: () => providers.close() };
}

function onRealEngine(): Machines {
  return {
    async machine() {
      const engine = await createRealEngine(token);
      return {
        engine,
        providers: { said: async () => "", killAll: async () => engine.kill("provider") },
        killCli: () => engine.kill("cli"),
        close: () => engine.close(),
      };
    },
    close: async () => {},
  };
}
