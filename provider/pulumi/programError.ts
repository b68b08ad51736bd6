import * as pulumi from "@pulumi/pulumi";

/**
 * A mistake of the program, in one sentence and without a stack: of what goes wrong behind an output the SDK prints the stack, and
 * Node 20.20 never ends that if a frame lies directly in a scope's folder, as the SDK's own do. The sentence stays as it is:
 * the SDK writes in front of it that a property could not be serialized.
 */
export function programError(text: string): pulumi.RunError {
  return Object.defineProperties(new pulumi.RunError(text), {
    message: { get: () => text, set: () => {} },
    stack: { value: text, writable: true, configurable: true },
  });
}
