import { clean } from "../../provider/core/redact";

/** Sentences with the parts that came from inputs marked, so that Markdown and SVG each escape them in their own way. */

export type Part = string | { readonly id: string } | { readonly strong: string };
export type Text = readonly Part[];

/** Longer ones are cut: an input may hold anything, and the comment has a limit. */
const LONGEST = 100;

/** A name, number or other text that somebody else wrote. */
export const id = (value: unknown, longest: number = LONGEST): Part => ({
  id: clean(String(value), "", longest) || "(empty)",
});

export const strong = (value: string): Part => ({ strong: value });

type Piece = Part | Text | number;

/** `say\`Traffic split on ${id(number)}\``. */
export function say(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Text {
  const parts: Part[] = [];
  for (const [index, text] of strings.entries()) {
    if (text !== "") parts.push(text);
    const piece = pieces[index];
    if (piece !== undefined) parts.push(...partsOf(piece));
  }
  return parts;
}

function partsOf(piece: Piece): Text {
  if (typeof piece === "number") return [String(piece)];
  return Array.isArray(piece) ? piece : [piece as Part];
}

/** Joins what is there, with a separator between. */
export function joined(texts: readonly Text[], separator: string): Text {
  return texts.flatMap((text, index) => (index === 0 ? text : [separator, ...text]));
}

/** The first few, and how many more. */
export function some(texts: readonly Text[], most: number, separator = ", "): Text {
  const shown = joined(texts.slice(0, most), separator);
  return texts.length <= most ? shown : say`${shown} and ${texts.length - most} more`;
}

export const plain = (text: Text): string =>
  text.map((part) => (typeof part === "string" ? part : "id" in part ? part.id : part.strong)).join("");

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** With a capital first letter, as a heading begins. */
export function capital([first, ...rest]: Text): Text {
  if (typeof first !== "string") return first === undefined ? [] : [first, ...rest];
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest];
}

/** One sentence after the other; what is too much is counted. */
export function sentences(texts: readonly Text[], most: number): Text {
  const more = texts.length - most;
  const all = more > 0 ? [...texts.slice(0, most), [`and ${more} more`]] : texts;
  return say`${joined(
    all.map((text, index) => (index === 0 ? text : capital(text))),
    ". ",
  )}.`;
}
