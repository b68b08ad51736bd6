import * as pulumi from "@pulumi/pulumi";
import { GUARD_KEYS, NAMESPACE, PUBLIC_KEYS, unknownSettings } from "../config/keys";
import { guardsOfProject, noSuchSettings, secretSettings } from "../config/messages";
import { type Message, render } from "../words/message";
import { isAddress, markFailed } from "./marks";

/**
 * Marks the run as failed, so that its deletes send nothing. A failed program may not have declared all of its
 * resources. The CLI sees the exit code and deletes nothing, but the Automation API treats an inline program as
 * finished, and the engine then deletes the resources that it didn't register.
 */
function markRunFailed(): void {
  try {
    // The engine passes this address to each provider process.
    const engine = pulumi.runtime.getEngine() as { getChannel?(): { getTarget(): string } } | undefined;
    const address = engine
      ?.getChannel?.()
      .getTarget()
      .replace(/^dns:\/*/, "");
    // A preview never deletes, so it leaves no marks.
    if (!pulumi.runtime.isDryRun() && isAddress(address)) {
      markFailed(address);
    }
  } catch {
    // If the folder can't be used, every delete is refused anyway.
  }
}

/**
 * Marks the run as failed if its program fails in a way that only Node reports: a rejected argument of any resource, a
 * rejected promise that nobody awaits, or an exception in a timer. Node calls the listeners in the async context of the
 * promise or timer, so we mark the run that created it. Call this once, when the package is loaded.
 */
export function watchProgram(): void {
  process.on("uncaughtExceptionMonitor", markRunFailed);
  // `process.exit(0)` in the middle of a program looks like a successful exit. The SDK usually reports a failure, but
  // on a busy machine we have seen the engine delete resources that the program hadn't declared yet.
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
    // During a run, the SDK has a listener of its own. Outside of a run, our listener must not hide the error, which
    // otherwise ends the process.
    if (process.listenerCount("unhandledRejection") === 1) {
      throw reason;
    }
  };
  process.on("unhandledRejection", onRejection);
}

/**
 * Returns an error without a stack trace for a mistake in the program. On Node 20.20, the SDK can hang while it prints
 * the stack of a failed output. The message is read-only, because otherwise the SDK would append a note about a
 * property that it could not serialize.
 */
export function programError(message: Message): pulumi.RunError {
  const text = render(message);
  return Object.defineProperties(new pulumi.RunError(text), {
    message: { get: () => text, set: () => {} },
    stack: { value: text, writable: true, configurable: true },
  });
}

/** The SDK's types hide this function. Undefined in SDK versions that don't have it. */
const { isConfigSecret } = pulumi.runtime as { readonly isConfigSecret?: (key: string) => boolean };

/** The monitors of the runs that we have checked. A process may have several runs, each with its own monitor. */
const checkedMonitors = new WeakSet<object>();

const NO_MONITOR = {};

/**
 * Throws if a key in the stack's config is not a setting, or if a setting that must not be secret is secret. Runs in
 * the program's process, because a provider process sees only the keys that it asks for. Also warns about a guard in
 * the project's own namespace, where `pulumi config set maxShift 20` puts it.
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
