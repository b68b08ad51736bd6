import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { PULUMI_MISSING } from "../../cli/pulumi/cli";
import { TABLE_COLUMNS } from "../../cli/start/table";
import manifest from "../../package.json";
import { GUARD_KEYS, unknownSettings } from "../../provider/config/keys";
import { KINDS } from "../../provider/config/kinds";
import { ABORT_ENV, BYPASS_ENV, SETTINGS, type SettingRow } from "../../provider/config/settings";
import { CODES } from "../../provider/words/codes";
import { engineVersion } from "../../tools/engine/executables";
import { need, root } from "../../tools/reference/declarations";
import { blocksOf, fileOf, locationOf, pages, pageText } from "./blocks";
import { runnable } from "./guide";
import { brokenLinks, orphans } from "./links";

describe("the documentation", () => {
  it("mentions only settings, variables and error codes that exist", () => {
    const rows: readonly SettingRow[] = Object.values(SETTINGS);
    const variables = new Set([ABORT_ENV, BYPASS_ENV, ...rows.map(({ env }) => env)]);
    const unknown = pages.flatMap((page) => {
      const text = pageText(page);
      const settings = text.match(/\bagent-platform:[a-z]\w*/g) ?? [];
      return [
        ...unknownSettings(settings).map(({ key }) => key),
        ...(text.match(/\bAGENT_PLATFORM_[A-Z_]+\b/g) ?? []).filter((name) => !variables.has(name)),
        ...(text.match(/AGP-\d{3}/g) ?? []).filter((code) => !Object.hasOwn(CODES, code)),
      ].map((name) => `${page}: ${name}`);
    });
    assert.deepEqual(unknown, []);
  });

  it("lists consecutively numbered assumptions with valid settings", () => {
    const rows = [...pageText("docs/assumptions.md").matchAll(/^(\d+)\. .+\*\*(.*)$/gm)];
    assert.deepEqual(
      rows.map(([, number]) => number),
      rows.map((_, index) => String(index + 1)),
    );
    const args = new Set(KINDS.flatMap((kind) => need(`${kind}Args`).members.map(({ name }) => name)));
    const isKnown = (end: string) => {
      const [, argument, name = ""] = /^ \((argument )?`(\w+)`\)$/.exec(end) ?? [];
      return end === "" || (argument === undefined ? Object.hasOwn(SETTINGS, name) : args.has(name));
    };
    assert.deepEqual(
      rows.flatMap(([, number, end = ""]) => (isKnown(end) ? [] : [`${number}${end}`])),
      [],
    );
  });

  it("documents every guard and every column of numbers.csv", () => {
    const table = pageText("docs/guards.md").match(/^\|.*$/gm) ?? [];
    const named = [...table.join("\n").matchAll(/`(\w+)[`:]/g)].map(([, name]) => name);
    assert.deepEqual([...new Set(named)].sort(), [...GUARD_KEYS].sort());
    const csv = blocksOf("docs/existing-numbers.md").find((block) => fileOf(block) === "numbers.csv");
    assert.deepEqual(csv?.text.split("\n")[0]?.split(","), TABLE_COLUMNS);
  });

  it("lists the same supported versions as package.json and CI", () => {
    const cells = [...pageText("docs/start.md").matchAll(/^\| .+? \| (.+?) \| (.+?) \|$/gm)].slice(1);
    const versions = cells.map(([, works = "", tested = ""]) =>
      [works, tested].map((cell) => cell.match(/\d+(\.\d+)*/g)?.join(" ")),
    );
    const [, matrix = ""] = /node: \[(.*)\]/.exec(readFileSync(join(root, ".github/workflows/ci.yml"), "utf8")) ?? [];
    const [oldest = ""] = manifest.peerDependencies["@pulumi/pulumi"].match(/\d.*/) ?? [];
    assert.deepEqual(versions, [
      [manifest.engines.node.match(/\d+(\.\d+)*/g)?.join(" "), matrix.replaceAll(",", "")],
      [oldest.replace(/\.0$/, ""), `${oldest} ${manifest.devDependencies["@pulumi/pulumi"]}`],
      [engineVersion.replace(/\.0$/, ""), engineVersion],
    ]);
    assert.match(PULUMI_MISSING, new RegExp(` ${engineVersion.replace(/\.0$/, "")} `));
  });

  it("links to every page and has no broken relative links", () => {
    const others = ["README", "DESIGN", "CONTRIBUTING", "CHANGELOG", "SECURITY", "examples/README"];
    assert.deepEqual([...pages, ...others.map((name) => `${name}.md`)].flatMap(brokenLinks), []);
    assert.deepEqual(orphans(), []);
  });

  it("contains only code blocks of types that tests check", () => {
    const checked = new Set(["ts", "sh", "text", "yaml", "csv", "step"]);
    const unchecked = pages
      .flatMap(blocksOf)
      .filter(({ language, flags }) => !checked.has(language) || (language === "text" && !flags.includes("output")));
    assert.deepEqual(unchecked.map(locationOf), []);
  });

  it("has a test for every page with runnable steps", () => {
    const specs = ["guides.long.spec.ts", "runbooks.long.spec.ts"].map((file) =>
      readFileSync(join(root, "test/docs", file), "utf8"),
    );
    const untested = pages.filter(
      (page) => runnable(page).length > 0 && !specs.some((spec) => spec.includes(`"${page}"`)),
    );
    assert.deepEqual(untested, []);
  });
});

describe("docs/pictures", () => {
  it("contains only self-contained SVGs that support dark mode", () => {
    for (const file of readdirSync(join(root, "docs/pictures")).filter((name) => name.endsWith(".svg"))) {
      const text = pageText(`docs/pictures/${file}`);
      assert.match(text, /@media \(prefers-color-scheme: dark\)/, file);
      assert.deepEqual(text.match(/(?:href|src|url)\s*[=(]\s*["']?(?!#)[^"')]+/g) ?? [], [], file);
    }
  });
});
