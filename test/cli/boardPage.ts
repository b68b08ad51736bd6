import assert from "node:assert/strict";

/** Parses the board's HTML as strictly as XML: every element must be closed, and elements must be properly nested. */

interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Element extends Tag {
  readonly children: (Element | string)[];
}

/** Returns the descendants of an element that have this tag name or class. */
export const within = (element: Element, nameOrClass: string): Element[] =>
  element.children.flatMap((child) => {
    if (typeof child === "string") {
      return [];
    }
    const classes = child.attributes.class?.split(" ") ?? [];
    return [...([child.name, ...classes].includes(nameOrClass) ? [child] : []), ...within(child, nameOrClass)];
  });

/** Returns the lines of text in an element, trimmed and without empty lines. */
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
const decoded = (text: string): string =>
  text.replace(/&(\w+|#39);/g, (entity, name: string) => ENTITIES[name] ?? entity);
const attributesIn = (markup: string): Record<string, string> =>
  Object.fromEntries(
    [...markup.matchAll(/ ([a-z-]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, decoded(value)]),
  );

const TOKENS = /<(style|script)>[\s\S]*?<\/\1>|<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<]*")*)(\/?)>|[^<]+|</g;

/** Elements that continue the current line of text. All other elements start a new line. */
const INLINE: ReadonlySet<string> = new Set(["span", "strong", "code", "a", "time", "svg", "rect"]);

export function readPage(page: string) {
  const tags: Tag[] = [];
  const root: Element = { name: "page", attributes: {}, children: [] };
  const open: Element[] = [root];
  for (const [token, rawElement, closing, name, attributes = "", selfClosing] of page
    .slice("<!doctype html>".length)
    .matchAll(TOKENS)) {
    assert.notEqual(token, "<", "a < that does not start a tag");
    const parent = open.at(-1) ?? root;
    if (rawElement !== undefined) {
      tags.push({ name: rawElement, attributes: {} });
    } else if (name === undefined) {
      parent.children.push(decoded(token));
    } else if (closing === "/") {
      assert.equal(open.pop()?.name, name, `</${name}> does not match the open tag`);
    } else {
      const element = { name, attributes: attributesIn(attributes), children: [] };
      tags.push(element);
      parent.children.push(element);
      open.push(...(selfClosing === "/" ? [] : [element]));
    }
  }
  assert.deepEqual(open, [root]);
  return { tags, root, lines: linesOf(root) };
}
