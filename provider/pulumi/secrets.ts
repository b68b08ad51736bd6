import * as pulumi from "@pulumi/pulumi";

/** Secret arguments. The engine marks outputs as secret by their names alone, and does not tell a dynamic provider what is secret. */

/**
 * Hidden inputs that tell the provider the sorted names of secret arguments, and a placeholder for each output that may repeat one: the
 * platform's response may hold it under another name. Undefined if no argument is an output, as in most programs.
 */
export function secretInputs(args: object, repeating: readonly string[]): pulumi.Inputs | undefined {
  const candidates = Object.entries(args).filter(([, value]) => holdsOutput(value));
  if (candidates.length === 0) {
    return undefined;
  }
  const named = candidates.map(async ([name, value]) =>
    (await pulumi.isSecret(pulumi.output(value) as pulumi.Output<unknown>)) ? [name] : [],
  );
  const secret = Promise.all(named).then((names) => names.flat().sort());
  // Without `apply`: its result is unknown at preview if an input is unknown, and check would then get unknown inputs with the names of outputs.
  const ifAny = <Value>(make: (names: string[]) => Value) =>
    pulumi.output(secret.then((names) => (names.length === 0 ? undefined : make(names))));
  const placeholder = ifAny(() => pulumi.secret(undefined));
  return {
    ...Object.fromEntries(repeating.map((name) => [name, placeholder])),
    secretArguments: ifAny((names) => names),
  };
}

/** What is made of a value. With an output anywhere in it, the result is one output: what is unknown in a list makes the whole argument unknown. */
export const whenKnown = <Value, Made>(value: Value, make: (known: Value) => Made): Made | pulumi.Output<Made> =>
  holdsOutput(value) ? (pulumi.output(value) as pulumi.Output<Value>).apply(make) : make(value);

/** Is there an output in the value? Plain values, as in most programs, hold no secret, and outputs of a thousand of them would take a second. */
function holdsOutput(value: unknown): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  return isOutput(value) || Object.values(value).some(holdsOutput);
}

/** Is it a value that is known only later? */
export const isOutput = (value: object): boolean => pulumi.Output.isInstance(value) || value instanceof Promise;
