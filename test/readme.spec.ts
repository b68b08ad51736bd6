import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PAGES, withTables } from "../tools/docs";
import { repository } from "./support/engine";
import { withPlatformStack } from "./support/platformStack";

const readme = readFileSync(join(repository, "README.md"), "utf8");
const blocks = [...readme.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, text = ""]) => ({ language, text }));

describe("README.md", () => {
  it("shows what the engine prints for its own program", async () => {
    const [program, shown] = blocks;
    assert.deepEqual([program?.language, program?.text.trimEnd().split("\n").length], ["ts", 12]);
    await withPlatformStack(
      { program: program?.text ?? "", projectName: "agents" },
      async ({ stack, sentNothing, sent, platform }) => {
        await stack.up();
        assert.equal(sent().length, 1);
        stack.write((program?.text ?? "").replace('agent_front@13", 10)', 'agent_front@13", 50)'));
        const { output } = await stack.preview({ diff: true });
        sentNothing();
        assert.equal(shown?.text.trimEnd(), output.replaceAll(platform.url, "https://platform.example.com").trimEnd());
      },
    );
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
