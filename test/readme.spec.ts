import assert from "node:assert/strict";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { PAGES, withTables } from "../tools/docs";
import { isExcerpt } from "./docs/excerpt";
import { type Config, needYaml } from "./support/engine";
import { withPlatformStack } from "./support/platformStack";
import { repository } from "./support/repository";

const readme = readFileSync(join(repository, "README.md"), "utf8");
const blocks = [...readme.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, text = ""]) => ({ language, text }));

describe("README.md", () => {
  it("shows the diff of its own program, which is the same one in YAML", async () => {
    const program = blocks.find(({ language }) => language === "ts")?.text ?? "";
    const shown = blocks.find(({ language }) => language === "text")?.text ?? "";
    const [settings = "", inYaml = ""] = blocks.filter(({ language }) => language === "yaml").map(({ text }) => text);
    assert.equal(program.trimEnd().split("\n").length, 11);
    const { config } = parse(settings) as { config: Config };
    await withPlatformStack({ program, config, projectName: "agents" }, async ({ stack, sentNothing, sent }) => {
      await stack.up();
      assert.equal(sent().length, 1);
      stack.setConfig((parse(settings.replace("percent: 10", "percent: 50")) as { config: Config }).config);
      const { output } = await stack.preview({ diff: true });
      assert.ok(isExcerpt(shown, output), output);
      sentNothing();

      await needYaml();
      const write = (text: string) => writeFileSync(join(stack.project.directory, "Pulumi.yaml"), text);
      // As `npm install` lays it out.
      symlinkSync(join(stack.project.root, "node_modules"), join(stack.project.directory, "node_modules"), "dir");
      write(inYaml);
      const { output: ofYaml, changeSummary } = await stack.preview({ diff: true });
      // All else of the program in YAML is the same one.
      assert.deepEqual(changeSummary, { same: 1, update: 1 });
      // The engine aligns a detailed diff otherwise.
      const lines = (text: string) => text.split("\n").filter((line) => /^ {6,}[~+-]/.test(line));
      assert.deepEqual(
        lines(ofYaml).map((line) => line.replace(/ +:/, ":")),
        lines(shown).map((line) => line.replace(/ +:/, ":")),
      );
      sentNothing();
    });
  });
});

describe("the tables of docs", () => {
  for (const [page, tables] of Object.entries(PAGES)) {
    it(`are those that the code has, in ${page}: \`npm run docs\` makes them`, () => {
      const text = readFileSync(join(repository, page), "utf8");
      assert.equal(withTables(text, tables), text);
    });
  }
});
