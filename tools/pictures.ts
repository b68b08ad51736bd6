import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./reference/declarations";

/** Pictures of pages, for light and dark: HTML in the frame of a picture, which a browser lays out. They load nothing. */

interface Picture {
  readonly width: number;
  readonly height: number;
  /** The text for screen readers. */
  readonly label: string;
  readonly style: string;
  /** Well-formed XML. */
  readonly body: string;
}

const drawn = ({ width, height, label, style, body }: Picture): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
<title>${label}</title>
<style>${style}</style>
<foreignObject width="${width}" height="${height}"><div xmlns="http://www.w3.org/1999/xhtml" class="body">
${body}</div></foreignObject>
</svg>
`;

// --- the comment under a pull request, of the report that docs/guides/pipelines.md shows: a test of that page holds its words

const PAGE = "docs/guides/pipelines.md";
const STYLE = `
.body { box-sizing: border-box; height: 100%; padding: 4px 24px; overflow: hidden; font: 14px/21px -apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; color: #1f2328; background: #ffffff; border: 1px solid #d1d9e0; border-radius: 8px; }
h3 { margin: 12px 0; font-size: 17px; line-height: 25px; }
p, ul, table { margin: 12px 0; }
code { font: 12.5px/1 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; padding: 2px 4px; border-radius: 4px; background: #eff1f3; }
table { border-collapse: collapse; }
th, td { border: 1px solid #d1d9e0; padding: 4px 12px; text-align: left; }
@media (prefers-color-scheme: dark) {
.body { color: #f0f6fc; background: #0d1117; border-color: #3d444d; }
code { background: #212830; }
th, td { border-color: #3d444d; }
}
`;

/** Draws the Markdown that a report has: headings, tables, lists and paragraphs. */
export function commentPicture(): string {
  const page = readFileSync(join(root, PAGE), "utf8");
  const [, report] = /```text output\n<!-- agent-platform-report.*\n([\s\S]*?)\n```/.exec(page) ?? [];
  if (report === undefined) {
    throw new Error(`${PAGE} shows no report.`);
  }
  const blocks = report.replace(/<!--[\s\S]*?-->/g, "").split(/\n{2,}/);
  const body = blocks.map((block) => blockIn(block.trim())).join("");
  const height = blocks.reduce((sum, block) => sum + heightOf(block.trim()), 24);
  const label = "The report as the pipeline's comment under a pull request".replace("'", "&#39;");
  return drawn({ width: 720, height, label, style: STYLE, body });
}

/** What a browser makes of a block, by the heights of the style. An estimate, because only a browser knows how long a text is. */
function heightOf(block: string): number {
  const lines = block.split("\n");
  if (block.startsWith("#")) {
    return 12 + 25;
  }
  // Of a table, the line below its head is not drawn.
  return block.startsWith("|")
    ? 12 + 30 * (lines.length - 1)
    : 12 + 21 * lines.reduce((sum, line) => sum + Math.ceil(line.length / 92), 0);
}

function blockIn(block: string): string {
  const lines = block.split(/(?:<br>)?\n/).map(inline);
  if (block.startsWith("#")) {
    return `<h3>${lines.join(" ").replace(/^#+ /, "")}</h3>\n`;
  }
  if (block.startsWith("|")) {
    const cells = (line: string, tag: string) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => `<${tag}>${cell.trim()}</${tag}>`)
        .join("");
    const [head = "", , ...rows] = lines;
    return `<table><tr>${cells(head, "th")}</tr>${rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("")}</table>\n`;
  }
  return block.startsWith("- ")
    ? `<ul>${lines.map((line) => `<li>${line.replace(/^- /, "")}</li>`).join("")}</ul>\n`
    : `<p>${lines.join("<br/>")}</p>\n`;
}

const inline = (text: string): string =>
  text
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/\*\*([^*]+)\*\*/g, "<b>$1</b>");

// --- the top of a page of `board`: test/cli/board.spec.ts draws it, from recorded stacks, with `npm run goldens`

/** The first section that is not in the picture. */
const END = '<section aria-labelledby="history">';

export function boardPicture(page: string, label: string): string {
  const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
  const main = page.slice(page.indexOf("<main>"), page.indexOf(END));
  const height = 890;
  // A picture has no body, and nothing in it can be followed.
  const rules = `${style.replace(/^body \{/gm, ".body {")}.body { height: ${height}px; border: 1px solid var(--line); border-radius: 8px; }`;
  return drawn({ width: 1100, height, label, style: rules, body: `${main.replace(/<a [^>]*>/g, "<a>")}</main>` });
}
