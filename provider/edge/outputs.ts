import { isOfNumbers, pluginType, postedAs, type ResourceKind } from "../core/platform/kinds";

/** The schema that `npm run docs` makes of the types and comments that a program sees. */
export const schema = require("./schema.json") as typeof import("./schema.json");

const describedAs = (kind: ResourceKind) => schema.resources[pluginType(kind) as keyof typeof schema.resources];

export const outputNames = (kind: ResourceKind): string[] => Object.keys(describedAs(kind).properties);

/**
 * What is saved beside the arguments and is secret if one of them is, because it may repeat that argument. Numbers keep in `unapplied` the
 * URL of a webhook, the one secret of a routing.
 */
export function repeatingOf(kind: ResourceKind): string[] {
  if (isOfNumbers(kind)) {
    return ["unapplied"];
  }
  const others = [...Object.keys(describedAs(kind).inputProperties), postedAs(kind).idName, "endpoint"];
  return outputNames(kind).filter((name) => !others.includes(name));
}
