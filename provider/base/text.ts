/** Control characters, changes of the writing direction, line separators, and half of a surrogate pair, which a URL cannot encode. */
export const CONTROLS = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Surrogate}]/u;

/** These, and all other characters without width: in an id they make another id that looks the same. Words of some scripts and emoji need them. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/u;

export const isDotSegment = (segment: string): boolean => segment === "." || segment === "..";

function escapeOf(character: string): string {
  const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  return short[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The text with escapes in place of characters that would control a terminal. */
export const printable = (text: string): string => text.replace(new RegExp(CONTROLS, "gu"), escapeOf);

/** The same with an escape for each character that is not seen: for a message about such a character. */
export const spelledOut = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escapeOf);

export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");

/** A value of an argument or a setting, short enough for a sentence. */
export const printedShort = (value: string): string => clean(value, 60);

/** A foreign text made fit for a terminal and a log: on one line, escaped and cut. It is cut last, so a secret has to be withheld before. */
export const clean = (text: string, limit = 500): string => cut(printable(text.trim()), limit);

/** The text, or its beginning. No character is cut in half. */
export const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/\p{Surrogate}$/u, "")}…`;

/** The URL of a text, or undefined. The optimized `URL.canParse` of Node 20 and 22 refuses texts that are not ASCII, so it is not used. */
export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
