import assert from "node:assert/strict";

/** Reads a page as strictly as XML: without a browser, a test sees every tag, attribute and text. */

export interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const decoded = (text: string): string => text.replace(/&(\w+|#39);/g, (all, name: string) => ENTITIES[name] ?? all);

const PIECES = /<(style|script)>[\s\S]*?<\/\1>|<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<]*")*)(\/?)>|[^<]+|</g;

/** What a closed element leaves between texts: cells are told apart, and a block ends a line. */
const BETWEEN: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["span", "strong", "code", "a", "time", "label"].map((name) => [name, ""])),
  ...{ th: " | ", td: " | " },
};

/** Throws if a tag is not closed, or closed in the wrong order. */
export function readPage(page: string) {
  const tags: Tag[] = [];
  const open: string[] = [];
  const texts: string[] = [];
  const begin = (name: string, attributes: string, isEmpty: boolean) => {
    tags.push({ name, attributes: attributesIn(attributes) });
    if (!isEmpty) {
      open.push(name);
    }
    texts.push(name === "br" ? "\n" : "");
  };
  const end = (name: string) => {
    assert.equal(open.pop(), name, `</${name}> closes another tag`);
    texts.push(BETWEEN[name] ?? "\n");
  };
  for (const [piece, raw, closing, name, attributes = "", empty] of page
    .slice("<!doctype html>".length)
    .matchAll(PIECES)) {
    assert.notEqual(piece, "<", "a < that begins no tag");
    if (raw !== undefined) {
      tags.push({ name: raw, attributes: {} });
    } else if (name === undefined) {
      texts.push(decoded(piece));
    } else if (closing === "/") {
      end(name);
    } else {
      begin(name, attributes, empty === "/");
    }
  }
  assert.deepEqual(open, []);
  const lines = texts
    .join("")
    .split("\n")
    .map((line) => line.trim().replace(/ \|$/, ""));
  return { tags, lines: lines.filter((line) => line !== "") };
}

const attributesIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/ ([a-z-]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, decoded(value)]),
  );
