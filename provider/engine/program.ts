import { AsyncResource } from "node:async_hooks";
import * as pulumi from "@pulumi/pulumi";
import { ResourceMonitorClient } from "@pulumi/pulumi/proto/resource_grpc_pb";
import { holdsUnknown } from "../base/engine";
import { GUARD_KEYS, NAMESPACE, PUBLIC_KEYS, unknownSettings } from "../config/keys";
import { guardsOfProject, noSuchSettings, secretSettings } from "../config/messages";
import { type Message, render } from "../words/message";
import { isAddress, markFailed } from "./marks";

/**
 * A program that failed has not declared all that it meant to. The Automation API takes an inline program for done all the same, and the
 * engine then deletes what is not registered. So each failure that the program's process sees marks the run: no delete of it sends anything.
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

/** Marks the run as failed if this program fails, or if a resource of it does, of whatever package. Call it once, when the package is loaded. */
export function watchProgram(): void {
  watchProcess();
  watchReplies("registerResource");
  watchReplies("readResource");
}

/**
 * Whatever rejects and is handled by nothing: an argument or an option of a resource, of whatever package, or a promise that the program does
 * not await. Node runs the listener in the context of the promise, so the run is the one that has made it. Also, `process.exit` ends a program in
 * the middle, and its process says that all is well.
 */
function watchProcess(): void {
  process.on("uncaughtExceptionMonitor", markRunFailed);
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

/** What the engine says of a registration. An older SDK does not know all of it. */
interface Reply {
  getResult(): number;
  getUnknown?(): boolean;
  getObject?(): { toJavaScript(): object } | undefined;
}

type Done = (error: unknown, reply?: Reply) => void;

/**
 * With `--continue-on-error` the program goes on after a resource has failed, whose outputs are then unknown. What stands in an `apply` over them
 * is not declared, and the program ends well. So each reply of the engine is looked at, in every run of this process: an inline program has a
 * client of its own, of this class.
 */
function watchReplies(method: "registerResource" | "readResource"): void {
  const client: object = ResourceMonitorClient.prototype;
  const send = Reflect.get(client, method) as (...args: unknown[]) => unknown;
  Reflect.set(client, method, function (this: unknown, request: object, ...rest: unknown[]) {
    const done = rest.pop() as Done;
    // Several inline programs may run at once, and the reply belongs to the one that has sent the request.
    const fail = AsyncResource.bind(markRunFailed);
    const isRemote = "getRemote" in request && (request as { getRemote(): boolean }).getRemote();
    const look: Done = (error, reply) => {
      if (reply === undefined || isIncomplete(reply, isRemote)) {
        fail();
      }
      done(error, reply);
    };
    return send.call(this, request, ...rest, look);
  });
}

/** Has the resource failed, or was it skipped because another one has? Of what fails in a remote component its unknown outputs alone tell. */
function isIncomplete(reply: Reply, isRemote: boolean): boolean {
  const hasFailed = reply.getResult() !== 0 || reply.getUnknown?.() === true;
  return hasFailed || (isRemote && holdsUnknown(reply.getObject?.()?.toJavaScript()));
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
  const [all, project] = [Object.keys(pulumi.runtime.allConfig()), pulumi.getProject()];
  const unknown = unknownSettings(all, project);
  if (unknown.length > 0) {
    throw programError(noSuchSettings(unknown));
  }
  const secret = PUBLIC_KEYS.filter((key) => isConfigSecret?.(`${NAMESPACE}:${key}`));
  if (secret.length > 0) {
    throw programError(secretSettings(secret));
  }
  const unread = GUARD_KEYS.filter((key) => all.includes(`${project}:${key}`) && !all.includes(`${NAMESPACE}:${key}`));
  if (unread.length > 0) {
    void pulumi.log.warn(render(guardsOfProject(project, unread)));
  }
  judged.add(monitor);
}
