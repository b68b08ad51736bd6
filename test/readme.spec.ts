import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PAGES, withTables } from "../tools/docs";
import { isExcerpt } from "./docs/excerpt";
import { FAULT_PAGE } from "./faults/page";
import { repository } from "./support/engine";
import { holdPicture } from "./support/pictures";
import { withPlatformStack } from "./support/platformStack";

const readme = readFileSync(join(repository, "README.md"), "utf8");
const blocks = [...readme.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, text = ""]) => ({ language, text }));

/** The command as a reader runs it. */
function reportOf(preview: string): string {
  const command = [join(repository, "dist/cli/main.js"), "report", "--format", "svg"];
  return execFileSync(process.execPath, command, { input: preview, encoding: "utf8" });
}

describe("README.md", () => {
  it("shows the diff and the report of its own program", async () => {
    const program = blocks.find(({ language }) => language === "ts")?.text ?? "";
    const shown = blocks.find(({ language }) => language === "text")?.text ?? "";
    assert.equal(program.trimEnd().split("\n").length, 12);
    await withPlatformStack({ program, projectName: "agents" }, async ({ stack, sentNothing, sent, platform }) => {
      const named = (output: string) => output.replaceAll(platform.url, "https://platform.example.com");
      await stack.up();
      assert.equal(sent().length, 1);
      stack.write(program.replace('agent_front@13", 10)', 'agent_front@13", 50)'));
      const { output } = await stack.preview({ diff: true });
      assert.ok(isExcerpt(shown, output), output);
      const { output: preview } = await stack.preview({ json: true });
      sentNothing();
      holdPicture("docs/pictures/report.svg", reportOf(named(preview)));
    });
  });
});

describe("the tables of docs", () => {
  for (const [page, tables] of Object.entries({ ...PAGES, ...FAULT_PAGE })) {
    it(`are those that the code has, in ${page}: \`npm run docs\` makes them`, () => {
      const text = readFileSync(join(repository, page), "utf8");
      assert.equal(withTables(text, tables), text);
    });
  }
});
