import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../reference/declarations";
import { MONO, svg, xml } from "./svg";

/** The comment under a pull request, of the report that docs/guides/pipelines.md shows: a test of that page holds its words. */

const PAGE = "docs/guides/pipelines.md";
const WIDTH = 720;
const LEFT = 24;
const INNER = WIDTH - 2 * LEFT;
const SIZE = 14;
const LINE = 22;

const STYLE = `
.frame { fill: none; stroke: #d1d9e0; }
.bar { fill: #f6f8fa; stroke: #d1d9e0; }
.rule { stroke: #d1d9e0; }
.code { font-family: ${MONO}; font-size: 0.9em; }
.strong { font-weight: 600; }
@media (prefers-color-scheme: dark) {
.frame { stroke: #3d444d; }
.bar { fill: #151b23; stroke: #3d444d; }
.rule { stroke: #3d444d; }
}`;

interface Span {
  readonly text: string;
  readonly kind: "" | "code" | "strong";
}

type Part =
  | { readonly kind: "heading" | "item" | "paragraph"; readonly text: string }
  | { readonly kind: "table"; readonly rows: readonly (readonly string[])[] };

/** The Markdown of the first report on the page. */
function reportOnPage(): string {
  const [, shown] =
    /```text output\n(<!-- agent-platform-report[\s\S]*?)\n```/.exec(readFileSync(join(root, PAGE), "utf8")) ?? [];
  if (shown === undefined) {
    throw new Error(`${PAGE} shows no report.`);
  }
  return shown;
}

/** Reads the Markdown that a report has: headings, tables, lists and paragraphs. */
function partsOf(markdown: string): Part[] {
  const blocks = markdown.replace(/<!--[\s\S]*?-->/g, "").split(/\n{2,}/);
  return blocks
    .map((block) => block.trim())
    .filter((block) => block !== "")
    .flatMap((block): Part[] => {
      if (block.startsWith("#")) {
        return [{ kind: "heading", text: block.replace(/^#+ /, "") }];
      }
      const lines = block.split(/(?:<br>)?\n/);
      if (block.startsWith("|")) {
        const rows = lines.filter((line) => !/^\| *:?-/.test(line)).map((line) => line.split("|").slice(1, -1));
        return [{ kind: "table", rows: rows.map((row) => row.map((cell) => cell.trim())) }];
      }
      return lines.map((line) =>
        line.startsWith("- ") ? { kind: "item", text: line.slice(2) } : { kind: "paragraph", text: line },
      );
    });
}

const spansOf = (text: string): Span[] =>
  text
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .filter((piece) => piece !== "")
    .map((piece) => {
      if (piece.startsWith("`")) {
        return { text: piece.slice(1, -1), kind: "code" };
      }
      return piece.startsWith("**") ? { text: piece.slice(2, -2), kind: "strong" } : { text: piece, kind: "" };
    });

/** An estimate, because only a browser can measure a text. The fonts of most systems are narrower. */
const widthOf = (text: string, size = SIZE): number =>
  spansOf(text).reduce((sum, { text: piece, kind }) => sum + piece.length * size * (kind === "code" ? 0.55 : 0.54), 0);

/** The lines of a text, which breaks at blanks outside code. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.match(/(?:`[^`]*`|\S)+/g) ?? []) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(`${last} ${word}`) <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines;
}

const line = (text: string, x: number, y: number, size = SIZE, weight = 400): string =>
  `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}">${spansOf(text)
    .map(({ text: piece, kind }) => (kind === "" ? xml(piece) : `<tspan class="${kind}">${xml(piece)}</tspan>`))
    .join("")}</text>`;

interface Canvas {
  readonly parts: string[];
  y: number;
}

function drawTable(canvas: Canvas, rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ""))) + 28);
  const starts = widths.map((_, column) => LEFT + widths.slice(0, column).reduce((sum, width) => sum + width, 0));
  const [top, end] = [canvas.y, LEFT + widths.reduce((sum, width) => sum + width, 0)];
  const height = 34;
  for (const [index, row] of rows.entries()) {
    const y = top + index * height;
    canvas.parts.push(`<path class="rule" d="M${LEFT} ${y}H${end}"/>`);
    canvas.parts.push(
      ...row.map((cell, column) => line(cell, (starts[column] ?? 0) + 12, y + 22, SIZE, index === 0 ? 600 : 400)),
    );
  }
  const bottom = top + rows.length * height;
  canvas.parts.push(
    `<path class="rule" d="M${LEFT} ${bottom}H${end}"/>`,
    ...[...starts, end].map((x) => `<path class="rule" d="M${x} ${top}V${bottom}"/>`),
  );
  canvas.y = bottom + 18;
}

function drawPart(canvas: Canvas, part: Part): void {
  if (part.kind === "table") {
    drawTable(canvas, part.rows);
    return;
  }
  const isHeading = part.kind === "heading";
  const indent = part.kind === "item" ? 20 : 0;
  for (const [index, text] of wrapped(part.text, INNER - indent).entries()) {
    canvas.y += LINE;
    if (indent > 0 && index === 0) {
      canvas.parts.push(line("•", LEFT + 6, canvas.y));
    }
    canvas.parts.push(line(text, LEFT + indent, canvas.y, isHeading ? 17 : SIZE, isHeading ? 600 : 400));
  }
  canvas.y += isHeading ? 16 : 2;
}

export function commentPicture(): string {
  const canvas: Canvas = { parts: [], y: 60 };
  const report = partsOf(reportOnPage());
  for (const [index, part] of report.entries()) {
    canvas.y += part.kind === "paragraph" && report[index - 1]?.kind === "item" ? 12 : 0;
    drawPart(canvas, part);
  }
  const height = Math.ceil(canvas.y + 20);
  return svg({
    width: WIDTH,
    height,
    label: "The report as the pipeline's comment under a pull request",
    style: STYLE,
    parts: [
      `<rect class="frame" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>`,
      `<path class="bar" d="M0.5 44.5V8.5a8 8 0 0 1 8-8H${WIDTH - 8.5}a8 8 0 0 1 8 8V44.5Z"/>`,
      line("**github-actions** bot commented", LEFT, 28),
      ...canvas.parts,
    ],
  });
}
