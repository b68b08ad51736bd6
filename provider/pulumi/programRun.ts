import * as pulumi from "@pulumi/pulumi";
import { onceForEach } from "../core/common/once";
import { isAddress } from "../edge/engineWatch";
import { markFailed } from "../edge/runMarks";
import { cannotThrow } from "../resources/lifecycle";

/** The run as the program's own process knows it. */

const NO_MONITOR = {};

/** Computes a value once for each run of a program. One process may have several runs, and each has a monitor of its own. */
export function oncePerRun<Made>(make: () => Made): () => Made {
  const madeFor = onceForEach((_monitor: object) => make());
  return () => madeFor(pulumi.runtime.getMonitor() ?? NO_MONITOR);
}

const addressOf = (service: unknown): string | undefined =>
  (service as { getChannel?(): { getTarget(): string } } | undefined)
    ?.getChannel?.()
    .getTarget()
    .replace(/^dns:\/*/, "");

/**
 * A program that failed has not declared all that it meant to. The Automation API takes an inline program for done all the same, and the
 * engine then deletes what is not registered. So each failure that the program's process sees marks the run: no delete of it sends anything.
 */
const failHere = cannotThrow(() => {
  // Each provider process gets this address as an argument.
  const address = addressOf(pulumi.runtime.getEngine());
  // A preview deletes nothing.
  if (!pulumi.runtime.isDryRun() && isAddress(address)) {
    markFailed(address);
  }
});

/**
 * Whatever rejects and is handled by nothing: an argument or an option of a resource, of whatever package, or a promise that the program does
 * not await. Node runs the listener in the context of the promise, so the run is the one that has made it. Also, `process.exit` ends a program in
 * the middle, and its process says that all is well.
 */
export function watchProgram(): void {
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
  const onRejection = (reason: unknown): void => {
    failHere();
    // The SDK listens during a run. Outside of a run our listener alone would hide the error, which ends the process without it.
    if (process.listenerCount("unhandledRejection") === 1) {
      throw reason;
    }
  };
  process.on("unhandledRejection", onRejection);
}
