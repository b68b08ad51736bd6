import * as pulumi from "@pulumi/pulumi";
import { MISSING, NOT_JSON } from "../base/engine";
import { isPlain } from "../base/json";

/**
 * Returns the sorted names of the secret arguments, for the hidden input of that name. Undefined if no argument
 * contains an output, because only outputs can be secret.
 */
export function secretArguments(args: object): pulumi.Output<string[] | undefined> | undefined {
  const candidates = Object.entries(args).filter(([, value]) => containsOutput(value));
  const named = candidates.map(async ([name, value]) =>
    (await pulumi.isSecret(pulumi.output(value) as pulumi.Output<unknown>)) ? [name] : [],
  );
  // Don't use `apply` here. In a preview, its result would be unknown as soon as any argument is unknown.
  const secret = Promise.all(named).then((names) => names.flat().sort());
  return candidates.length === 0
    ? undefined
    : pulumi.output(secret.then((names) => (names.length === 0 ? undefined : names)));
}

/**
 * Converts a value once it is known. If the value holds an output at any depth, the result is a single output, so one
 * unknown list entry makes the whole argument unknown.
 */
export const whenKnown = <Value, Made>(value: Value, make: (known: Value) => Made): Made | pulumi.Output<Made> =>
  containsOutput(value) ? (pulumi.output(value) as pulumi.Output<Value>).apply(make) : make(value);

/**
 * Returns true if the value contains an output or a promise at any depth. Callers don't wrap plain values in outputs,
 * because a thousand of them would take a second.
 */
function containsOutput(value: unknown): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  return pulumi.Output.isInstance(value) || value instanceof Promise || Object.values(value).some(containsOutput);
}

/**
 * Replaces undefined values in lists and maps with the marker MISSING. Also replaces values that JSON cannot represent,
 * as `asJson` does.
 */
export const withMissing = <Value>(value: Value): Value => marked(value, MISSING);

/**
 * Replaces values that JSON cannot represent, such as a Date, with the marker NOT_JSON, so that check refuses them.
 * Keeps outputs and promises, which the SDK resolves.
 */
export const asJson = <Value>(value: Value): Value => marked(value, undefined);

function marked<Value>(value: Value, missing: string | undefined): Value {
  const item = (entry: unknown): unknown => (entry === undefined ? missing : marked(entry, missing));
  if (pulumi.Output.isInstance(value) || value instanceof Promise) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map(item) as Value;
  }
  if (isPlain(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, item(entry)])) as Value;
  }
  const isLost = typeof value === "function" || (typeof value === "object" && value !== null);
  return isLost ? (NOT_JSON as Value) : value;
}
