import * as pulumi from "@pulumi/pulumi";
import { GUARD_KEYS, NAMESPACE, PUBLIC_KEYS, unknownSettings } from "../config/keys";
import { noSuchSettings, secretSettings } from "../config/messages";
import { type Message, render } from "../words/message";
import { isAddress, markFailed } from "./marks";
import { guardsOfProject } from "./messages";

/**
 * Marks the run as failed, so that its deletes send nothing. A failed program may not have declared all of its
 * resources. The engine deletes the others if it doesn't notice the failure, as in an inline program of the Automation
 * API, which has no exit code.
 */
function markRunFailed(): void {
  try {
    // The name of the mark's file is derived from the engine's address. The provider processes know that address too,
    // so they can find the file.
    const engine = pulumi.runtime.getEngine() as { getChannel?(): { getTarget(): string } } | undefined;
    const address = engine
      ?.getChannel?.()
      .getTarget()
      .replace(/^dns:\/*/, "");
    // A preview deletes nothing, so its failure needs no mark.
    if (!pulumi.runtime.isDryRun() && isAddress(address)) {
      markFailed(address);
    }
  } catch {
    // Ignore the error if the folder for marks can't be used. The provider can't use the folder either, so it refuses
    // every delete.
  }
}

/**
 * Marks a run as failed if its program fails in a way that only Node reports, such as a rejected promise that nobody
 * awaits. Call this once, when the package is loaded.
 */
export function watchProgram(): void {
  // Node calls the listeners for errors in the async context of the failed code, so they mark the right run.
  process.on("uncaughtExceptionMonitor", markRunFailed);
  // `process.exit(0)` skips `beforeExit`, perhaps before all resources are declared. The SDK usually reports a failure
  // then, but on a busy machine we have seen the engine delete the undeclared resources.
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
    // With a listener, Node doesn't end the process after a rejection. During a run, the SDK's own listener reports the
    // error. Otherwise, throw it to end the process after all.
    if (process.listenerCount("unhandledRejection") === 1) {
      throw reason;
    }
  };
  process.on("unhandledRejection", onRejection);
}

/** Returns an error for a mistake in the program. */
export function programError(message: Message): pulumi.RunError {
  const text = render(message);
  return Object.defineProperties(new pulumi.RunError(text), {
    // Read-only, because the SDK would append a note that it could not serialize a property.
    message: { get: () => text, set: () => {} },
    // Omit the stack trace, because on Node 20.20 the SDK can hang while it prints the stack of a failed output.
    stack: { value: text, writable: true, configurable: true },
  });
}

/**
 * Returns whether a key in the config is secret. This function is internal to the SDK: the SDK's types hide it, and
 * another version of the SDK may not have it.
 */
const { isConfigSecret } = pulumi.runtime as { readonly isConfigSecret?: (key: string) => boolean };

/**
 * The resource monitors of the runs whose config has been checked. A process may have several runs, each with its own
 * monitor, and the config of each run is checked once.
 */
const checkedMonitors = new WeakSet<object>();

const NO_MONITOR = {};

/**
 * Checks the keys in the stack's config. Runs in the program's process, because a provider process sees only the keys
 * that it asks for.
 */
export function refuseUnknownSettings(): void {
  const monitor: object = pulumi.runtime.getMonitor() ?? NO_MONITOR;
  if (checkedMonitors.has(monitor)) {
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
  checkedMonitors.add(monitor);
}
