/**
 * The hidden input that holds the URN of its resource. The engine tells a dynamic provider no URN, but it hands this input on to check,
 * diff and create, and it shows no property whose name begins with two underscores.
 */
export const URN = "__urn";

/** A URN is `urn:pulumi:<stack>::<project>::<types of parents$…><type>::<name>`, and a name may have `::` in it. The kind is the end of the type. */
export function partsOf(urn: string) {
  const [stack = "", project = "", types = "", ...name] = urn.replace(/^urn:pulumi:/, "").split("::");
  const type = types.slice(types.lastIndexOf("$") + 1);
  return { stack, project, type, kind: type.slice(type.lastIndexOf(":") + 1), name: name.join("::") };
}

export const nameOf = (urn: string): string => partsOf(urn).name;
