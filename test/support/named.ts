import assert from "node:assert/strict";

/**
 * Extracts facts such as numbers, codes, fields and quoted text. Drops other words, so that rewording a message doesn't
 * break a test.
 */
export function namedIn(text: string): string {
  const parts = text.match(/(?:`[^`]*`|"[^"]*"|\[[^\]]*\]|[^\s`"[\](),;])+/g) ?? [];
  return parts
    .map((part) => part.replace(/[.:?!]+$/, ""))
    .filter((part) => /[^A-Za-z'’-]|[a-z][A-Z]|^[A-Z]{4}|^--/.test(part))
    .join(" ");
}

/** Asserts that `namedIn` finds each of these facts in the text. */
export function assertNames(text: string, ...facts: readonly string[]): void {
  const named = namedIn(text);
  for (const fact of facts) {
    assert.ok(named.includes(fact), `${fact} is not named in: ${text}`);
  }
}

/** Asserts that the text contains each of these facts, word for word. */
export function assertShows(text: string, ...facts: readonly string[]): void {
  for (const fact of facts) {
    assert.ok(text.includes(fact), `${fact} is missing from: ${text}`);
  }
}

/** Asserts that the text contains none of these facts. */
export function assertHides(text: string, ...facts: readonly string[]): void {
  for (const fact of facts) {
    assert.ok(!text.includes(fact), `${fact} is in: ${text}`);
  }
}

/**
 * Returns a pattern for the placeholder that `withhold` returns if it withholds the whole text. The placeholder names
 * the secrets, but contains nothing from the text.
 */
export const withheld = (names: string): RegExp => new RegExp(`^\\[[a-z, ]+ ${names}\\]$`);
