import type { Declaration, Member } from "../reference/declarations";

/** A type of a TypeScript interface as Pulumi's schema has it. What is not here has no counterpart, and is an error. */

export type SchemaType = Readonly<Record<string, unknown>>;

const ANY: SchemaType = { $ref: "pulumi.json#/Any" };
const PRIMITIVES: Readonly<Record<string, SchemaType>> = {
  string: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  unknown: ANY,
};

/** In every language a split is a map from agent and version to weight; a list of objects is the Node program's. */
const SPLIT: SchemaType = { type: "object", additionalProperties: { type: "number" } };

/** Names of TypeScript and the types that the schema has for them. */
export const NAMED: Readonly<Record<string, string>> = {
  FallbackRoutingArgs: "FallbackRouting",
  NumberOverrideArgs: "NumberOverride",
  NumberOverride: "NumberOverride",
  PlatformIds: "PlatformIds",
};

export function schemaType({ type, doc }: Pick<Member, "type" | "doc">): SchemaType {
  if (type === "number" && /\binteger\b/.test(doc.text)) {
    return { type: "integer" };
  }
  return typeOf(type);
}

function typeOf(text: string): SchemaType {
  const alternatives = splitAt(text, "|");
  if (alternatives.length > 1) {
    return union(alternatives);
  }
  const found = PRIMITIVES[text];
  if (found !== undefined) {
    return found;
  }
  if (/^".*"$/.test(text) || text.startsWith("(typeof ")) {
    return { type: "string" };
  }
  if (text === "InboundAgentArgs[]") {
    return SPLIT;
  }
  if (text.endsWith("[]")) {
    return { type: "array", items: typeOf(text.slice(0, -2).replace(/^\((.*)\)$/, "$1")) };
  }
  const map = /^Record<string, (.*)>$/.exec(text);
  if (map?.[1] !== undefined) {
    return { type: "object", additionalProperties: typeOf(map[1]) };
  }
  const name = NAMED[text];
  if (name === undefined) {
    throw new Error(`The schema has no type for \`${text}\`.`);
  }
  return { $ref: `#/types/agent-platform:index:${name}` };
}

/** Texts that are allowed make one text; a list beside a map of anything makes anything. */
function union(parts: readonly string[]): SchemaType {
  const types = parts.map(typeOf);
  const distinct = [...new Map(types.map((one) => [JSON.stringify(one), one])).values()];
  const [only] = distinct;
  if (only !== undefined && distinct.length === 1) {
    return only;
  }
  return distinct.some((one) => JSON.stringify(one).includes("Any")) ? ANY : { oneOf: distinct };
}

/** At the level of the text itself, not inside its brackets. */
function splitAt(text: string, separator: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const char of text) {
    depth += Number("<([{".includes(char)) - Number(">)]}".includes(char));
    if (char === separator && depth === 0) {
      parts.push("");
    } else {
      parts[parts.length - 1] += char;
    }
  }
  return parts.map((part) => part.trim());
}

export function need(declarations: ReadonlyMap<string, Declaration>, name: string): Declaration {
  const found = declarations.get(name);
  if (found === undefined) {
    throw new Error(`${name} is declared nowhere that the reference reads.`);
  }
  return found;
}
