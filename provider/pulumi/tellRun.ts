import * as pulumi from "@pulumi/pulumi";
import { existsOnce, identityOf, numbersOf } from "../core/numberList";
import { isAddress } from "../edge/engineWatch";
import { openRunFile } from "../edge/runFile";
import type { RunFile } from "../resources/run";
import { oncePerRun } from "./perRun";
import { endpointOf } from "./platformProvider";
import { holdsOutput } from "./secrets";

/**
 * The program tells the provider processes of the run which numbers it declares. They hear of every resource that the engine asks them to
 * check. Of a resource that `--target` or `--exclude` leaves out they hear only from here.
 */
export function tellRun(resource: pulumi.CustomResource, given: unknown): void {
  const file = runFile();
  if (file === undefined) {
    return;
  }
  const endpoint = endpointOf(resource.getProvider("pulumi-nodejs:dynamic:Resource"));
  const { number, numbers = number } = resource as { number?: Output; numbers?: Output };
  const known = [resolved(given), numbers?.promise?.()];
  const urn = (resource.urn as unknown as Output).promise?.();
  Promise.all([urn, ...known]).then(
    ([by, ...values]) => tell(file, String(by), endpoint, values.flatMap(listed)),
    // The SDK reports it. In an inline program it goes on to the deletes all the same, though it has not registered this resource.
    () => file.tell({ failed: true }),
  );
}

/** An extension is left to the provider processes, because the program does not know which account it is in. */
function tell(file: RunFile, by: string, endpoint: string | undefined, numbers: readonly string[]): void {
  if (endpoint === undefined) {
    return;
  }
  const keys = numbers.filter(existsOnce).map((number) => file.keyOf(identityOf(number, endpoint, "")));
  if (keys.length > 0) {
    file.tell({ by, declares: [...new Set(keys)] });
  }
}

/** A preview deletes nothing. */
const runFile = oncePerRun((): RunFile | undefined => {
  const address = pulumi.runtime.isDryRun() ? undefined : engineAddress();
  return isAddress(address) ? openRunFile(address, true) : undefined;
});

/** The provider processes get it as their argument. */
function engineAddress(): string | undefined {
  const engine = pulumi.runtime.getEngine() as { getChannel?(): { getTarget(): string } } | undefined;
  const target = engine?.getChannel?.().getTarget();
  return target?.replace(/^dns:\/*/, "");
}

/** Not by `apply`, whose output would report the same failure once more. */
const resolved = (given: unknown): unknown =>
  holdsOutput(given) ? (pulumi.output(given) as unknown as Output).promise?.() : given;

/** As the SDK has it; its types hide the promise. */
interface Output {
  promise?(): Promise<unknown>;
}

/** A number; a list; a map from number to label; or the text that a group has as its output. */
function listed(value: unknown): string[] {
  if (typeof value === "string") {
    return value.endsWith("\n") ? numbersOf(value) : [value];
  }
  if (Array.isArray(value)) {
    return value.filter((item) => typeof item === "string");
  }
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}
