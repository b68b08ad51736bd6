/**
 * Matches control characters, writing-direction controls, and line and paragraph separators. Also matches lone
 * surrogates, because a URL can't encode them.
 */
export const CONTROLS = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Surrogate}]/u;

/**
 * Matches invisible characters, which could make two different IDs look the same. Names may contain zero-width
 * characters, because some scripts and emoji need them.
 */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/u;

export const isDotSegment = (segment: string): boolean => segment === "." || segment === "..";

function escapeOf(character: string): string {
  const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  return short[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Escapes the characters that could control a terminal. */
export const printable = (text: string): string => text.replace(new RegExp(CONTROLS, "gu"), escapeOf);

/** Escapes every invisible character, so that a reader of a message can see it. */
export const escapeInvisible = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escapeOf);

export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");

/** Joins items as in a sentence: `a`, `a and b`, `a, b and c`. */
export const series = (items: readonly string[], conjunction: "and" | "or" = "and"): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} ${conjunction} ${items.at(-1)}`;

/** Shortens an argument or a setting's value so that it fits into a sentence. */
export const excerpt = (value: string): string => clean(value, 60);

/**
 * Makes an untrusted string safe for terminals and logs. Withhold secrets first, because a secret that is cut in half
 * can't be recognized.
 */
export const clean = (text: string, limit = 500): string => truncate(printable(text.trim()), limit);

/** Returns the text, or only its beginning if it is too long. Never cuts a character in half. */
export const truncate = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/\p{Surrogate}$/u, "")}…`;

/**
 * Parses a URL; returns undefined if it isn't one. We don't use `URL.canParse`, because its optimized version in Node
 * 20 and 22 rejects non-ASCII strings.
 */
export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
