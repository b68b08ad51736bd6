import { capped } from "../lists";
import { type AgentTable, affectedText, type Card, type Tone } from "./card";
import type { Alert } from "./diagnostics";
import { type AgentLine, agentLines, type Extra, footLines } from "./lines";
import type { Model } from "./model";
import { counted, joined, plain, say, some, styled, type Text } from "./text";

/** The report as a picture for light and dark pages. It loads no fonts and no other pictures. */

const WIDTH = 880;
const MARGIN = 24;
const INNER = WIDTH - 2 * MARGIN;
/** The picture counts what it does not draw. The Markdown has all of it. */
const MOST_CARDS = 12;
const MOST_ROWS = 8;
const MOST_NOTES = 4;
const MOST_ALERTS = 4;

export const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** The colours of every picture, also of the pictures in the documentation. */
const COLOURS = `
svg { color-scheme: light dark; }
text { font-family: -apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: #1f2328; white-space: pre; }
.page { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc; }
.page { fill: #0d1117; }
}`;

const STYLE = `
.mono { font-family: ${MONO}; font-size: 0.92em; }
.strong, .head { font-weight: 600; }
.soft { fill: #59636e; }
.box { fill: #ffffff; stroke: #d1d9e0; }
.track { fill: #eaeef2; }
.old { fill: #9aa4af; }
.new { fill: #0969da; }
.danger { fill: #cf222e; } .warning { fill: #bf8700; } .plain { fill: #0969da; }
@media (prefers-color-scheme: dark) {
.soft { fill: #9198a1; }
.box { fill: #151b23; stroke: #3d444d; }
.track { fill: #2a313c; }
.old { fill: #6e7681; }
.new { fill: #4493f8; }
.danger { fill: #f85149; } .warning { fill: #d29922; } .plain { fill: #4493f8; }
}`;

/** What is drawn so far, and how far down it reaches. */
interface Canvas {
  readonly parts: string[];
  readonly x: number;
  readonly width: number;
  y: number;
}

export function toSvg(model: Model, extra: Extra = { alerts: [], lines: [] }): string {
  const canvas: Canvas = { parts: [], x: MARGIN, width: INNER, y: MARGIN };
  if (model.title !== undefined) {
    paragraph(canvas, [model.title.slice(0, 200)], { size: 13, className: "soft" }, 1);
  }
  const headline: Text = model.hasFailed ? ["❌ ", ...model.headline] : model.headline;
  paragraph(canvas, headline, { size: 19, className: "head" }, 4);
  const alerts = [...extra.alerts, ...model.alerts];
  for (const alert of alerts.slice(0, MOST_ALERTS)) {
    alertBox(canvas, alert);
  }
  if (alerts.length > MOST_ALERTS) {
    note(canvas, [`… and ${alerts.length - MOST_ALERTS} more`]);
  }
  for (const one of model.cards.slice(0, MOST_CARDS)) {
    cardBox(canvas, one, model.cards.length === 1 && !model.hasFailed);
  }
  if (model.cards.length > MOST_CARDS) {
    note(canvas, [
      `Not drawn: ${counted(model.cards.length - MOST_CARDS, "more change")}; the text of the report has them.`,
    ]);
  }
  canvas.y += 4;
  for (const line of footLines(model, extra.lines.slice(0, MOST_NOTES), 3)) {
    note(canvas, line);
  }
  const height = Math.ceil(canvas.y + MARGIN / 2);
  return svg({ width: WIDTH, height, label: plain(model.headline), style: STYLE, parts: canvas.parts });
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** The text for screen readers. */
  readonly label: string;
  /** Rules of this picture alone. */
  readonly style: string;
  readonly parts: readonly string[];
}

