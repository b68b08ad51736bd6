import * as fc from "fast-check";
import type { Runner } from "mocha";
import { ensureBuilt } from "../../tools/build";

/** `--require`d by mocha in each of its processes; the hooks run in the one that starts the others. */

/** Fixed, so that a red run is red again; another one now and then: `SEED=$RANDOM npm test`. Random lives have one of their own. */
fc.configureGlobal({ seed: Number(process.env.SEED ?? 20_261_122) });

/** How long a run that is over may go on, for what a spec has left open: a server, a child process. */
const LEFT_OPEN_MS = 60_000;

/** Files that run side by side must not build side by side, so it is done before the first one. */
export function mochaGlobalSetup(this: Runner): void {
  if ((this as Runner & { isParallelMode(): boolean }).isParallelMode()) {
    ensureBuilt();
  }
}

/**
 * After each file a worker of mocha removes every listener of this event, and the provider, which is loaded once for all files, sets its own when
 * it is loaded. Without it no later file would show what an inline program does after a rejection.
 */
const ofProvider = () => process.listeners("unhandledRejection").filter(({ name }) => name === "onRejection");
let removed: NodeJS.UnhandledRejectionListener[] = [];

export const mochaHooks = {
  beforeAll(): void {
    for (const listener of removed.filter((one) => !ofProvider().includes(one))) {
      process.on("unhandledRejection", listener);
    }
  },
  afterAll(): void {
    removed = ofProvider();
  },
};

/** A test that has no end fails after its time. What it waits for is still there, and must not keep the command from its end. */
export function mochaGlobalTeardown(): void {
  const end = () => {
    process.stderr.write("The tests are over, but a spec has left something open: this process is ended.\n");
    process.exit(1);
  };
  setTimeout(end, LEFT_OPEN_MS).unref();
}
