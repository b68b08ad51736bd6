import assert from "node:assert/strict";

/**
 * What a text names, in its order: addresses, numbers, percentages, agents, codes, fields, options and what is in quotes or brackets,
 * without the words around them. The words may change, and words/testdata holds them.
 */
export function namedIn(text: string): string {
  const parts = text.match(/(?:`[^`]*`|"[^"]*"|\[[^\]]*\]|[^\s`"[\](),;])+/g) ?? [];
  return parts
    .map((part) => part.replace(/[.:?!]+$/, ""))
    .filter((part) => /[^A-Za-z'’-]|[a-z][A-Z]|^[A-Z]{4}|^--/.test(part))
    .join(" ");
}

/** Each of these follows from what the text names. */
export function assertNames(text: string, ...facts: readonly string[]): void {
  const named = namedIn(text);
  for (const fact of facts) {
    assert.ok(named.includes(fact), `${fact} is not named in: ${text}`);
  }
}

/** Matches a text of which nothing is shown, except the names of the secrets in it. */
export const withheld = (names: string): RegExp => new RegExp(`^\\[[a-z, ]+ ${names}\\]$`);
