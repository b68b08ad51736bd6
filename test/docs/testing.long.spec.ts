import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repository } from "../support/repository";
import { type Block, blocksOf, pageText } from "./blocks";
import "../support/built";

const PAGE = "docs/guides/testing.md";

/** The names of the other runners, made of mocha's: what is held is what the snippet says of this package. */
const NAMES = `const test = it, expect = (value) => ({ toEqual: (wanted) => assert.deepEqual(value, wanted) });
let emulator;
beforeEach(async () => { emulator = await startEmulator({ seed: 7 }); });
afterEach(() => emulator.close());
`;
const COMMONJS = `const assert = require("node:assert/strict");
const { createClient, split } = require("pulumi-agent-platform");
const { startEmulator } = require("pulumi-agent-platform/emulator");
${NAMES}`;
const MODULE = `import assert from "node:assert/strict";
import { createClient, split } from "pulumi-agent-platform";
import { startEmulator } from "pulumi-agent-platform/emulator";
${NAMES}`;

/** The first block of JavaScript below a heading. */
function snippet(heading: string): Block {
  const start = pageText(PAGE).split("\n").indexOf(heading);
  const found = blocksOf(PAGE).find(({ language, line }) => language === "js" && line > start);
  assert.ok(start >= 0 && found, heading);
  return found;
}

describe(PAGE, () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-snippets-")));
    mkdirSync(join(root, "node_modules"));
    symlinkSync(repository, join(root, "node_modules/pulumi-agent-platform"), "dir");
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  for (const [runner, heading, file, before] of [
    ["mocha", "### mocha", "split.spec.js", ""],
    ["jest", "### jest and vitest", "split.test.js", COMMONJS],
    ["vitest", "### jest and vitest", "split.test.mjs", MODULE],
  ] as const) {
    it(`shows a test for ${runner} that passes`, async () => {
      writeFileSync(join(root, file), before + snippet(heading).text);
      const mocha = join(repository, "node_modules/mocha/bin/mocha.js");
      const { stdout } = await promisify(execFile)(process.execPath, [mocha, "--no-config", "--no-package", file], {
        cwd: root,
      });
      assert.match(stdout, /^ {2}1 passing/m);
    });
  }

  for (const heading of ["## With Pulumi mocks", "## With the engine"]) {
    it(`shows lines of the example's tests: ${heading.slice(3)}`, () => {
      const folder = join(repository, "examples/test-kit/tests");
      const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n"));
      const known = new Set(lines.map((line) => line.trim()));
      const strange = snippet(heading)
        .text.split("\n")
        .filter((line) => !known.has(line.trim()));
      assert.deepEqual(strange, []);
    });
  }
});
