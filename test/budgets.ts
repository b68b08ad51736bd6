/**
 * What each room may hold at most. A figure falls with each cut, and it rises only with a commit that says which promise it adds:
 * a case that no user has had is a row of docs/limits.md, not code.
 */
export const LINES: Readonly<Record<string, number>> = {
  "provider/client": 1565,
  "provider/core": 3952,
  "provider/resources": 1774,
  "provider/edge": 597,
  "provider/pulumi": 605,
  "provider/plugin": 443,
  provider: 8988,
  emulator: 1783,
  "cli/report": 1998,
  "cli/commands/rollout": 824,
  "cli/rollout": 213,
  "cli/commands/init": 355,
  "cli/commands/takeover": 520,
  "cli/commands/doctor": 261,
  "cli/board": 508,
  "cli/history": 253,
  "cli/pulumi": 662,
  cli: 7000,
  tools: 1538,
  bench: 275,
  test: 25_743,
};

/** Lines of the scripts and workflows in examples/pipelines. */
export const PIPELINES = 900;

/** Lines of the files under test/ that are not TypeScript. */
export const TEST_DATA = 2087;

/** Words of the pages that people read: README, docs, the other pages at the root, examples, templates, and those of bench and test. */
export const WORDS = 22_625;

export const TRACKED_FILES = 532;
