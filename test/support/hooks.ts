import * as fc from "fast-check";
import type { Runner } from "mocha";
import { ensureBuilt } from "../../tools/build";

/**
 * Mocha loads this file into each of its processes. It runs the global setup and teardown only in the main process, and
 * `mochaHooks` in each process that runs specs.
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

const providerListeners = () => process.listeners("unhandledRejection").filter(({ name }) => name === "onRejection");
let savedListeners: NodeJS.UnhandledRejectionListener[] = [];

/**
 * Restores the provider's listener for unhandled rejections. The provider adds it only once, when it's loaded, but a
 * mocha worker removes it after each spec file. Without the listener, an inline program in a later file wouldn't mark
 * its run as failed after a rejection.
 */
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

/** Ends mocha if something keeps it running after the last test, such as the server of a test that timed out. */
export function mochaGlobalTeardown(): void {
  const end = () => {
    process.stderr.write("The tests are done, but a spec left something open, so this process now exits with 1.\n");
    process.exit(1);
  };
  setTimeout(end, LEFT_OPEN_MS).unref();
}
