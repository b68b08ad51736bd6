import { onceForValue } from "./json";

/** Control characters, changes of the writing direction, line separators, and half of a surrogate pair, which a URL cannot encode. */
export const CONTROLS = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Surrogate}]/u;

/** These, and all other characters without width: in an id they make another id that looks the same. Words of some scripts and emoji need them. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/u;

export const isDotSegment = (segment: string): boolean => segment === "." || segment === "..";

const TOKEN_MARK = "[token]";

/** What finds a text as it is, in a URL and in JSON. Of two texts that begin at the same place the longer one is found. */
function anyOf(texts: Iterable<string>, flags: string): RegExp {
  const spellings = [...texts].flatMap((text) => spellingsOf(text)).sort((a, b) => b.length - a.length);
  return new RegExp(spellings.map((one) => one.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|") || "(?!)", flags);
}

const spellingsOf = (text: string): string[] => [
  text,
  encodeURIComponent(text.toWellFormed()),
  JSON.stringify(text).slice(1, -1),
];

/** It is made once, and not for each response. */
const patternOf = onceForValue((token: string): RegExp => anyOf([token], "gi"));

/**
 * The text without the token: as it is, in a URL, in JSON, in any case, and in base64 once. It is dropped if the marker and what is beside it
 * spell the token again.
 */
export function redact(text: string, token: string): string {
  if (token === "" || text.length < token.length) {
    return text;
  }
  const pattern = patternOf(token);
  const holdsToken = (one: string) => one.search(pattern) >= 0;
  const printed = text
    .replace(pattern, TOKEN_MARK)
    // A word that may be base64, in both alphabets, which may begin at any character of the word.
    .replace(/[\w+/-]{8,}={0,2}/g, (word) => {
      const decoded = [0, 1, 2, 3].map((start) => Buffer.from(word.slice(start), "base64").toString("latin1"));
      return decoded.some(holdsToken) ? TOKEN_MARK : word;
    });
  return holdsToken(printed) ? "" : printed;
}

/** The text with a name in place of each of these texts, which are the keys. */
export function withoutTexts(text: string, names: ReadonlyMap<string, string>): string {
  const nameOf = new Map(
    [...names].flatMap(([hidden, name]) => spellingsOf(hidden).map((spelling) => [spelling, name])),
  );
  return text.replace(anyOf(names.keys(), "g"), (spelling) => `[${nameOf.get(spelling)}]`);
}

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
export const printedShort = (value: string): string => clean(value, "", 60);

/** A foreign text made fit for a terminal and a log: without the token, on one line, escaped and cut. */
export function clean(text: string, token: string, limit = 500): string {
  const printed = printable(redact(text, token).trim());
  return redact(cut(printed, limit), token);
}

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
