import * as pulumi from "@pulumi/pulumi";
import { PREVIEW, URN } from "../base/engine";
import { isObject } from "../base/json";
import { dynamicType, isOfNumbers, PROVIDER, providerText, type ResourceKind } from "../config/kinds";
import { explicitProviderRefused, optionReadsNothing } from "../config/messages";
import { labelOf } from "../words/message";
import { secretArguments } from "./inputs";
import { programError, refuseUnknownSettings } from "./program";

/** The names of all outputs of a class: the compiler asks for each one, because a program would see no other and get no error. */
export type OutputNames<Resource> = Readonly<Record<Exclude<keyof Resource, keyof pulumi.CustomResource>, undefined>>;

/**
 * Makes the class of a kind. It is no base class, because the SDK takes the fifth frame of the stack for the program's line: exactly one
 * constructor may be between the program and the SDK.
 * @param kind the name of the class, and the last part of the type token in every saved state: it must not change
 * @param inputsOf the arguments as the engine gets them
 * @param secretOutputs outputs that are secret in every program, because the platform may repeat in them what it was sent
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
        // A program in JavaScript may leave them out.
        const inputs = inputsOf(args ?? ({} as Args));
        refuseReading(kind, name, inputs, opts);
        const urn = urnToBe(name, type, opts?.parent);
        const props = {
          // A program sees only the outputs that are named here.
          ...outputs,
          secretArguments: secretArguments(inputs),
          ...inputs,
          [PROVIDER]: providerText(kind),
          [URN]: urn,
          // Only a preview says ahead that something is posted, and the engine does not tell the provider which of the two it runs.
          ...(!isOfNumbers(kind) && pulumi.runtime.isDryRun() && { [PREVIEW]: true }),
        };
        const additionalSecretOutputs = [...(opts?.additionalSecretOutputs ?? []), ...secretOutputs];
        super(type, name, props, { ...opts, additionalSecretOutputs });
      }
    },
  };
  return classes[kind] as unknown as ResourceClass<Args, Resource>;
}

/** Throws if an option asks the engine to read the resource. The SDK's provider would fail and give no reason, or save the arguments as what the platform has. */
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

/** A provider of its own would be a second process, with another account. Throws if the program gives one, to the resource or to its parent. */
function refuseExplicitProvider(type: string, { provider, parent }: pulumi.CustomResourceOptions = {}): void {
  const explicit = provider ?? parent?.getProvider(type);
  if (explicit !== undefined) {
    const { __name = "" } = explicit as unknown as { readonly __name?: string };
    throw programError(explicitProviderRefused(__name));
  }
}

/**
 * The URN that the engine will give to the resource. Without a parent it is a text, because outputs for a thousand numbers take time. With one
 * it is a promise: an output would depend on the parent, so that the SDK would make the child wait for all children of the parent, and so for
 * itself.
 */
const urnToBe = (name: string, type: string, parent: pulumi.Resource | undefined): string | Promise<string> =>
  parent === undefined
    ? `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`
    : (pulumi.createUrn(name, type, parent) as unknown as { promise(): Promise<string> }).promise();

/** The class of a kind of resource, as a program sees it. */
export interface ResourceClass<Args extends object, Resource extends pulumi.CustomResource> {
  new (name: string, args: Args, opts?: pulumi.CustomResourceOptions): Resource;
  readonly prototype: Resource;
  /** The type in every URN and state. A policy pack asks the class for it: `validateResourceOfType(NumberGroup, …)`. */
  readonly __pulumiType: string;
  /** Whether the value is a resource of this class, even if another copy of the package has made it. */
  isInstance(value: unknown): value is Resource;
}
