/**
 * What each room may hold at most. A figure falls with each cut, and it rises only with a commit that says which promise it adds:
 * a case that no user has had is a row of docs/limits.md, not code.
 */
export const LINES: Readonly<Record<string, number>> = {
  "provider/client": 1647,
  "provider/core": 4089,
  "provider/resources": 1797,
  "provider/edge": 600,
  "provider/pulumi": 605,
  "provider/plugin": 434,
  provider: 9225,
  emulator: 1789,
  "cli/report": 1993,
  "cli/commands/rollout": 808,
  "cli/rollout": 213,
  "cli/commands/init": 360,
  "cli/commands/takeover": 520,
  "cli/commands/doctor": 275,
  "cli/board": 509,
  "cli/history": 260,
  "cli/pulumi": 697,
  cli: 7092,
  tools: 1528,
  bench: 275,
  test: 26_722,
};

/** Lines of the scripts and workflows in examples/pipelines. */
export const PIPELINES = 900;

/** Lines of the files under test/ that are not TypeScript. */
export const TEST_DATA = 2169;

/** Words of the pages that people read: README, docs, the other pages at the root, examples, templates, and those of bench and test. */
export const WORDS = 22_628;

export const TRACKED_FILES = 541;
