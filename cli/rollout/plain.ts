import { Document, isAlias, isMap, type Node, stringify, visit, type YAMLMap } from "yaml";
import { type Edit, lineEndOf, lineStart, pairOf, rangeOf, withEdits } from "./edit";

/** A text in which the value of a key is written plainly, whatever form it has today: an alias, a map with a merge key, JSON, nothing. */
export function plainly(document: Document, source: string, path: readonly string[], value: unknown): string {
  const { contents } = document;
  if (!isMap(contents)) {
    return stringify(nested(path, value), FORM).replaceAll("\n", lineEndOf(source)) + source;
  }
  const edit = placed(contents, source, path, value);
  return withEdits(source, [edit, ...orphans(document, edit)]);
}

/** Pulumi reads YAML 1.1, in which a time needs quotes. */
const FORM = { lineWidth: 0, version: "1.1" } as const;
const inOneLine = (value: unknown): string => stringify(value, { ...FORM, collectionStyle: "flow" }).trim();

const nested = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight((inner, key) => ({ [key]: inner }), value);

function placed(map: YAMLMap, source: string, path: readonly string[], value: unknown): Edit {
  const [key = "", ...rest] = path;
  const pair = pairOf(map, key);
  if (pair === undefined) {
    return inserted(map, source, key, nested(rest, value));
  }
  if (rest.length > 0 && isMap(pair.value)) {
    return placed(pair.value, source, rest, value);
  }
  // What an alias stands for stays beside the new key.
  const [inner, ...others] = rest;
  const kept = inner !== undefined && isAlias(pair.value) ? `<<: *${pair.value.source}, ` : "";
  const text =
    kept === "" ? inOneLine(nested(rest, value)) : `{ ${kept}${inner}: ${inOneLine(nested(others, value))} }`;
  const start = source.indexOf(":", rangeOf(pair.key, source)[1]) + 1;
  return { start, end: Math.max(start, rangeOf(pair.value, source)[1]), text: ` ${text}` };
}

/** As the first key of the map. */
function inserted(map: YAMLMap, source: string, key: string, value: unknown): Edit {
  const [first] = map.items;
  if (map.flow || first === undefined) {
    const at = rangeOf(map, source)[0] + 1;
    return { start: at, end: at, text: ` ${key}: ${inOneLine(value)}${first === undefined ? " " : ","}` };
  }
  const [start] = rangeOf(first.key, source);
  const at = lineStart(start, source);
  const lines = stringify({ [key]: value }, FORM)
    .replaceAll(/^/gm, source.slice(at, start))
    .trimEnd();
  return { start: at, end: at, text: `${lines}\n`.replaceAll("\n", lineEndOf(source)) };
}

/** Aliases elsewhere of what goes: each becomes the value that it stands for. */
function orphans(document: Document, { start, end }: Edit): Edit[] {
  const isWithin = (node: Node) => rangeStart(node) >= start && rangeStart(node) < end;
  const aliases: { readonly at: number; readonly alias: Node; readonly meant: Node }[] = [];
  visit(document, {
    Alias(_, alias) {
      const meant = alias.resolve(document);
      if (meant !== undefined) {
        aliases.push({ at: rangeStart(alias), alias, meant });
      }
    },
  });
  const meantAt = new Map(aliases.map(({ at, meant }) => [at, meant]));
  return aliases
    .filter(({ alias, meant }) => isWithin(meant) && !isWithin(alias))
    .map(({ alias, meant }) => ({
      start: rangeStart(alias),
      end: alias.range?.[1] ?? 0,
      text: valueText(meant, meantAt),
    }));
}

const rangeStart = ({ range }: Node): number => range?.[0] ?? 0;

/** A value in one line, without its anchors, aliases and comments. @param meantAt what the alias at a place stands for */
function valueText(node: Node, meantAt: ReadonlyMap<number, Node>): string {
  const copy = new Document(node.clone(), { schema: "failsafe", merge: true });
  function bare(_: unknown, one: Node): void {
    Object.assign(one, { comment: undefined, commentBefore: undefined, spaceBefore: undefined, anchor: undefined });
  }
  visit(copy, {
    // A copy has the places of its original.
    Alias: (_, alias) => meantAt.get(rangeStart(alias))?.clone() as Node,
    Collection: bare,
    Scalar: bare,
  });
  return copy.toString({ lineWidth: 0, collectionStyle: "flow" }).trim();
}
