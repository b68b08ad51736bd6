import { ENGINE_KEYS, NAMESPACE } from "../../provider/core/settings";
import { KINDS, type ResourceKind } from "../../provider/core/urn";
import type { Properties } from "./values";

/** What a type and a reference to a provider say. */

/** The dynamic type of Node programs, or the plugin's type of all others. */
const RESOURCE = /^(?:pulumi-nodejs:dynamic\/agent-platform|agent-platform:index):(\w+)$/;
const PLUGIN = "pulumi:providers:agent-platform";
const PROVIDER_TYPES: readonly string[] = ["pulumi:providers:pulumi-nodejs", PLUGIN];

export const kindOf = (type: string): ResourceKind | undefined =>
  KINDS.find((kind) => kind === RESOURCE.exec(type)?.[1]);

/** May it be a provider of this platform? The one of Node's dynamic resources carries others as well. */
export const isProviderType = (type: string): boolean => PROVIDER_TYPES.includes(type);

/** Settings under the keys of a stack's config: the plugin's own stand without the namespace, as in an explicit provider in YAML. */
export const withNamespace = (type: string, inputs: Properties): Properties =>
  type === PLUGIN
    ? Object.fromEntries(
        Object.entries(inputs).map(([key, value]) => [ENGINE_KEYS.includes(key) ? key : `${NAMESPACE}:${key}`, value]),
      )
    : inputs;

/** The URN in `urn:…::pulumi:providers:pulumi-nodejs::<name>::<id>`, as a resource refers to its provider. */
export const providerUrn = (reference: string): string => reference.slice(0, Math.max(0, reference.lastIndexOf("::")));
