import { isUnknown } from "../../provider/base/engine";
import { clean } from "../../provider/base/text";
import { withoutQuery } from "../pulumi/values";

/** Sentences in which the parts from inputs are marked, so that Markdown can write them as code. */

type Span = string | { readonly quoted: string };
export type Text = readonly Span[];

/** A name, a number or another text of an input. Longer ones are cut. */
export const quoted = (value: unknown, longest = 100): Span => ({
  quoted: clean(String(value), longest) || "(empty)",
});

/** `words\`Traffic on ${quoted(number)}\``. */
export function words(strings: TemplateStringsArray, ...pieces: readonly (Span | Text | number)[]): Text {
  const spansOf = (piece: Span | Text | number): Text => [typeof piece === "number" ? String(piece) : piece].flat();
  return strings.flatMap((text, index) => [text, ...spansOf(pieces[index] ?? "")]).filter((part) => part !== "");
}

/** Joins what is there, with a separator between. */
export const joined = (texts: readonly Text[], separator: string): Text =>
  texts.flatMap((text, index) => (index === 0 ? text : [separator, ...text]));

/** The first few, and how many more. */
export function few(texts: readonly Text[], most: number, separator = ", "): Text {
  const first = joined(texts.slice(0, most), separator);
  return texts.length <= most ? first : words`${first} and ${(texts.length - most).toLocaleString("en")} more`;
}

export const quotedEach = (names: readonly string[]): Text[] => [...new Set(names)].map((name) => [quoted(name)]);

/** The first three of the names, each once. */
export const fewQuoted = (names: readonly string[]): Text => few(quotedEach(names), 3);

/** A message of the provider, in which backquotes mark what is to be copied. */
export const fromMessage = (text: string): Text =>
  text.split(/(`[^`]+`)/).map((part) => (/^`.+`$/.test(part) ? quoted(part.slice(1, -1), 500) : part));

export const toPlain = (text: Text): string =>
  text.map((part) => (typeof part === "string" ? part : part.quoted)).join("");

/** A value in a table. Of free-form values only the keys are named. */
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
