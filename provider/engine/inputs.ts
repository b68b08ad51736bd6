import * as pulumi from "@pulumi/pulumi";
import { MISSING, NOT_JSON } from "../base/engine";
import { isPlain } from "../base/json";

/**
 * Returns the sorted names of the secret arguments. The resource classes pass them to the provider as a hidden input,
 * because the engine doesn't tell a dynamic provider which values are secret. Returns undefined if no argument contains
 * an output, as in most programs, because only an output can be secret.
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
 * Returns true if the value contains an output or a promise at any depth. Most programs pass plain values, which can't
 * be secret, and wrapping a thousand plain values in outputs would take a second.
 */
function containsOutput(value: unknown): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  return pulumi.Output.isInstance(value) || value instanceof Promise || Object.values(value).some(containsOutput);
}

/**
 * Replaces each undefined value in a list or map with the marker MISSING, so that check refuses it. Otherwise, the SDK
 * would silently drop a map's key if its value is undefined. Also replaces values that JSON cannot represent, as
 * `asJson` does.
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
