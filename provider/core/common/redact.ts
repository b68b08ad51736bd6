import { onceForValue } from "./once";

/** What no text may hold: the token, and characters that are not fit for a terminal or for a path. */

/**
 * Characters that a reader cannot see: control characters, changes of the writing direction, zero width, line separators, and half of a
 * surrogate pair, which a URL cannot encode.
 */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/u;

/**
 * What scripts need although nobody sees it: joiners of emoji families and of Persian and Hindi words, soft hyphens, the spaces without width
 * of Thai and Khmer, signs before Arabic numbers.
 */
const SOFT = "\\u{AD}\\u{200B}-\\u{200D}\\u{600}-\\u{605}\\u{6DD}\\u{70F}\\u{8E2}";
/** The letters behind a black flag, as in that of Scotland. */
const TAG = "\\u{E0020}-\\u{E007F}";
/** One of them behind something that is seen. Several, or one alone, would be a text that nobody sees. */
const IN_PLACE = `(?<=[^\\p{C}\\s])[${SOFT}]|(?<=\\u{1F3F4}[${TAG}]*)[${TAG}]`;

/** The same in a text that people write, as a label or the name of a voice is: what its script needs is no fault. */
export const INVISIBLE_IN_TEXT = new RegExp(`(?!${IN_PLACE})${INVISIBLE.source}`, "u");

export const isDotSegment = (segment: string): boolean => segment === "." || segment === "..";

const TOKEN_MARK = "[token]";

export const escapedForRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** The token as it is, in a URL and in JSON, in any case. It is made once, and not for each response. */
const spellingsOf = onceForValue((token: string): RegExp => {
  const spellings = [token, encodeURIComponent(token.toWellFormed()), JSON.stringify(token).slice(1, -1)];
  return new RegExp(spellings.map(escapedForRegExp).join("|"), "gi");
});

/** Words that may be base64, in both alphabets. */
const BASE64 = /[\w+/-]{8,}={0,2}/g;

/** Base64 may begin at any character of the word. */
const holdsEncoded = (word: string, token: string): boolean =>
  [0, 1, 2, 3].some((start) => holds(Buffer.from(word.slice(start), "base64").toString("latin1"), token));

const holds = (text: string, token: string): boolean => text.search(spellingsOf(token)) >= 0;

/**
 * The text without the token: as it is, in a URL, in JSON, and in base64 once. It is dropped if the marker and what is beside it spell the
 * token again.
 */
export function redact(text: string, token: string): string {
  if (token === "" || text.length < token.length) {
    return text;
  }
  const shown = text
    .replace(spellingsOf(token), TOKEN_MARK)
    .replace(BASE64, (word) => (holdsEncoded(word, token) ? TOKEN_MARK : word));
  return holds(shown, token) ? "" : shown;
}

/** Control, format (bidi, zero-width), private, unassigned and lone surrogate characters, and line separators: none may reach a terminal. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
const UNPRINTABLE_IN_TEXT = new RegExp(`(?!${IN_PLACE})${UNPRINTABLE.source}`, "gu");
const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeOf(character: string): string {
  return SHORT_ESCAPES[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Cuts the text to the limit, but no character in half. */
const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/\p{Surrogate}$/u, "")}…`;

/** The text with escapes in place of characters that would control a terminal. */
export const printable = (text: string): string => text.replace(UNPRINTABLE_IN_TEXT, escapeOf);
/** The same with an escape for each character that is not seen: for a message about such a character. */
export const spelledOut = (text: string): string => text.replace(UNPRINTABLE, escapeOf);
export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");

/** A value of an argument or a setting, short enough for a sentence. */
export const shownShort = (value: string): string => clean(value, "", 60);

/** A foreign text made fit for a terminal and a log: without the token, on one line, escaped and cut. */
export function clean(text: string, token: string, limit = 500): string {
  const shown = printable(redact(text, token).trim());
  return redact(cut(shown, limit), token);
}
