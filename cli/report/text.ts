import { clean, isUnknown, piecesOf } from "../../provider/review";
import { capped } from "../lists";
import { isMasked, SECRET, withoutQuery } from "../pulumi/values";

/** Sentences in which the parts from inputs are marked, because Markdown and HTML escape them in different ways. */

export type Part = string | { readonly id: string } | { readonly strong: string };
export type Text = readonly Part[];

/** Longer texts of inputs are cut. */
const LONGEST = 100;

/** A name, a number or another text of an input. */
export const id = (value: unknown, longest: number = LONGEST): Part => ({
  id: clean(String(value), "", longest) || "(empty)",
});

/** `say\`Traffic split on ${id(number)}\``. */
export function say(strings: TemplateStringsArray, ...pieces: readonly (Part | Text | number)[]): Text {
  return strings.flatMap((text, index) => [text, ...partsIn(pieces[index] ?? "")]).filter((part) => part !== "");
}

const partsIn = (piece: Part | Text | number): Text => [typeof piece === "number" ? String(piece) : piece].flat();

/** A text of a table in core/platform/posted.ts, with its slots filled in. */
export const filled = (text: string, slots: Readonly<Record<string, Text>>): Text =>
  piecesOf(text).flatMap((piece) => (typeof piece === "string" ? [piece] : (slots[piece.slot] ?? [])));

/** Joins what is there, with a separator between. */
export function joined(texts: readonly Text[], separator: string): Text {
  return texts.flatMap((text, index) => (index === 0 ? text : [separator, ...text]));
}

/** The first few, and how many more. */
export function some(texts: readonly Text[], most: number, separator = ", "): Text {
  const shown = joined(texts.slice(0, most), separator);
  return texts.length <= most ? shown : say`${shown} and ${texts.length - most} more`;
}

/** The first three of the names, each once. */
export function someIds(names: readonly string[]): Text {
  const ids = [...new Set(names)].map((name) => [id(name)]);
  return some(ids, 3);
}

/** The text of a part, and how it is drawn. */
function styled(part: Part): { readonly text: string; readonly kind: "" | "mono" | "strong" } {
  if (typeof part === "string") {
    return { text: part, kind: "" };
  }
  return "id" in part ? { text: part.id, kind: "mono" } : { text: part.strong, kind: "strong" };
}

export const plain = (text: Text): string => text.map((part) => styled(part).text).join("");

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** The text with a capital first letter. */
export const capital = ([first = "", ...rest]: Text): Text =>
  typeof first === "string" ? [first.charAt(0).toUpperCase() + first.slice(1), ...rest] : [first, ...rest];

/** The first sentences, and how many more there are. */
export function sentences(texts: readonly Text[], most: number): Text {
  const [first = [], ...others] = capped(texts, most, (more) => [`and ${more} more`]);
  return say`${joined([first, ...others.map(capital)], ". ")}.`;
}

/** A value in a table. Free-form values are only named by their keys. */
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
  return typeof value === "object" ? shape(value) : [id(withoutQuery(String(value)))];
}

function shape(value: object): Text {
  const keys = Object.keys(value);
  if (keys.length === 0) {
    return ["empty"];
  }
  if (Array.isArray(value)) {
    return say`${keys.length} ${keys.length === 1 ? "entry" : "entries"}`;
  }
  const names = keys.slice(0, 5).map((key) => [id(key)]);
  return say`keys ${joined(names, ", ")}${keys.length > 5 ? " …" : ""}`;
}
