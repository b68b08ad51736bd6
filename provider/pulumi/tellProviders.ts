import * as pulumi from "@pulumi/pulumi";
import { declaredByProgram } from "../edge/declared/declared";
import { isAddress } from "../edge/engineWatch";

/** Tells the provider processes of the run what the program declares. A preview deletes nothing. */
export function newTelling(): ReturnType<typeof declaredByProgram> | undefined {
  const address = pulumi.runtime.isDryRun() ? undefined : engineAddress();
  return isAddress(address) ? declaredByProgram(address) : undefined;
}

/** The provider processes get it as their argument. */
function engineAddress(): string | undefined {
  const engine = pulumi.runtime.getEngine() as { getChannel?(): { getTarget(): string } } | undefined;
  const target = engine?.getChannel?.().getTarget();
  return target?.replace(/^dns:\/*/, "");
}

/** Hands over the numbers that the engine has the resource hold. One that is never registered fails the run by itself. */
export function whenRegistered(resource: pulumi.CustomResource, tell: (held: unknown) => void): void {
  const { number, numbers = number } = resource as { number?: Output; numbers?: Output };
  // Not by `apply`, whose output would report the same failure once more.
  numbers?.promise?.().then(tell, () => {});
}

/** As the SDK has it, where its types hide the promise. */
interface Output {
  promise?(): Promise<unknown>;
}
