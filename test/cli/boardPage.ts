import assert from "node:assert/strict";

/** The page of the board, parsed as strictly as XML: every tag must be closed in order. */

interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Element extends Tag {
  readonly children: (Element | string)[];
}

/** The elements in an element that have this name or class. */
export const within = (element: Element, wanted: string): Element[] =>
  element.children.flatMap((child) => {
    if (typeof child === "string") {
      return [];
    }
    const classes = child.attributes.class?.split(" ") ?? [];
    return [...([child.name, ...classes].includes(wanted) ? [child] : []), ...within(child, wanted)];
  });

/** The lines of text in an element. */
export const linesOf = (element: Element): string[] =>
  textOf(element)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

function textOf({ name, children }: Element): string {
  const edge = INLINE.has(name) ? "" : "\n";
  return `${edge}${children.map((child) => (typeof child === "string" ? child : textOf(child))).join("")}${edge}`;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const decoded = (text: string): string => text.replace(/&(\w+|#39);/g, (all, name: string) => ENTITIES[name] ?? all);
const attributesIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/ ([a-z-]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, decoded(value)]),
  );

const PIECES = /<(style|script)>[\s\S]*?<\/\1>|<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<]*")*)(\/?)>|[^<]+|</g;

/** Any other element has lines of its own. */
const INLINE: ReadonlySet<string> = new Set(["span", "strong", "code", "a", "time", "svg", "rect"]);

export function readPage(page: string) {
  const tags: Tag[] = [];
  const root: Element = { name: "page", attributes: {}, children: [] };
  const open: Element[] = [root];
  for (const [piece, raw, closing, name, attributes = "", empty] of page
    .slice("<!doctype html>".length)
    .matchAll(PIECES)) {
    assert.notEqual(piece, "<", "a < that begins no tag");
    const inside = open.at(-1) ?? root;
    if (raw !== undefined) {
      tags.push({ name: raw, attributes: {} });
    } else if (name === undefined) {
      inside.children.push(decoded(piece));
    } else if (closing === "/") {
      assert.equal(open.pop()?.name, name, `</${name}> closes another tag`);
    } else {
      const element = { name, attributes: attributesIn(attributes), children: [] };
      tags.push(element);
      inside.children.push(element);
      open.push(...(empty === "/" ? [] : [element]));
    }
  }
  assert.deepEqual(open, [root]);
  return { tags, root, lines: linesOf(root) };
}
