import * as fc from "fast-check";
import type { Runner } from "mocha";
import { ensureBuilt } from "../../tools/build";

/**
 * Mocha loads this file into each of its processes (`require` in .mocharc.json). The global setup and teardown run only
 * in the main process. `mochaHooks` run in each process that runs specs.
 */

// The seed is fixed, so that a failure is reproducible. To try another one, run `SEED=$RANDOM npm test`. The random
// lives have their own seed.
fc.configureGlobal({ seed: Number(process.env.SEED ?? 20_261_122) });

/** How long mocha may keep running after the last test, if a spec left something open, such as a server. */
const LEFT_OPEN_MS = 60_000;

/** Builds `dist` before the first spec runs, because specs that run in parallel must not build it at the same time. */
export function mochaGlobalSetup(this: Runner): void {
  if ((this as Runner & { isParallelMode(): boolean }).isParallelMode()) {
    ensureBuilt();
  }
}

/**
 * Returns the provider's listeners for unhandled rejections. The hooks below keep them across spec files: a mocha
 * worker removes all listeners for this event after each file, but the provider adds its listener only once, when it is
 * loaded. Without the listener, tests in later files couldn't show what an inline program does after a rejection.
 */
const providerListeners = () => process.listeners("unhandledRejection").filter(({ name }) => name === "onRejection");
let savedListeners: NodeJS.UnhandledRejectionListener[] = [];

export const mochaHooks = {
  beforeAll(): void {
    for (const listener of savedListeners.filter((saved) => !providerListeners().includes(saved))) {
      process.on("unhandledRejection", listener);
    }
  },
  afterAll(): void {
    savedListeners = providerListeners();
  },
};

/**
 * Ends mocha if something keeps it running after the last test. For example, a test that hangs fails with a timeout,
 * but the server or child process that it was waiting for would keep mocha running.
 */
export function mochaGlobalTeardown(): void {
  const end = () => {
    process.stderr.write("The tests are done, but a spec left something open, so this process now exits with 1.\n");
    process.exit(1);
  };
  setTimeout(end, LEFT_OPEN_MS).unref();
}
