import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "mocha";
import { LONG, QUICK } from "../tools/goldens";

/** What each command runs: a spec that is in none would look green for ever. */

const ROOT = resolve(__dirname, "..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };

/** What a pattern of a command finds, for the forms that these have: `*`, `**` and a slash, `{a,b}`, `!(a|b)`. */
const matching = (pattern: string): RegExp => {
  const source = pattern
    .replaceAll(".", "\\.")
    .replace(/!\(([^)]+)\)/g, "(?!(?:$1)/)[^/]+")
    .replace(/\{([^}]+)\}/g, (_, names: string) => `(?:${names.replaceAll(",", "|")})`)
    .replace(/\*\*\/|(?<!\*)\*(?!\*)/g, (form) => (form === "*" ? "[^/]*" : "(?:[^/]+/)*"));
  return new RegExp(`^${source}$`);
};

/** The specs that a command runs, in the order of its patterns. One that two patterns find is there twice. */
function specsOf(command: "test:quick" | "test:long"): string[] {
  const script = scripts[command] ?? "";
  const [ignore, ignored] = /--ignore "([^"]+)"/.exec(script) ?? [];
  const patterns = script.replace(ignore ?? "", "").match(/[^"\s]+\.spec\.ts/g) ?? [];
  const found = patterns.flatMap((pattern) => specs.filter((file) => matching(pattern).test(file)));
  return found.filter((file) => ignored === undefined || !matching(ignored).test(file));
}

const files = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.includes("testdata"))
  .map((file) => file.replaceAll("\\", "/"));
const specs = files.filter((file) => file.endsWith(".spec.ts")).map((file) => `test/${file}`);
const isLong = (file: string): boolean => file.endsWith(".long.spec.ts");

describe("the commands that run the tests", () => {
  it("`npm test` runs each spec once but the long ones", () => {
    assert.equal(scripts.test, "run-p --continue-on-error --aggregate-output style types unused test:quick");
    assert.deepEqual(specsOf("test:quick").sort(), specs.filter((file) => !isLong(file)).sort());
  });

  it("`npm run test:long` runs each long spec once, and no other", () =>
    assert.deepEqual(specsOf("test:long").sort(), specs.filter(isLong).sort()));

  it("`npm run test:all` runs both", () => assert.equal(scripts["test:all"], "npm test && npm run test:long"));

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

  it("run dist by support/built.ts alone, which builds it of today's sources", () => {
    // The first gives the path; the others make a dist of their own, or look into the package that is packed.
    const own = ["support/built.ts", "support/packed.ts", "tools/build.spec.ts", "package.spec.ts"];
    const others = files.filter((file) => /["/]dist["/]/.test(read(`test/${file}`)) && !own.includes(file));
    assert.deepEqual(others, []);
    const linking = files.filter((file) => /symlinkSync\(repository,/.test(read(`test/${file}`)));
    assert.deepEqual(linking, [], "a link to the whole repository leads to dist: use builtPackage");
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
