import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Config } from "./support/engine";
import { withPlatformStack } from "./support/platformStack";
import { repository } from "./support/repository";

const readme = readFileSync(join(repository, "README.md"), "utf8");
const blocks = [...readme.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, text = ""]) => ({ language, text }));

describe("README.md", () => {
  it("shows the actual diff of a promotion", async () => {
    const blockOf = (name: string) => blocks.find(({ language }) => language === name)?.text ?? "";
    const { config } = parse(blockOf("yaml")) as { config: Config };
    const promoted = blockOf("yaml").replace("percent: 10", "percent: 50");
    assert.notEqual(promoted, blockOf("yaml"));
    const project = { program: blockOf("ts"), config, projectName: "agents" };
    await withPlatformStack(project, async ({ stack, sentNothing, sent }) => {
      await stack.up();
      assert.equal(sent().length, 2);
      stack.setConfig((parse(promoted) as { config: Config }).config);
      const { output } = await stack.preview({ diff: true });
      const lines = blockOf("text").trimEnd().split("\n");
      assert.ok(output.includes(lines.join("\n")), output);
      sentNothing();
    });
  });
});
