import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { parse } from "yaml";
import { COLUMNS } from "../../cli/commands/takeover/rows";
import { droppedOf } from "../../cli/pulumi/projectFile";
import { CODES } from "../../provider/core/common/codes";
import { BYPASS_ENV, SETTINGS, type SettingRow, unknownSettings } from "../../provider/core/config/settings";
import { KINDS } from "../../provider/core/platform/kinds";
import { POSTED, POSTED_KINDS, postedAs } from "../../provider/core/platform/posted";
import { projectOf } from "../../provider/pulumi/projectFile";
import { root } from "../../tools/reference/declarations";
import { blocksOf, ownPages, pages, pageText, where } from "./blocks";
import { namesIn, problemOf, shownCommands } from "./checkCommands";
import { blockCount, typeErrors } from "./checkTypes";
import { runnable } from "./guide";
import { brokenLinks, orphans } from "./links";
import { PAGE_WORDS } from "./pageBudgets";

describe("the pages of docs", () => {
  it("are as long as their readers have time for", () => {
    const words = (page: string) => pageText(page).match(/\S+/g)?.length ?? 0;
    const long = ["README.md", ...pages].map((page) => [page, words(page), PAGE_WORDS[page] ?? 0] as const);
    assert.deepEqual(
      long.filter(([, count, most]) => count > most),
      [],
    );
    assert.deepEqual(Object.keys(PAGE_WORDS).sort(), ["README.md", ...pages].sort());
  });

  it("hold TypeScript that compiles, by the package's names", () => {
    assert.ok(blockCount > 15, `${blockCount} blocks`);
    assert.deepEqual(typeErrors(), []);
  });

  it("show commands and options that exist", async () => {
    const problems = await Promise.all(
      shownCommands().map(async (shown) => ({ where: shown.where, problem: await problemOf(shown) })),
    );
    assert.deepEqual(
      problems.filter(({ problem }) => problem !== undefined),
      [],
    );
  });

  it("give no resource in YAML the name of a key of the config: Pulumi would drop it in silence", () => {
    const programs = pages
      .flatMap(blocksOf)
      .filter(({ language, text }) => language === "yaml" && /^runtime: yaml/m.test(text));
    assert.ok(programs.length >= 2, `${programs.length} programs`);
    const droppedIn = (text: string, keys: readonly string[]) => droppedOf(projectOf("Pulumi.yaml", parse(text)), keys);
    // The keys of all stacks' config on a page, because its programs are one project at different times.
    const keysOn = (page: string) =>
      blocksOf(page).flatMap(({ text }) => [...text.matchAll(/^ {2}([\w-]+:[\w-]+):/gm)].map(([, key = ""]) => key));
    assert.ok(keysOn("docs/guides/rollout.md").includes("agent-platform:rollouts"));
    assert.deepEqual(programs.filter((one) => droppedIn(one.text, keysOn(one.page)).length > 0).map(where), []);

    for (const folder of ["templates/yaml", "examples/yaml"]) {
      const read = (file: string) => readFileSync(join(root, folder, file), "utf8");
      const { config } = parse(read("Pulumi.dev.yaml")) as { config: object };
      assert.deepEqual(droppedIn(read("Pulumi.yaml"), Object.keys(config)), [], folder);
      // A rollout is no config of the project's own, which could have the name of a resource.
      assert.ok("agent-platform:rollouts" in config, folder);
    }
    const own = pages.filter((page) => /requireObject|type: object/.test(pageText(page)));
    assert.deepEqual(own, []);
  });

  it("name settings, variables and error codes that exist", () => {
    const rows: readonly SettingRow[] = Object.values(SETTINGS);
    const isSetting = (key: string) => unknownSettings([key]).length === 0;
    const variables = new Set([BYPASS_ENV, ...rows.map(({ env }) => env)]);
    const strange = pages.flatMap((page) => {
      const names = namesIn(page);
      const codes = pageText(page).match(/AGP-\d{3}/g) ?? [];
      return [
        ...names.settings.filter((key) => !isSetting(key) && !/^[A-Z]/.test(key)),
        ...names.variables.filter((name) => !variables.has(name)),
        ...codes.filter((code) => !Object.hasOwn(CODES, code)),
      ].map((name) => `${page}: ${name}`);
    });
    assert.deepEqual(strange, []);
  });

  it("have a row for each kind of resource where they list them", () => {
    for (const page of ["README.md", "docs/_index.md"]) {
      const text = readFileSync(join(root, page), "utf8");
      assert.deepEqual(
        KINDS.filter((kind) => !new RegExp(`^\\|.*\\b${kind}\\b.*\\|$`, "m").test(text)),
        [],
        page,
      );
    }
  });

  it("name the code of each kind that may exist where they say what to do about it", () => {
    const codes = POSTED_KINDS.map((kind) => POSTED[kind].maybe.code);
    const text = readFileSync(join(root, "docs/runbooks/unresolved-post.md"), "utf8");
    assert.deepEqual(
      codes.filter((code) => !text.includes(code)),
      [],
    );
  });

  it("name the code of each kind that may have ended where they say what to do about it", () => {
    const text = readFileSync(join(root, "docs/runbooks/stuck-delete.md"), "utf8");
    const codes = POSTED_KINDS.map((kind) => postedAs(kind).end?.code);
    assert.deepEqual(
      codes.filter((code) => code !== undefined && !text.includes(code)),
      [],
    );
  });

  it("show the table of takeover with its columns", () => {
    const headers = ownPages.flatMap((page) => pageText(page).match(/^number,.*,agents,.*$/gm) ?? []);
    assert.ok(headers.length > 0);
    assert.deepEqual([...new Set(headers)], [COLUMNS.join(",")]);
  });

  it("lead from docs/README.md to every guide", () => {
    const text = pageText("docs/README.md");
    const guides = pages.filter((page) => page.startsWith("docs/guides/"));
    assert.deepEqual(
      guides.filter((page) => !text.includes(`](${page.slice("docs/".length)})`)),
      [],
    );
  });

  it("say which project a reader needs, if they go on with one", () => {
    const guides = pages.filter((page) => page.startsWith("docs/guides/") && page !== "docs/guides/first-number.md");
    const withProgram = guides.filter((page) => /```(ts program|js file=\S+\.mjs)/.test(pageText(page)));
    assert.ok(withProgram.length > 5, withProgram.join());
    assert.deepEqual(
      withProgram.filter((page) => !pageText(page).includes("](first-number.md#1-a-project)")),
      [],
    );
  });

  it("lead to each other, and nowhere else", () => {
    const others = [
      "README",
      "DESIGN",
      "CONTRIBUTING",
      "CHANGELOG",
      "SECURITY",
      "bench/README",
      "examples/README",
      "test/faults/README",
    ];
    assert.deepEqual([...pages, ...others.map((name) => `${name}.md`)].flatMap(brokenLinks), []);
    assert.deepEqual(orphans(), []);
  });

  it("hold no block that nothing looks at", () => {
    // `txt` is the help of a command: the whole page is made of it. findOutFirst.spec.ts runs what is `bash`.
    const looked = new Set(["ts", "js", "sh", "bash", "text", "txt", "yaml", "csv", "json", "step"]);
    const strange = ownPages
      .flatMap(blocksOf)
      .filter(({ language, flags }) => !looked.has(language) || (language === "text" && !flags.includes("output")));
    assert.deepEqual(strange.map(where), []);
  });

  it("are run by a test where they hold anything to run", () => {
    const specs = ["guides.long.spec.ts", "runbooks.long.spec.ts"].map((file) =>
      readFileSync(join(root, "test/docs", file), "utf8"),
    );
    const unrun = ownPages.filter(
      (page) => runnable(page).length > 0 && !specs.some((spec) => spec.includes(`"${page}"`)),
    );
    assert.deepEqual(unrun, []);
  });
});
