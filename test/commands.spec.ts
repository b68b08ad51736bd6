import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "mocha";
import { LONG, QUICK } from "../tools/goldens";

/** What each command runs: a spec that is in none would look green for ever. */

const ROOT = resolve(__dirname, "..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };

const files = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.includes("testdata"))
  .map((file) => file.replaceAll("\\", "/"));

describe("the commands that run the tests", () => {
  it("are two: `npm test` leaves to `npm run test:long` what is named .long.spec.ts, and nothing else", () => {
    // The dear ones first, so that at the end no core waits for the other one. Three at a time, because those wait for the engine.
    const patterns = '"test/engine/**/*.spec.ts" "test/*.spec.ts" "test/!(engine)/**/*.spec.ts"';
    assert.equal(scripts["test:quick"], `mocha --parallel --jobs 3 --ignore "test/**/*.long.spec.ts" ${patterns}`);
    assert.equal(scripts.test, "run-p --continue-on-error --aggregate-output style types unused test:quick");
    const long = '"test/{cli,lives}/**/*.long.spec.ts" "test/!(cli|lives)/**/*.long.spec.ts" "test/*.long.spec.ts"';
    assert.equal(scripts["test:long"], `mocha --parallel --jobs 3 ${long}`);
    assert.equal(scripts["test:all"], "npm test && npm run test:long");
  });

  it("both run where a change is checked, each once", () => {
    assert.deepEqual(read(".ci/run").match(/^np[mx] .*$/gm), [
      "npm ci",
      "npm test",
      "npx --yes --package=node@24 -- mocha test/package.spec.ts test/engine/lifecycle.spec.ts",
      "npm run test:long",
    ]);
  });

  it("find every test by its file's name", () => {
    const unnamed = files.filter((file) => !file.endsWith(".spec.ts") && /^describe\(/m.test(read(`test/${file}`)));
    assert.deepEqual(unnamed, []);
  });

  it("never run what was built of other sources: each path to dist comes from support/built.ts", () => {
    // The first gives the path; the others make a dist of their own, or look into the package that is packed.
    const own = ["support/built.ts", "support/packed.ts", "tools/build.spec.ts", "package.spec.ts"];
    const others = files.filter((file) => /["/]dist["/]/.test(read(`test/${file}`)) && !own.includes(file));
    assert.deepEqual(others, []);
  });

  it("have an end: no spec, and no setting, lifts the time limit", () => {
    const { timeout } = JSON.parse(read(".mocharc.json")) as { readonly timeout: number };
    assert.ok(timeout > 0 && timeout <= 600_000, `${timeout} ms`);
    const endless = files.filter((file) =>
      /timeout\((?:0|Infinity|Number\.|-)|enableTimeouts/.test(read(`test/${file}`)),
    );
    assert.deepEqual(endless, ["commands.spec.ts"]);
  });
});

describe("the versions of Node", () => {
  it("are in the workflow, each that engines names", () => {
    const { engines } = JSON.parse(read("package.json")) as { readonly engines: { readonly node: string } };
    const [, tested = ""] = /^ {8}node: \[(.*)\]$/m.exec(read(".github/workflows/ci.yml")) ?? [];
    assert.deepEqual(tested.split(", "), engines.node.match(/(?<=[\^=])\d+/g));
  });
});

describe("`npm run goldens`", () => {
  it("has each spec that compares with a file that it can write", () => {
    const writing = /process\.env\.UPDATE_GOLDENS/;
    const specs = files.filter((file) => file.endsWith(".spec.ts") && writing.test(read(`test/${file}`)));
    assert.deepEqual([...QUICK, ...LONG].sort(), specs.map((file) => `test/${file}`).sort());
  });
});
