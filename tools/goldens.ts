import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";

/**
 * `npm run goldens [-- --all | <spec>…]` lets the tests rewrite the files that they compare with. Read the changes in
 * `git diff`.
 */

/** The specs that compare with files. */
export const QUICK = [
  "test/cli/probeRecord.spec.ts",
  "test/cli/probeText.spec.ts",
  "test/cli/reportGoldens.spec.ts",
  "test/words/messages.spec.ts",
  "test/words/commands.spec.ts",
];
/** These need the engine. The previews come first, because the reports are made from them. */
export const LONG = ["test/cli/reportEngine.long.spec.ts"];

if (require.main === module) {
  const root = resolve(__dirname, "..");
  const args = process.argv.slice(2);
  const specs = args.includes("--all") ? [...LONG, ...QUICK] : args;
  const mocha = join(root, "node_modules/mocha/bin/mocha.js");
  const { status } = spawnSync(process.execPath, [mocha, ...(specs.length === 0 ? QUICK : specs)], {
    cwd: root,
    env: { ...process.env, UPDATE_GOLDENS: "1" },
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}
