import * as pulumi from "@pulumi/pulumi";

/** Secret arguments: the engine marks an output as secret by its name alone, and the provider is not told what is secret. */

/** The names of the arguments that hold a secret, in order; undefined where none can, as in most programs. */
export function secretArguments(args: object): Promise<readonly string[]> | undefined {
  const candidates = Object.entries(args).filter(([, value]) => holdsOutput(value));
  if (candidates.length === 0) {
    return undefined;
  }
  const named = candidates.map(async ([name, value]) =>
    (await pulumi.isSecret(pulumi.output(value) as pulumi.Output<unknown>)) ? [name] : [],
  );
  return Promise.all(named).then((names) => names.flat().sort());
}

// Neither of these by apply: that is unknown at preview where an input is, and check would meet the names of outputs among the inputs.

/** What tells the provider which values no message may show; absent where nothing is secret. */
export const namesOrNothing = (secret: Promise<readonly string[]>): pulumi.Output<readonly string[] | undefined> =>
  pulumi.output(secret.then((names) => (names.length === 0 ? undefined : [...names])));

/**
 * A placeholder for an output that may repeat some of the arguments: secret where one of them is, for the platform's answer may
 * hold a secret input under another name.
 */
export const placeholder = (
  secret: Promise<readonly string[]>,
  mayRepeat: (name: string) => boolean,
): pulumi.Output<undefined> =>
  pulumi.output(
    secret.then((names): undefined | pulumi.Output<undefined> =>
      names.some(mayRepeat) ? pulumi.secret(undefined) : undefined,
    ),
  );

/** A secret inside a list marks the whole argument, so that it stays one when the list becomes a map. */
export function lifted<Args extends object>(args: Args, keys: readonly (keyof Args)[]): Args {
  const holding = keys.filter((key) => holdsOutput(args[key]));
  return { ...args, ...Object.fromEntries(holding.map((key) => [key, pulumi.output(args[key])])) };
}

/** Plain values, which most are, hold no secret; outputs of them would cost a program of a thousand numbers a second. */
export function holdsOutput(value: unknown): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  return isOutput(value) || Object.values(value).some(holdsOutput);
}

/** Is it known later, if at all? */
export const isOutput = (value: object): boolean => pulumi.Output.isInstance(value) || value instanceof Promise;
