/**
 * What each room may hold at most. A figure falls with each cut, and it rises only with a commit that says which promise it adds:
 * a case that no user has had is a row of docs/limits.md, not code.
 */
export const LINES: Readonly<Record<string, number>> = {
  "provider/client": 1666,
  "provider/core": 4142,
  "provider/resources": 1855,
  "provider/edge": 507,
  "provider/pulumi": 750,
  "provider/plugin": 433,
  provider: 9408,
  emulator: 1891,
  "cli/report": 2000,
  "cli/commands/rollout": 900,
  "cli/rollout": 220,
  "cli/commands/init": 500,
  "cli/commands/takeover": 575,
  "cli/commands/doctor": 293,
  "cli/board": 593,
  "cli/history": 268,
  "cli/pulumi": 774,
  cli: 7701,
  tools: 1614,
  bench: 275,
  test: 27_265,
};

/** Lines of the scripts and workflows in examples/pipelines. */
export const PIPELINES = 900;

/** Lines of the files under test/ that are not TypeScript. */
export const TEST_DATA = 2169;

/** Words of the pages that people read: README, docs, the other pages at the root, examples, templates, and those of bench and test. */
export const WORDS = 23_190;

export const TRACKED_FILES = 579;
