import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";

/**
 * `npm run goldens [-- --all | <spec>…]`: what tests compare with a file is written again, by the tests themselves. What has changed is then
 * in `git diff`, to be read. `npm run record`: what the version in package.json leaves to later ones, which is never written again once it
 * is released.
 */

/** By spec: what it compares with files. */
export const QUICK = ["test/cli/board.spec.ts", "test/cli/reportGoldens.spec.ts", "test/core/messages.spec.ts"];
/** Those need the engine for each row. The previews come first, because the reports are made of them. */
export const LONG = ["test/cli/reportEngine.spec.ts"];

/** What a later version must take up. */
const RECORDED = ["test/upgrade/states.spec.ts", "test/upgrade/commands.spec.ts"];

if (require.main === module) {
  const root = resolve(__dirname, "..");
  const args = process.argv.slice(2);
  const isRelease = args.includes("--release");
  const named = args.includes("--all") ? [...LONG, ...QUICK] : args;
  const specs = isRelease ? RECORDED : named;
  const mocha = join(root, "node_modules/mocha/bin/mocha.js");
  const { status } = spawnSync(process.execPath, [mocha, ...(specs.length === 0 ? QUICK : specs)], {
    cwd: root,
    env: { ...process.env, [isRelease ? "RECORD_RELEASE" : "UPDATE_GOLDENS"]: "1" },
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}
