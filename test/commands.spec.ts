import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, matchesGlob, resolve } from "node:path";
import { describe, it } from "mocha";
import { LONG, QUICK } from "../tools/goldens";

/** Checks the test setup itself. Without these tests, nobody would notice a spec that no command runs. */

const ROOT = resolve(__dirname, "..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };

const files = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.includes("testdata"))
  .map((file) => file.replaceAll("\\", "/"));

describe("the test setup", () => {
  // In parallel mode, mocha runs a file twice if two patterns match it.
  it("runs every spec file exactly once", () => {
    const specs = files.filter((file) => file.endsWith(".spec.ts")).map((file) => `test/${file}`);
    const runs = (script: string): string[] => {
      const [, ignored = ""] = / --ignore "(.*?)"/.exec(script) ?? [];
      const patterns = [...script.replace(/ --ignore "(.*?)"/, "").matchAll(/"(.*?)"/g)].map(
        ([, pattern = ""]) => pattern,
      );
      const matches = patterns.flatMap((pattern) => specs.filter((spec) => matchesGlob(spec, pattern)));
      return matches.filter((spec) => !matchesGlob(spec, ignored)).sort();
    };
    const isLong = (spec: string): boolean => spec.endsWith(".long.spec.ts");
    assert.deepEqual(runs(scripts["test:quick"] ?? ""), specs.filter((spec) => !isLong(spec)).sort());
    assert.deepEqual(runs(scripts["test:long"] ?? ""), specs.filter(isLong).sort());
  });

  it("runs `npm test` and `npm run test:long` once in .ci/run", () => {
    assert.deepEqual(read(".ci/run").match(/^np[mx] .*$/gm), [
      "npm ci",
      "npm test",
      "npx --yes --package=node@24 -- mocha test/package.spec.ts test/engine/lifecycle.spec.ts",
      "npm run test:long",
    ]);
  });

  it("contains top-level suites only in .spec.ts files", () => {
    const unnamed = files.filter((file) => !file.endsWith(".spec.ts") && /^describe\(/m.test(read(`test/${file}`)));
    assert.deepEqual(unnamed, []);
  });

  it("uses the built package only through support/built.ts", () => {
    // Apart from built.ts itself, these files build their own dist or look inside the packed package.
    const allowed = ["support/built.ts", "support/packed.ts", "tools/build.spec.ts", "package.spec.ts"];
    const others = files.filter((file) => /["/]dist["/]/.test(read(`test/${file}`)) && !allowed.includes(file));
    assert.deepEqual(others, []);
    const linking = files.filter((file) => /symlinkSync\(repository,/.test(read(`test/${file}`)));
    assert.deepEqual(linking, [], "a link to the whole repository contains dist, so use builtPackage");
  });
});

describe("the CI workflow", () => {
  it("runs on every Node version that package.json supports", () => {
    const { engines } = JSON.parse(read("package.json")) as { readonly engines: { readonly node: string } };
    const [, tested = ""] = /^ {8}node: \[(.*)\]$/m.exec(read(".github/workflows/ci.yml")) ?? [];
    assert.deepEqual(tested.split(", "), engines.node.match(/(?<=[\^=])\d+/g));
  });

  it("runs only existing folders on Windows and macOS", () => {
    const [, folders = ""] = /npx mocha "test\/\{(.*)\}\//.exec(read(".github/workflows/ci.yml")) ?? [];
    const existing = readdirSync(join(ROOT, "test"));
    assert.deepEqual(
      folders.split(",").filter((folder) => !existing.includes(folder)),
      [],
    );
  });
});

describe("npm run goldens", () => {
  it("updates every golden file", () => {
    const writing = /process\.env\.UPDATE_GOLDENS/;
    const specs = files.filter((file) => file.endsWith(".spec.ts") && writing.test(read(`test/${file}`)));
    assert.deepEqual([...QUICK, ...LONG].sort(), specs.map((file) => `test/${file}`).sort());
  });
});
