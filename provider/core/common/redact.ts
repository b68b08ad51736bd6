import { onceForValue } from "./once";

/** What no text may hold: the token, and characters that are not fit for a terminal or for a path. */

/**
 * Characters that a reader cannot see: control characters, changes of the writing direction, zero width, line separators, and half of a
 * surrogate pair, which a URL cannot encode.
 */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/u;

/** A segment of a path that leads to another path. */
export const isDotSegment = (segment: string): boolean => segment === "." || segment === "..";

/** The forms in which a server may echo the token: as it is, in a URL, in base64. They are computed once, and not for each response. */
const formsOf = onceForValue((token: string): string[] => [
  token,
  encodeURIComponent(token.toWellFormed()),
  Buffer.from(token).toString("base64").replace(/=+$/, ""),
]);

/** The text without any form of the token. A text that still holds it, because the marker and what is beside it spell it again, is dropped. */
export function redact(text: string, token: string): string {
  if (token === "") {
    return text;
  }
  const forms = formsOf(token);
  const shown = forms.reduce((rest, form) => rest.replaceAll(form, "[token]"), text);
  return forms.some((form) => shown.includes(form)) ? "" : shown;
}

/** Control, format (bidi, zero-width), private, unassigned and lone surrogate characters, and line separators: none may reach a terminal. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(character: string): string {
  return SHORT_ESCAPES[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** It does not cut a character in half. */
const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/\p{Surrogate}$/u, "")}…`;

/** The text with escapes in place of characters that would control a terminal. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped);
export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");

/** A foreign text made fit for a terminal and a log: without the token, on one line, escaped and cut. */
export function clean(text: string, token: string, limit = 500): string {
  const shown = printable(redact(text, token).trim());
  return redact(cut(shown, limit), token);
}
