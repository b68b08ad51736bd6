import assert from "node:assert/strict";

/**
 * Compares two long texts paragraph by paragraph. As strings, `assert` would cut both after 10,000 characters, and a
 * later difference would not be shown.
 */
export const assertSameText = (actual: string, expected: string): void =>
  assert.deepEqual(actual.split("\n\n"), expected.split("\n\n"));
