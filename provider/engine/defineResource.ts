import * as pulumi from "@pulumi/pulumi";
import { PREVIEW, URN } from "../base/engine";
import { isObject } from "../base/json";
import { dynamicType, isOfNumbers, PROVIDER, providerText, type ResourceKind } from "../config/kinds";
import { labelOf } from "../words/message";
import { secretArguments } from "./inputs";
import { explicitProviderRefused, optionReadsNothing } from "./messages";
import { programError, refuseUnknownSettings } from "./program";

/**
 * The names of a resource's outputs. The compiler requires every name, because a program would silently lack an output
 * that isn't named here.
 */
export type OutputNames<Resource> = Readonly<Record<Exclude<keyof Resource, keyof pulumi.CustomResource>, undefined>>;

/**
 * Defines the class for a kind of resource. A base class of our own would add a constructor to the call stack, and the
 * SDK wouldn't find the program's source line, which it expects at a fixed depth.
 * @param kind the name of the class. It ends the type token in every saved state, so it must never change.
 * @param inputsOf converts the program's arguments to the inputs that the engine receives
 * @param secretOutputs outputs that are always secret, because the platform may repeat secret arguments in them
 */
export function defineResource<Args extends object, Resource extends pulumi.CustomResource>(
  kind: ResourceKind,
  outputs: OutputNames<Resource>,
  inputsOf: (args: Args) => object = (args) => args,
  secretOutputs: readonly (string & keyof OutputNames<Resource>)[] = [],
): ResourceClass<Args, Resource> {
  const classes = {
    [kind]: class extends pulumi.CustomResource {
      static readonly __pulumiType = dynamicType(kind);

      static override isInstance(value: unknown): value is pulumi.CustomResource {
        return isObject(value) && value.__pulumiType === dynamicType(kind);
      }

      constructor(name: string, args: Args, opts?: pulumi.CustomResourceOptions) {
        refuseUnknownSettings();
        const type = dynamicType(kind);
        refuseExplicitProvider(type, opts);
        // The type requires `args`, but a JavaScript program may omit them.
        const inputs = inputsOf(args ?? ({} as Args));
        refuseReading(kind, name, inputs, opts);
        const urn = futureUrn(name, type, opts?.parent);
        const props = {
          ...outputs,
          secretArguments: secretArguments(inputs),
          ...inputs,
          [PROVIDER]: providerText(kind),
          [URN]: urn,
          // Tell the provider that this run is a preview, because the engine doesn't. Only in a preview does the
          // provider print a line for each POST that `pulumi up` would send.
          ...(!isOfNumbers(kind) && pulumi.runtime.isDryRun() && { [PREVIEW]: true }),
        };
        const additionalSecretOutputs = [...(opts?.additionalSecretOutputs ?? []), ...secretOutputs];
        super(type, name, props, { ...opts, additionalSecretOutputs });
      }
    },
  };
  return classes[kind] as unknown as ResourceClass<Args, Resource>;
}

/**
 * Throws if the resource option `import` or `id` is set. The engine's read would fail without a message, or save
 * arguments that the platform may not have.
 */
function refuseReading(
  kind: ResourceKind,
  name: string,
  inputs: object,
  options: pulumi.CustomResourceOptions = {},
): void {
  for (const option of ["import", "id"] as const) {
    const { [option]: id } = options;
    if (id !== undefined) {
      const label = labelOf(kind, name, Reflect.get(inputs, "number"));
      throw programError(optionReadsNothing(label, kind, option, typeof id === "string" ? id : "<id>"));
    }
  }
}

/**
 * Throws if the resource or its parent has an explicit provider, which would run in a second process. Neither process
 * would know which numbers the other has checked.
 */
function refuseExplicitProvider(type: string, { provider, parent }: pulumi.CustomResourceOptions = {}): void {
  const explicit = provider ?? parent?.getProvider(type);
  if (explicit !== undefined) {
    const { __name = "" } = explicit as unknown as { readonly __name?: string };
    throw programError(explicitProviderRefused(__name));
  }
}

/**
 * Returns the URN that the engine will assign, as a promise if there is a parent. An output would depend on the parent,
 * and make the resource wait for all children of the parent, including itself.
 */
const futureUrn = (name: string, type: string, parent: pulumi.Resource | undefined): string | Promise<string> =>
  parent === undefined
    ? `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`
    : (pulumi.createUrn(name, type, parent) as unknown as { promise(): Promise<string> }).promise();

/** A resource class as a program sees it. */
export interface ResourceClass<Args extends object, Resource extends pulumi.CustomResource> {
  new (name: string, args: Args, opts?: pulumi.CustomResourceOptions): Resource;
  readonly prototype: Resource;
  /**
   * The type token in URNs and saved states. Pulumi's policy SDK reads this property of the class in
   * `validateResourceOfType(NumberGroup, …)`.
   */
  readonly __pulumiType: string;
  /** Returns true if the value is a resource of this class, even if another copy of this package created it. */
  isInstance(value: unknown): value is Resource;
}
