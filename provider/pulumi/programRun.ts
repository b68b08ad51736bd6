import * as pulumi from "@pulumi/pulumi";
import { onceForEach } from "../core/common/once";
import { isAddress } from "../edge/engineWatch";
import { removeMark, writeMark } from "../edge/failedMark";
import { cannotThrow } from "../resources/lifecycle";

/** The run as the program's own process knows it. */

const NO_MONITOR = {};

/** Computes a value once for each run of a program. One process may have several runs, and each has a monitor of its own. */
export function oncePerRun<Made>(make: () => Made): () => Made {
  const madeFor = onceForEach((_monitor: object) => make());
  return () => madeFor(pulumi.runtime.getMonitor() ?? NO_MONITOR);
}

/**
 * The engine's address, if this run may delete anything: a preview does not. The program begins with the first call, so a mark at this address
 * is of an earlier run.
 */
export const beginRun = oncePerRun((): string | undefined => {
  const address = pulumi.runtime.isDryRun() ? undefined : engineAddress();
  if (!isAddress(address)) {
    return undefined;
  }
  if (isFirstCopy()) {
    // If it cannot be removed, nothing is cleared, and the provider says why.
    cannotThrow(removeMark)(address);
  }
  return address;
});

/** Is this the program for which the process was started? An inline program of the Automation API has a monitor of its own. */
export const isOwnProgram = (): boolean =>
  withoutScheme(addressOf(pulumi.runtime.getMonitor())) === (process.env.PULUMI_NODEJS_MONITOR ?? "");

/** The engine's address, which each provider process gets as an argument. */
const engineAddress = (): string | undefined => withoutScheme(addressOf(pulumi.runtime.getEngine()));

const withoutScheme = (address: string | undefined): string | undefined => address?.replace(/^dns:\/*/, "");

const addressOf = (service: unknown): string | undefined =>
  (service as { getChannel?(): { getTarget(): string } } | undefined)?.getChannel?.().getTarget();

/** The runs that have begun in this process, by the addresses of their monitors. All copies of this package have the one set. */
const BEGUN = Symbol.for("pulumi-agent-platform.begun");

/** The process may load several copies of this package, and the program begins once: a second copy would remove the mark of the first one. */
function isFirstCopy(): boolean {
  const all = globalThis as { [BEGUN]?: Set<string> };
  all[BEGUN] ??= new Set();
  const run = addressOf(pulumi.runtime.getMonitor()) ?? "";
  const isFirst = !all[BEGUN].has(run);
  all[BEGUN].add(run);
  return isFirst;
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

/** Marks the listeners of every copy of this package that the process has loaded. */
const OURS = Symbol.for("pulumi-agent-platform.watchProgram");

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
    // The SDK listens during a run. Outside of a run our listeners alone would hide the error, which ends the process without them.
    if (process.listeners("unhandledRejection").every((listener) => OURS in listener)) {
      throw reason;
    }
  };
  process.on("unhandledRejection", Object.assign(onRejection, { [OURS]: true }));
}