export const svg = ({ width, height, label, style, parts }: Picture): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${xml(label)}">
<title>${xml(label)}</title>
<style>${COLOURS}${style}
</style>
<rect class="page" width="${width}" height="${height}" rx="8"/>
${parts.join("\n")}
</svg>
`;

function paragraph(canvas: Canvas, text: Text, style: Style, mostLines: number): void {
  for (const line of wrap(text, canvas.width, style.size, mostLines)) {
    canvas.y += style.size * 1.35;
    canvas.parts.push(lineOf(line, canvas.x, round(canvas.y), style));
  }
  canvas.y += style.size * 0.45;
}

const note = (canvas: Canvas, text: Text, mostLines = 3): void => paragraph(canvas, text, SOFT, mostLines);

const PADDING = 18;

/** Draws the content first, because the frame needs its height. */
function boxed(canvas: Canvas, tone: Tone, draw: (inside: Canvas) => void): void {
  const inside: Canvas = { parts: [], x: IN_X, width: INNER - 2 * PADDING, y: canvas.y + 12 };
  draw(inside);
  const [top, height] = [round(canvas.y + 6), round(inside.y - canvas.y + 4)];
  canvas.parts.push(
    `<rect class="box" x="${MARGIN}" y="${top}" width="${INNER}" height="${height}" rx="8"/>`,
    `<rect class="${tone}" x="${MARGIN}" y="${top}" width="4" height="${height}" rx="2"/>`,
    ...inside.parts,
  );
  canvas.y = inside.y + 18;
}

const IN_X = MARGIN + PADDING;
const BODY: Style = { size: 13, className: "" };
const SOFT: Style = { size: 12.5, className: "soft" };

function alertBox(canvas: Canvas, { tone, title, quote }: Alert): void {
  boxed(canvas, tone, (inside) => {
    paragraph(inside, title, { size: 14, className: "head" }, 2);
    for (const line of quote.slice(0, 4)) {
      paragraph(inside, [line], BODY, 4);
    }
  });
}

function cardBox(canvas: Canvas, one: Card, isAlone: boolean): void {
  boxed(canvas, one.tone, (inside) => {
    if (!isAlone) {
      paragraph(inside, one.title, { size: 14, className: "head" }, 3);
    }
    if (one.affected.length > 1) {
      note(inside, say`On ${some(one.affected.map(affectedText), 4, " · ")}`, 2);
    }
    if (one.agents !== undefined) {
      agentBars(inside, one.agents);
    }
    fieldLines(inside, one);
    const notes = capped(one.notes, MOST_NOTES, (more) => [
      `… and ${counted(more, "more note")}; the text of the report has ${more === 1 ? "it" : "them"}.`,
    ]);
    for (const text of notes) {
      note(inside, text);
    }
    for (const { title, items } of one.listed) {
      note(inside, say`${title} (${items.length}): ${some(items, 4, " · ")}`, 2);
    }
    if (inside.parts.length === 0) {
      paragraph(inside, one.title, BODY, 3);
    }
  });
}

function fieldLines(canvas: Canvas, { fields }: Card): void {
  if (fields.length > 0 && fields.every(({ before }) => before.length === 0)) {
    const all = fields.map(({ field, after }) => say`${field} ${after}`);
    paragraph(canvas, say`With ${joined(all, " · ")}`, BODY, 3);
    return;
  }
  for (const { field, before, after } of fields.slice(0, MOST_ROWS)) {
    paragraph(canvas, say`${field}: ${before} → ${after}`, BODY, 2);
  }
  if (fields.length > MOST_ROWS) {
    note(canvas, [`… and ${fields.length - MOST_ROWS} more fields`], 1);
  }
}

const NAME_WIDTH = 240;
const BAR_X = IN_X + NAME_WIDTH;
const BAR_WIDTH = 260;
const SHARE_X = BAR_X + BAR_WIDTH + 16;
/** Wide enough for the longest of usual texts: `66.67 % (weight 2) → 33.33 % (weight 1)`. */
const SHARE_WIDTH = WIDTH - MARGIN - 8 - SHARE_X;
const ROW = 30;

function agentBars(canvas: Canvas, table: AgentTable): void {
  const { rows, more } = agentLines(table);
  if (table.sides === "both") {
    legend(canvas);
  }
  for (const line of rows.slice(0, MOST_ROWS)) {
    agentBar(canvas, line);
  }
  const notDrawn = more + Math.max(0, rows.length - MOST_ROWS);
  if (notDrawn > 0) {
    note(canvas, [`… and ${counted(notDrawn, "more agent")}`], 1);
  }
  canvas.y += 4;
}

function legend(canvas: Canvas): void {
  const y = round(canvas.y + 12);
  canvas.parts.push(
    `<rect class="old" x="${BAR_X}" y="${y - 6}" width="16" height="5" rx="2"/><text x="${BAR_X + 22}" y="${y}" font-size="11" class="soft">before</text>`,
    `<rect class="new" x="${BAR_X + 80}" y="${y - 8}" width="16" height="9" rx="2"/><text x="${BAR_X + 102}" y="${y}" font-size="11" class="soft">after</text>`,
  );
  canvas.y += 18;
}

/** How far above the text's line the bar of a side begins, and its height. */
const BARS = { old: [12, 4], new: [7, 9], only: [11, 12] } as const;

function agentBar(canvas: Canvas, { agent, cells, isChanged }: AgentLine): void {
  const y = round(canvas.y + 20);
  const isOnly = cells.length === 1;
  const name = shortened(agent, NAME_WIDTH - 16, "mono");
  const texts = cells.slice(isChanged ? 0 : -1).map(({ text }) => text);
  const bars = cells.map(({ side, share }) => {
    const [above, height] = BARS[isOnly ? "only" : side];
    return barRect(side, share, y - above, height);
  });
  canvas.parts.push(
    `<text x="${IN_X}" y="${y}" font-size="13"><tspan class="mono">${xml(name)}</tspan></text>`,
    ...bars,
    `<text x="${SHARE_X}" y="${y}" font-size="13" class="${isChanged || isOnly ? "head" : "soft"}">${xml(shortened(texts.join(" → "), SHARE_WIDTH, ""))}</text>`,
  );
  canvas.y += ROW;
}

function barRect(side: "old" | "new", share = 0, y: number, height: number): string {
  const rect = (className: string, width: number) =>
    `<rect class="${className}" x="${BAR_X}" y="${y}" width="${width}" height="${height}" rx="2"/>`;
  return rect("track", BAR_WIDTH) + (share > 0 ? rect(side, round(Math.max(2, (share / 100) * BAR_WIDTH))) : "");
}

function shortened(text: string, width: number, kind: Word["kind"]): string {
  const characters = [...text];
  let shown = text;
  while (characters.length > 1 && widthOf(shown, kind === "mono" ? 12 : 13, kind) > width) {
    characters.pop();
    shown = `${characters.join("")}…`;
  }
  return shown;
}

const round = (value: number): number => Math.round(value * 10) / 10;

// --- text. Lines are broken by an estimate of their width, because nothing can be measured without a browser.

interface Style {
  readonly size: number;
  readonly className: string;
}

/** A word, or the blank between two words. */
type Word = ReturnType<typeof styled>;

/** The average width of a letter, rather too wide than too narrow. */
const emOf = (kind: Word["kind"]): number => (kind === "mono" ? 0.63 : 0.52);

const isWide = (character: string): boolean => (character.codePointAt(0) ?? 0) >= 0x11_00;

const widthOf = (text: string, size: number, kind: Word["kind"]): number =>
  [...text].reduce((width, character) => width + (isWide(character) ? 1.05 : emOf(kind)), 0) * size;

function wrap(text: Text, width: number, size: number, mostLines: number): Word[][] {
  const lines: Word[][] = [[]];
  let used = 0;
  for (const unit of unitsOf(text, size, width)) {
    const needed = unit.reduce((sum, word) => sum + widthOf(word.text, size, word.kind), 0);
    if (used > 0 && used + needed > width) {
      lines.push([]);
      used = 0;
    }
    if (used > 0 || !isBlank(unit[0])) {
      lines.at(-1)?.push(...unit);
      used += needed;
    }
  }
  if (lines.length > mostLines) {
    lines.length = mostLines;
    lines.at(-1)?.push({ text: " …", kind: "" });
  }
  return lines;
}

const isBlank = (word: Word | undefined): boolean => word?.text.trim() === "";

/** What must stay on one line: words without a blank between them, such as a name and the full stop after it. */
function unitsOf(text: Text, size: number, width: number): Word[][] {
  const units: Word[][] = [];
  for (const { text: words, kind } of text.map(styled)) {
    const most = Math.max(8, Math.floor(width / (size * emOf(kind))));
    for (const word of words.split(/(\s+)/).filter(Boolean)) {
      // A word that is longer than a line is cut.
      const pieces = word.match(new RegExp(`.{1,${most}}`, "gsu")) ?? [];
      const last = units.at(-1);
      if (pieces.length === 1 && last !== undefined && word.trim() !== "" && !isBlank(last[0])) {
        last.push({ text: word, kind });
      } else {
        units.push(...pieces.map((piece): Word[] => [{ text: piece, kind }]));
      }
    }
  }
  return units;
}

/** The text for XML, without control characters and half surrogate pairs. Two signs of emoji fonts become one that all fonts have. */
export const xml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u274C\u26D4]/gu, "\u2716")
    .replace(/[\p{Cc}\uFFFE\uFFFF]/gu, " ")
    .replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

function lineOf(words: readonly Word[], x: number, y: number, { size, className }: Style): string {
  const runs: Word[] = [];
  for (const { kind, text } of words) {
    const isSame = runs.at(-1)?.kind === kind;
    runs.push({ kind, text: isSame ? `${runs.pop()?.text}${text}` : text });
  }
  const spans = runs.map(({ kind, text }) => (kind === "" ? xml(text) : `<tspan class="${kind}">${xml(text)}</tspan>`));
  return `<text x="${x}" y="${y}" font-size="${size}" class="${className}">${spans.join("")}</text>`;
}
