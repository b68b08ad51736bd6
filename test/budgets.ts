/**
 * What each room may hold at most. A figure falls with each cut, and it rises only with a commit that says which promise it adds:
 * a case that no user has had is a row of docs/limits.md, not code.
 */
export const LINES: Readonly<Record<string, number>> = {
  "provider/client": 1666,
  "provider/core": 4135,
  "provider/resources": 1840,
  "provider/edge": 519,
  "provider/pulumi": 756,
  "provider/plugin": 433,
  provider: 9404,
  emulator: 1789,
  "cli/report": 2000,
  "cli/commands/rollout": 857,
  "cli/rollout": 249,
  "cli/commands/init": 352,
  "cli/commands/takeover": 530,
  "cli/commands/doctor": 276,
  "cli/board": 504,
  "cli/history": 244,
  "cli/pulumi": 702,
  cli: 7172,
  tools: 1531,
  bench: 275,
  test: 27_006,
};

/** Lines of the scripts and workflows in examples/pipelines. */
export const PIPELINES = 900;

/** Lines of the files under test/ that are not TypeScript. */
export const TEST_DATA = 2169;

/** Words of the pages that people read: README, docs, the other pages at the root, examples, templates, and those of bench and test. */
export const WORDS = 22_746;

export const TRACKED_FILES = 556;
