import { xml } from "./svg";

/**
 * The top of a page of `board` as a picture for the documentation: the page itself, which is well-formed XML, in the frame of a picture. It takes
 * a page of recorded stacks, so not `npm run docs` draws docs/pictures/board.svg, but test/cli/board.spec.ts, with `npm run goldens`.
 */

const [WIDTH, HEIGHT] = [1100, 890];
/** The first section that is not in the picture. */
const END = '<section aria-labelledby="history">';

export function boardPicture(page: string, label: string): string {
  const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
  const main = page.slice(page.indexOf("<main>"), page.indexOf(END));
  // A picture has no body, and nothing in it can be followed.
  const rules = `${style.replace(/^body \{/gm, ".body {")}.body { height: ${HEIGHT}px; border: 1px solid var(--line); border-radius: 8px; }`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${xml(label)}">
<title>${xml(label)}</title>
<style>${rules}</style>
<foreignObject width="${WIDTH}" height="${HEIGHT}"><div xmlns="http://www.w3.org/1999/xhtml" class="body">
${main.replace(/<a [^>]*>/g, "<a>")}</main></div></foreignObject>
</svg>
`;
}
