import { ENGINE_KEYS, NAMESPACE } from "../../provider/core/config/settings";
import { dynamicType, KINDS, pluginType, type ResourceKind } from "../../provider/core/platform/kinds";
import type { Properties } from "./values";

/** What the types of resources say. */

const PLUGIN_PROVIDER = `pulumi:providers:${NAMESPACE}`;

/** The kind of a type, which is the dynamic one or that of the plugin; undefined for other packages. */
export const kindOf = (type: string): ResourceKind | undefined =>
  KINDS.find((kind) => type === dynamicType(kind) || type === pluginType(kind));

/** Settings under the keys of a stack's config. Those of a plugin's provider have no namespace. */
export const withNamespace = (type: string, inputs: Properties): Properties =>
  type === PLUGIN_PROVIDER
    ? Object.fromEntries(
        Object.entries(inputs).map(([key, value]) => [ENGINE_KEYS.includes(key) ? key : `${NAMESPACE}:${key}`, value]),
      )
    : inputs;
