import * as pulumi from "@pulumi/pulumi";
import { cannotThrow } from "../core/common/cannotThrow";
import { onceForEach } from "../core/common/once";
import { isAddress } from "../edge/engineWatch";
import { removeMark, writeMark } from "../edge/failedMark";

/** The run as the program's own process knows it. */

const NO_MONITOR = {};

/** Computes a value once for each run of a program. One process may have several runs, and each has a monitor of its own. */
export function oncePerRun<Made>(make: () => Made): () => Made {
  const madeFor = onceForEach((_monitor: object) => make());
  return () => madeFor(pulumi.runtime.getMonitor() ?? NO_MONITOR);
}

/** A process may load several copies of this package: the program begins once for all of them, and one copy listens. */
const BEGIN = Symbol.for("pulumi-agent-platform.beginRun");
const WATCHED = Symbol.for("pulumi-agent-platform.watchProgram");
const shared = globalThis as { [BEGIN]?: () => string | undefined; [WATCHED]?: boolean };

/**
 * The engine's address, if this run may delete anything: a preview does not. The program begins with the first call, so a mark at this address
 * is of an earlier run.
 */
shared[BEGIN] ??= oncePerRun(() => {
  const address = pulumi.runtime.isDryRun() ? undefined : engineAddress();
  if (!isAddress(address)) {
    return undefined;
  }
  // If it cannot be removed, nothing is cleared, and the provider says why.
  cannotThrow(removeMark)(address);
  return address;
});
export const beginRun = shared[BEGIN];

/** The engine's address, which each provider process gets as an argument. */
function engineAddress(): string | undefined {
  const engine = pulumi.runtime.getEngine() as { getChannel?(): { getTarget(): string } } | undefined;
  return engine
    ?.getChannel?.()
    .getTarget()
    .replace(/^dns:\/*/, "");
}

/**
 * A program that failed has not declared all that it meant to. The Automation API takes an inline program for done all the same, and the
 * engine then deletes what is not registered. So each failure that the program's process sees marks the run: no delete of it sends anything.
 */
const failHere = cannotThrow(() => {
  const address = beginRun();
  if (address !== undefined) {
    writeMark(address);
  }
});

/**
 * Whatever rejects and is handled by nothing: an argument or an option of a resource, of whatever package, or a promise that the program does
 * not await. Node runs the listener in the context of the promise, so the run is the one that has made it. Also, `process.exit` ends a program in
 * the middle, and its process says that all is well.
 */
export function watchProgram(): void {
  if (shared[WATCHED]) {
    return;
  }
  shared[WATCHED] = true;
  process.on("uncaughtExceptionMonitor", failHere);
  let isDone = false;
  process.on("beforeExit", () => {
    isDone = true;
  });
  process.on("exit", () => {
    if (!isDone) {
      failHere();
    }
  });
  process.on("unhandledRejection", (reason) => {
    failHere();
    // The SDK listens during a run. Outside of a run our listener alone would hide the error, which ends the process without it.
    if (process.listenerCount("unhandledRejection") === 1) {
      throw reason;
    }
  });
}
