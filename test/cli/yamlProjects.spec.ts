import assert from "node:assert/strict";
import { symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { initCommand } from "../../cli/commands/init/command";
import { tryCommand } from "../../cli/commands/try";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { needYaml, repository, withStack } from "../support/engine";
import { quickStart } from "../support/engineProject";
import { projectFolder } from "./projectFolder";
import { runWith } from "./terminal";

describe("--language yaml", () => {
  const folder = projectFolder();
  before(needYaml);

  it("makes init write a project in YAML that previews without a token, and whose guards hold", async () => {
    const { code, stdout } = await runWith(initCommand.run, ["--language", "yaml"], { cwd: folder.path });
    assert.equal(code, 0);
    assert.match(
      stdout,
      /\n {2}Pulumi\.yaml\n {2}Pulumi\.dev\.yaml\n {2}agents\.yaml\n {2}AGENTS\.md\n {2}package\.json\n/,
    );
    symlinkSync(join(repository, "node_modules"), join(folder.path, "node_modules"), "dir");
    await withStack({ existing: folder.path }, async (stack) => {
      const preview = (expectFailure = false) => stack.run(["preview", "--stack", "dev"], { expectFailure });
      assert.match((await preview()).stdout, /NumberGroup support create/);

      const changed = folder.read("Pulumi.yaml").replace("percent: 10", "percent: 11");
      writeFileSync(join(folder.path, "Pulumi.yaml"), changed);
      assert.match(
        (await preview(true)).output,
        /AGP-023 .*inboundAgents: unapproved agents would receive 11 % .*agent_front@13/,
      );
    });
  });

  it("makes try show a program in YAML from preview to destroy, with the same requests", async () => {
    const { directory } = await findOrInstallEngine();
    const env = { ...quickStart, PATH: [directory, process.env.PATH].join(delimiter), HOME: folder.path };
    const { code, stdout, stderr } = await runWith(tryCommand.run, ["--language", "yaml"], { cwd: folder.path, env });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(
      stdout.split("\n").filter((line) => /^(\$|→)/.test(line)),
      [
        "$ pulumi preview",
        "→ no request reached the platform.",
        "$ pulumi up --yes",
        "→ 3 requests reached the platform.",
        "$ npx pulumi-agent-platform promote --stack try",
        "$ pulumi preview --diff",
        "→ no request reached the platform.",
        "$ pulumi up --yes",
        "→ 3 requests reached the platform.",
        "$ npx pulumi-agent-platform abort --stack try",
        "$ pulumi up --yes",
        "→ 3 requests reached the platform.",
        "$ pulumi destroy --yes --remove",
        "→ 3 requests reached the platform.",
      ],
    );
    assert.ok(stdout.includes("          ~ percent: 10 => 50\n"), stdout);
    // A machine where the plugin is found by its path only needs no download and says nothing of one.
    assert.ok(!/warning|download/i.test(stdout), stdout);
  });
});
