import { isUnknown } from "../../provider/base/engine";
import { clean } from "../../provider/base/text";
import { withoutQuery } from "../pulumi/values";

/** Text in which user-supplied parts are marked, so that Markdown can render them as code. */

type Span = string | { readonly quoted: string };
export type Text = readonly Span[];

/** A name, number or other user-supplied string, truncated to `longest` characters. */
export const quoted = (value: unknown, longest = 100): Span => ({
  quoted: clean(String(value), longest) || "(empty)",
});

/** A template tag for text with quoted parts: words`Traffic on ${quoted(number)}`. */
export function words(strings: TemplateStringsArray, ...pieces: readonly (Span | Text | number)[]): Text {
  const spansOf = (piece: Span | Text | number): Text => [typeof piece === "number" ? String(piece) : piece].flat();
  return strings.flatMap((text, index) => [text, ...spansOf(pieces[index] ?? "")]).filter((part) => part !== "");
}

export const joined = (texts: readonly Text[], separator: string): Text =>
  texts.flatMap((text, index) => (index === 0 ? text : [separator, ...text]));

/** Joins the first few items, followed by the count of the rest, as in `a, b and 3 more`. */
export function few(texts: readonly Text[], most: number, separator = ", "): Text {
  const first = joined(texts.slice(0, most), separator);
  return texts.length <= most ? first : words`${first} and ${(texts.length - most).toLocaleString("en")} more`;
}

export const quotedEach = (names: readonly string[]): Text[] => [...new Set(names)].map((name) => [quoted(name)]);

/** Quotes the first three distinct names, followed by the count of the rest. */
export const fewQuoted = (names: readonly string[]): Text => few(quotedEach(names), 3);

/** Parses a provider message, in which backquotes mark text to copy. */
export const fromMessage = (text: string): Text =>
  text.split(/(`[^`]+`)/).map((part) => (/^`.+`$/.test(part) ? quoted(part.slice(1, -1), 500) : part));

export const toPlain = (text: Text): string =>
  text.map((part) => (typeof part === "string" ? part : part.quoted)).join("");

/** Returns a field's value as text. For an object, only the keys are shown, because the values may be private. */
export function valueText(value: unknown): Text {
  if (value === undefined || value === null) {
    return ["none"];
  }
  if (isUnknown(value)) {
    return ["known after apply"];
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? ["none"] : few(value.map(valueText), 5);
  }
  return typeof value === "object"
    ? words`keys ${few(quotedEach(Object.keys(value)), 5)}`
    : [quoted(withoutQuery(String(value)))];
}
