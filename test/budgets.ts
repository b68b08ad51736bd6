/**
 * What the sources, the tests and the pages may hold at most, in round hundreds. A release looks at them: between two releases they move
 * only if a promise of test/README.md is new. A case that no user has had is a row of docs/limits.md, not code.
 */
export const LINES: Readonly<Record<"provider" | "cli" | "emulator" | "test", number>> = {
  provider: 10_200,
  cli: 8500,
  emulator: 1700,
  test: 30_400,
};

/** Words of the pages that people read: README, docs, the other pages at the root, examples, templates, and those of bench and test. */
export const WORDS = 26_900;
