import * as pulumi from "@pulumi/pulumi";

/** A number has one routing: two declarations of it would overwrite each other in turn, run after run. */

/** Keyed by the run's monitor and by provider, for several programs may run in one process and an extension exists in each account. */
const runs = new WeakMap<object, Map<unknown, Map<string, string>>>();
const noMonitor = {};

/** Known numbers only: one that is an output is not known while the program is built. */
export function declareOnce(resource: pulumi.CustomResource, name: string, numbers: readonly unknown[]): void {
  const declared = declaredUnder(resource);
  for (const number of numbers) {
    if (typeof number !== "string") continue;
    const other = declared.get(number);
    if (other !== undefined) {
      throw new pulumi.RunError(
        `AGP-003 number ${number} is declared twice under the same account: by "${other}" and by "${name}". Remove one of them: the last PUT would win, run after run.`,
      );
    }
    declared.set(number, name);
  }
}

function declaredUnder(resource: pulumi.CustomResource): Map<string, string> {
  const run = runs.get(pulumi.runtime.getMonitor() ?? noMonitor) ?? new Map<unknown, Map<string, string>>();
  runs.set(pulumi.runtime.getMonitor() ?? noMonitor, run);
  const provider = resource.getProvider("pulumi-nodejs:dynamic:Resource");
  const declared = run.get(provider) ?? new Map<string, string>();
  run.set(provider, declared);
  return declared;
}
