import assert from "node:assert/strict";

/**
 * Asserts that two long texts are equal. Compares them paragraph by paragraph, because `assert` truncates strings after
 * 10,000 characters and would not show a later difference.
 */
export const assertSameText = (actual: string, expected: string): void =>
  assert.deepEqual(actual.split("\n\n"), expected.split("\n\n"));
