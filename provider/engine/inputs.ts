import * as pulumi from "@pulumi/pulumi";
import { MISSING, NOT_JSON } from "../base/engine";
import { isPlain } from "../base/json";

/**
 * The sorted names of secret arguments: a hidden input, because the engine does not tell a dynamic provider what is secret. Undefined if no argument is
 * an output, as in most programs.
 */
export function secretArguments(args: object): pulumi.Output<string[] | undefined> | undefined {
  const candidates = Object.entries(args).filter(([, value]) => holdsOutput(value));
  const named = candidates.map(async ([name, value]) =>
    (await pulumi.isSecret(pulumi.output(value) as pulumi.Output<unknown>)) ? [name] : [],
  );
  // Without `apply`: its result is unknown at preview if an input is unknown.
  const secret = Promise.all(named).then((names) => names.flat().sort());
  return candidates.length === 0
    ? undefined
    : pulumi.output(secret.then((names) => (names.length === 0 ? undefined : names)));
}

/** What is made of a value. With an output anywhere in it, the result is one output: what is unknown in a list makes the whole argument unknown. */
export const whenKnown = <Value, Made>(value: Value, make: (known: Value) => Made): Made | pulumi.Output<Made> =>
  holdsOutput(value) ? (pulumi.output(value) as pulumi.Output<Value>).apply(make) : make(value);

/** Is there an output in the value? Plain values, as in most programs, hold no secret, and outputs of a thousand of them would take a second. */
function holdsOutput(value: unknown): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  return pulumi.Output.isInstance(value) || value instanceof Promise || Object.values(value).some(holdsOutput);
}

/** The value with a text for each undefined one in its maps, which check refuses. The SDK would leave the key out. */
export const withMissing = <Value>(value: Value): Value => marked(value, MISSING);

/** The same of JSON, in which a key may be undefined. With an output in it the value stays as it is. */
export const asJson = <Value>(value: Value): Value => (holdsOutput(value) ? value : marked(value, undefined));

function marked<Value>(value: Value, missing: string | undefined): Value {
  const item = (entry: unknown): unknown => (entry === undefined ? missing : marked(entry, missing));
  if (Array.isArray(value)) {
    return value.map(item) as Value;
  }
  if (isPlain(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, item(entry)])) as Value;
  }
  const isLost = typeof value === "function" || (typeof value === "object" && value !== null);
  return isLost ? (NOT_JSON as Value) : value;
}
