/** The kinds of resources, and what a URN says. */

export const KINDS = ["NumberAssignment", "NumberGroup", "CommunityVoice", "SmsChat"] as const;
export type ResourceKind = (typeof KINDS)[number];

/** The type of a kind in a state that the plugin saved. */
export const pluginType = (kind: ResourceKind): string => `agent-platform:index:${kind}`;

/**
 * The hidden input that holds the URN of its resource. The engine tells a dynamic provider no URN, but it hands this input on to check,
 * diff and create, and it shows no property whose name begins with two underscores. A plugin gets the URN with each request.
 */
export const URN = "__urn";

/** Does it hold numbers? The others are posted. */
export const isOfNumbers = (kind: ResourceKind): boolean => kind === "NumberAssignment" || kind === "NumberGroup";

/** `urn:pulumi:<stack>::<project>::<parent type$…><type>::<name>`; a name may hold `::` itself. The kind is how the type ends. */
export function partsOf(urn: string) {
  const [stack = "", project = "", types = "", ...name] = urn.replace(/^urn:pulumi:/, "").split("::");
  const type = types.slice(types.lastIndexOf("$") + 1);
  return { stack, project, type, kind: type.slice(type.lastIndexOf(":") + 1), name: name.join("::") };
}

export const nameOf = (urn: string): string => partsOf(urn).name;

/** Name of an explicit provider; undefined for the engine's own, which it tells by the beginning: `default`, `default_3_255_0`. */
export function explicitProvider(urn: string): string | undefined {
  const name = nameOf(urn);
  return name === "" || name.startsWith("default") ? undefined : name;
}
