/** What a text of a program, of a setting or of a platform must not contain. */

/** Patterns that a text must not match, each with what is said of a text that does. */
export type TextRules = readonly (readonly [forbidden: RegExp, problem: string])[];

export const brokenIn = (text: string, rules: TextRules): string | undefined =>
  rules.find(([forbidden]) => forbidden.test(text))?.[1];

/** Characters that a reader cannot see: control characters, changes of the writing direction, zero width, line separators. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Half of a surrogate pair. It is no character, and a URL cannot encode it. */
export const HALF_A_CHARACTER = /\p{Surrogate}/u;

/** A segment of a path that leads to another path. */
export const isDotSegment = (segment: string): boolean => segment === "." || segment === "..";
