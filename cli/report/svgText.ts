import type { Part, Text } from "./text";

/** Text in a picture: broken into lines by an estimate of its width, since nothing is measured without a browser. */

export interface Style {
  readonly size: number;
  readonly className: string;
}

/** Average widths of the fonts that systems have, a little wide rather than a little narrow. */
const SANS = 0.52;
const MONO = 0.63;

interface Word {
  readonly text: string;
  readonly kind: "" | "mono" | "strong";
  readonly width: number;
  /** A piece of a word that is longer than a line stands by itself. */
  readonly isWhole?: boolean;
}

export interface Line {
  readonly words: readonly Word[];
}

const isWide = (character: string): boolean => (character.codePointAt(0) ?? 0) >= 0x1100;

export function widthOf(text: string, size: number, isMono: boolean): number {
  let width = 0;
  for (const character of text) width += isWide(character) ? 1.05 : isMono ? MONO : SANS;
  return width * size;
}

export function wrap(text: Text, width: number, size: number, mostLines: number): Line[] {
  const lines: Word[][] = [[]];
  let used = 0;
  for (const unit of unitsOf(text.flatMap((part) => wordsOf(part, size, width)))) {
    const needed = unit.reduce((sum, word) => sum + word.width, 0);
    if (used > 0 && used + needed > width) {
      lines.push([]);
      used = 0;
    }
    if (used === 0 && isBlank(unit[0])) continue;
    lines.at(-1)?.push(...unit);
    used += needed;
  }
  if (lines.length <= mostLines) return lines.map((words) => ({ words }));
  const kept = lines.slice(0, mostLines);
  kept.at(-1)?.push({ text: " …", kind: "", width: 0 });
  return kept.map((words) => ({ words }));
}

const isBlank = (word: Word | undefined): boolean => word?.text.trim() === "";

/** What stands together without a blank stays together: a name and the full stop behind it. */
function unitsOf(words: readonly Word[]): Word[][] {
  const units: Word[][] = [];
  for (const word of words) {
    const last = units.at(-1);
    if (last === undefined || isBlank(word) || isBlank(last[0]) || word.isWhole) units.push([word]);
    else last.push(word);
  }
  return units;
}

function wordsOf(part: Part, size: number, width: number): Word[] {
  const [text, kind] =
    typeof part === "string"
      ? [part, "" as const]
      : "id" in part
        ? [part.id, "mono" as const]
        : [part.strong, "strong" as const];
  const isMono = kind === "mono";
  const most = Math.max(8, Math.floor(width / (size * (isMono ? MONO : SANS))));
  return text
    .split(/(\s+)/)
    .filter((word) => word !== "")
    .flatMap((word) => {
      const all = pieces(word, most);
      return all.map((piece) => ({ text: piece, kind, width: widthOf(piece, size, isMono), isWhole: all.length > 1 }));
    });
}

/** A word that is longer than a line is cut. */
function pieces(word: string, most: number): string[] {
  const characters = [...word];
  if (characters.length <= most) return [word];
  return Array.from({ length: Math.ceil(characters.length / most) }, (_, index) =>
    characters.slice(index * most, (index + 1) * most).join(""),
  );
}

/** XML takes neither control characters nor half of a surrogate pair; signs that only an emoji font has are drawn as one that all have. */
export const xml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u274C\u26D4]/gu, "\u2716")
    .replace(/[\p{Cc}\uFFFE\uFFFF]/gu, " ")
    .replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

export function lineOf({ words }: Line, x: number, y: number, { size, className }: Style): string {
  const spans: string[] = [];
  let [run, kind]: [string, Word["kind"] | undefined] = ["", undefined];
  const flush = () => {
    if (run !== "") spans.push(kind === "" ? xml(run) : `<tspan class="${kind}">${xml(run)}</tspan>`);
    run = "";
  };
  for (const word of words) {
    if (word.kind !== kind) flush();
    kind = word.kind;
    run += word.text;
  }
  flush();
  return `<text x="${x}" y="${y}" font-size="${size}" class="${className}">${spans.join("")}</text>`;
}
