import { clean } from "../../provider/core/redact";
import { isUnknown } from "../../provider/core/schemas";
import { isMasked, SECRET } from "../pulumi/values";

/** Sentences with the parts that came from inputs marked, so that Markdown and SVG each escape them in their own way. */

export type Part = string | { readonly id: string } | { readonly strong: string };
export type Text = readonly Part[];

/** Longer ones are cut: an input may hold anything, and the comment has a limit. */
const LONGEST = 100;

/** A name, number or other text that somebody else wrote. */
export const id = (value: unknown, longest: number = LONGEST): Part => ({
  id: clean(String(value), "", longest) || "(empty)",
});

type Piece = Part | Text | number;

/** `say\`Traffic split on ${id(number)}\``. */
export function say(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Text {
  const parts: Part[] = [];
  for (const [index, text] of strings.entries()) {
    if (text !== "") {
      parts.push(text);
    }
    const piece = pieces[index];
    if (piece !== undefined) {
      parts.push(...partsOf(piece));
    }
  }
  return parts;
}

function partsOf(piece: Piece): Text {
  if (typeof piece === "number") {
    return [String(piece)];
  }
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

export const plain = (text: Text): string => text.map(plainPart).join("");

function plainPart(part: Text[number]): string {
  if (typeof part === "string") {
    return part;
  }
  return "id" in part ? part.id : part.strong;
}

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** With a capital first letter, as a heading begins. */
export function capital([first, ...rest]: Text): Text {
  if (typeof first !== "string") {
    return first === undefined ? [] : [first, ...rest];
  }
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

/** A value in a table: what is free-form or may hold a key is only named. */
export function shown(value: unknown): Text {
  if (value === undefined || value === null) {
    return ["none"];
  }
  if (isMasked(value)) {
    return [SECRET];
  }
  if (isUnknown(value)) {
    return ["known after apply"];
  }
  if (typeof value === "string") {
    return [id(withoutQuery(value))];
  }
  if (typeof value === "number" || typeof value === "boolean") {
    return [id(value)];
  }
  return shape(value);
}

/** The query of a webhook is where its key is: it is never shown. */
function withoutQuery(text: string): string {
  if (!/^https?:/i.test(text)) {
    return text;
  }
  const end = text.search(/[?#]/);
  return end < 0 ? text : `${text.slice(0, end)}?…`;
}

function shape(value: object): Text {
  const keys = Object.keys(value);
  if (keys.length === 0) {
    return ["empty"];
  }
  if (Array.isArray(value)) {
    return say`${keys.length} ${keys.length === 1 ? "entry" : "entries"}`;
  }
  const names = keys.slice(0, 5).flatMap((key, index) => (index === 0 ? [id(key)] : [", ", id(key)]));
  return say`keys ${names}${keys.length > 5 ? " …" : ""}`;
}
