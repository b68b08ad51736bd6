import * as pulumi from "@pulumi/pulumi";

/**
 * A mistake of the program, in one sentence and without a stack. If an output fails, the SDK prints the stack of its error, and Node 20.20
 * never ends that for some stacks. The message cannot be changed, because the SDK would add that a property could not be serialized.
 */
export function programError(text: string): pulumi.RunError {
  return Object.defineProperties(new pulumi.RunError(text), {
    message: { get: () => text, set: () => {} },
    stack: { value: text, writable: true, configurable: true },
  });
}
