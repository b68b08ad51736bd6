import assert from "node:assert/strict";

/**
 * Asserts that two long texts are equal. Compares paragraphs, because `assert` shows only the first 10,000 characters
 * of a string.
 */
export const assertSameText = (actual: string, expected: string): void =>
  assert.deepEqual(actual.split("\n\n"), expected.split("\n\n"));
