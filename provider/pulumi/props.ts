import * as pulumi from "@pulumi/pulumi";

/** What a resource hands to the engine beside its arguments: the provider, and the outputs that there are to be. */

/** The whole provider in the state: one constant line, the same on every machine and in every release. */
export const providerText = (handler: string): string =>
  `exports.handler = () => require("pulumi-agent-platform/handlers").${handler}`;

/** Outputs exist only if they are named at construction. */
export const named = (names: readonly string[], value?: unknown) =>
  Object.fromEntries(names.map((name) => [name, value]));

/**
 * A placeholder that is secret where the inputs are: the engine re-marks an output as secret by its name alone, and what the
 * platform answers may echo a secret input under another name.
 */
export function echoOf(inputs: object | undefined): pulumi.Output<undefined> | undefined {
  if (!holdsOutput(inputs)) return undefined;
  // Not by apply: that is unknown at preview where an input is, and check would meet the names of outputs among the inputs.
  return pulumi.output(
    pulumi
      .isSecret(pulumi.output<object | undefined>(inputs))
      .then((isSecret): undefined | pulumi.Output<undefined> => (isSecret ? pulumi.secret(undefined) : undefined)),
  );
}

/** A secret inside a list marks the whole argument, so that it stays one when the list becomes a map. */
export function lifted<Args extends object>(args: Args, keys: readonly (keyof Args)[]): Args {
  const holding = keys.filter((key) => holdsOutput(args[key]));
  return { ...args, ...Object.fromEntries(holding.map((key) => [key, pulumi.output(args[key])])) };
}

/** Plain values, which most are, hold no secret; outputs of them would cost a program of a thousand numbers a second. */
function holdsOutput(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (pulumi.Output.isInstance(value) || value instanceof Promise) return true;
  return Object.values(value).some(holdsOutput);
}
