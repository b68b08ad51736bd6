import * as pulumi from "@pulumi/pulumi";
import { dynamicType, providerText } from "../core/dynamicState";
import type { ResourceKind } from "../core/urn";
import type { Echoed } from "../edge/outputs";
import { type Declaration, newDeclaration } from "./declarations";
import { mistakesIn, refuse } from "./mistakes";
import { namesOrNothing, placeholder, secretArguments } from "./secrets";
import { refuseUnknownSettings } from "./stackConfig";
import { pauseStackTraces } from "./stackTraces";

/** What a program sees of a kind of resource: it is constructed with arguments, and has outputs. */
export interface ResourceClass<Args extends object, Resource extends pulumi.CustomResource> {
  new (name: string, args: Args, opts?: pulumi.CustomResourceOptions): Resource;
  readonly prototype: Resource;
}

/** What the class of a resource adds to every resource of Pulumi's. */
type OutputName<Resource> = Exclude<keyof Resource, keyof pulumi.CustomResource>;

export interface Definition<Args extends object, Resource extends pulumi.CustomResource> {
  /** Name of the class, and the last part of the type token: a contract with every saved state. */
  readonly kind: ResourceKind;
  /** Every output: one exists in the program only if it is named when the resource is constructed. */
  readonly outputs: Readonly<Record<OutputName<Resource>, Echoed<keyof Args>>>;
  /** What is saved beside the outputs and may repeat a secret argument. */
  readonly alsoSaved?: Readonly<Record<string, Echoed<keyof Args>>>;
  /** The arguments as the engine gets them. */
  readonly inputsOf: (args: Args, declaration: Declaration) => object;
}

/**
 * The class of a kind. No base class could carry the constructor: the SDK takes the fifth frame of the stack for the program's
 * line, so between the program and the SDK there is exactly this one.
 */
export function defineResource<Args extends object, Resource extends pulumi.CustomResource>(
  definition: Definition<Args, Resource>,
): ResourceClass<Args, Resource> {
  const { kind } = definition;
  const type = dynamicType(kind);
  const classes = {
    [kind]: class extends pulumi.CustomResource {
      constructor(name: string, args: Args, opts?: pulumi.CustomResourceOptions) {
        refuseUnknownSettings();
        const traces = pauseStackTraces(new.target);
        const declaration = newDeclaration(kind, name, opts?.parent);
        try {
          super(type, name, propsOf(definition, { type, name, args: args ?? {}, opts }, declaration), opts);
        } catch (error) {
          throw traces.traced(error);
        } finally {
          traces.resume();
        }
        declaration.conclude(this);
      }
    },
  };
  return classes[kind] as unknown as ResourceClass<Args, Resource>;
}

interface Constructed<Args> {
  readonly type: string;
  readonly name: string;
  readonly args: Args;
  readonly opts: pulumi.CustomResourceOptions | undefined;
}

function propsOf<Args extends object, Resource extends pulumi.CustomResource>(
  { kind, outputs, alsoSaved = {}, inputsOf }: Definition<Args, Resource>,
  { type, name, args, opts }: Constructed<Args>,
  declaration: Declaration,
): pulumi.Inputs {
  const inputs = inputsOf(args, declaration);
  const mistakes = mistakesIn(kind, inputs, opts);
  const secret = secretArguments(args);
  const saved: readonly [string, Echoed<keyof Args>][] = Object.entries({ ...outputs, ...alsoSaved });
  const placeholderFor = (echoed: Echoed<keyof Args>): unknown =>
    secret === undefined || echoed === "no other"
      ? undefined
      : placeholder(secret, (argument) => echoed === "all" || echoed.some((one) => one === argument));
  return {
    ...Object.fromEntries(saved.map(([output, echoed]) => [output, placeholderFor(echoed)])),
    ...inputs,
    ...(secret === undefined ? {} : { secretArguments: namesOrNothing(secret) }),
    __provider:
      mistakes.length === 0 ? providerText(kind) : refuse(pulumi.createUrn(name, type, opts?.parent), mistakes),
  };
}
