import * as pulumi from "@pulumi/pulumi";
import { GUARD_KEYS, NAMESPACE, PUBLIC_KEYS, unknownSettings } from "../config/keys";
import { guardsOfProject, noSuchSettings, secretSettings } from "../config/messages";
import { type Message, render } from "../words/message";
import { isAddress, markFailed } from "./marks";

/**
 * A program that failed has not declared all that it meant to. The CLI sees that by its exit code and deletes nothing, but the Automation API
 * takes an inline program for done, and the engine then deletes what is not registered. So each failure that Node hears of marks the run: no
 * delete of it sends anything.
 */
function markRunFailed(): void {
  try {
    // Each provider process gets this address as an argument.
    const engine = pulumi.runtime.getEngine() as { getChannel?(): { getTarget(): string } } | undefined;
    const address = engine
      ?.getChannel?.()
      .getTarget()
      .replace(/^dns:\/*/, "");
    // A preview deletes nothing.
    if (!pulumi.runtime.isDryRun() && isAddress(address)) {
      markFailed(address);
    }
  } catch {
    // If the folder cannot be used, each delete is refused.
  }
}

/**
 * Marks the run as failed if its program fails in a way that Node alone hears of: an argument of a resource, of whatever package, or a promise
 * that the program does not await rejects, or a timer throws. Node runs the listeners in the context of the promise or the timer, so the run is
 * the one that has made it. Call it once, when the package is loaded.
 */
export function watchProgram(): void {
  process.on("uncaughtExceptionMonitor", markRunFailed);
  // `process.exit(0)` in the middle of a program looks like success. The SDK usually turns it into a failure, but on a busy machine the engine has
  // been seen to delete what was not declared yet.
  let isDone = false;
  process.on("beforeExit", () => {
    isDone = true;
  });
  process.on("exit", () => {
    if (!isDone) {
      markRunFailed();
    }
  });
  const onRejection = (reason: unknown): void => {
    markRunFailed();
    // The SDK listens during a run. Outside of a run our listener alone would hide the error, which ends the process without it.
    if (process.listenerCount("unhandledRejection") === 1) {
      throw reason;
    }
  };
  process.on("unhandledRejection", onRejection);
}

/**
 * A mistake of the program, in one sentence and without a stack. If an output fails, the SDK prints the stack of its error, and Node 20.20
 * never ends that for some stacks. The message cannot be changed, because the SDK would add that a property could not be serialized.
 */
export function programError(message: Message): pulumi.RunError {
  const text = render(message);
  return Object.defineProperties(new pulumi.RunError(text), {
    message: { get: () => text, set: () => {} },
    stack: { value: text, writable: true, configurable: true },
  });
}

/** Its types hide this function of the SDK; undefined if a version has none. */
const { isConfigSecret } = pulumi.runtime as { readonly isConfigSecret?: (key: string) => boolean };

/** A process may have several runs, and each has a monitor of its own. */
const judged = new WeakSet<object>();

const NO_MONITOR = {};

/**
 * Throws if a key of the stack's config is not a setting, or is secret and may not be: the program sees all keys, and a provider process only
 * those that it asks for. The provider judges the values. It warns of a guard under the project's own namespace, as
 * `pulumi config set maxShift 20` writes it, because that guards nothing. Another key there, such as `baseUrl`, may be the program's own.
 */
export function refuseUnknownSettings(): void {
  const monitor: object = pulumi.runtime.getMonitor() ?? NO_MONITOR;
  if (judged.has(monitor)) {
    return;
  }
  const [keys, project] = [Object.keys(pulumi.runtime.allConfig()), pulumi.getProject()];
  const unknown = unknownSettings(keys, project);
  if (unknown.length > 0) {
    throw programError(noSuchSettings(unknown));
  }
  const secret = PUBLIC_KEYS.filter((key) => isConfigSecret?.(`${NAMESPACE}:${key}`));
  if (secret.length > 0) {
    throw programError(secretSettings(secret));
  }
  const unread = GUARD_KEYS.filter(
    (key) => keys.includes(`${project}:${key}`) && !keys.includes(`${NAMESPACE}:${key}`),
  );
  if (unread.length > 0) {
    void pulumi.log.warn(render(guardsOfProject(project, unread)));
  }
  judged.add(monitor);
}
