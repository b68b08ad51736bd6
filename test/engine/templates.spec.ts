import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { abortCommand } from "../../cli/commands/rollout/abort";
import { templates } from "../../tools/templates";
import { runWith } from "../cli/terminal";
import { needYaml, withStack } from "../support/engine";
import { repository } from "../support/repository";

describe("the templates of `pulumi new`", () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-templates-")));
    // The stack of the test wants the name of its project.
    writeFileSync(join(folder, "Pulumi.yaml"), "name: phones\nruntime: yaml\n");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const read = (name: string) => readFileSync(join(folder, name), "utf8");

  it("are what `npm run docs` makes of the files of init", () => {
    const there = readdirSync(join(repository, "templates"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(repository, join(entry.parentPath, entry.name)));
    assert.deepEqual(there.sort(), [...templates().keys()].sort());
    for (const [file, text] of templates()) {
      assert.equal(readFileSync(join(repository, file), "utf8"), text, `${file}: run \`npm run docs\``);
    }
  });

  it("make a project in YAML with its settings, which previews without a token and whose guards hold", async () => {
    await needYaml();
    const template = join(repository, "templates/yaml");
    await withStack({ existing: folder }, async (stack) => {
      const args = ["--offline", "--yes", "--force", "--stack", "dev", "--name", "calls", "--description", "Ours"];
      await stack.run(["new", template, ...args]);
      assert.match(read("Pulumi.yaml"), /^name: calls$/m);
      assert.match(read("Pulumi.yaml"), /^description: Ours$/m);
      assert.match(read("Pulumi.dev.yaml"), /^ {2}agent-platform:maxShift: "25"$/m);
      // The rollout of the template is beside the answers, where promote and abort edit it.
      assert.match(read("Pulumi.dev.yaml"), /^ {6}candidate: agent_front@13\n {6}percent: 10$/m);
      assert.match(read("package.json"), /"name": "calls"/);
      symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"), "dir");
      await stack.run(["package", "add", "./node_modules/pulumi-agent-platform/plugin"]);
      // README, the guide and `init` write what the command writes.
      assert.match(
        read("Pulumi.yaml"),
        /^packages:\n +agent-platform: \.\/node_modules\/pulumi-agent-platform\/plugin$/m,
      );
      assert.match((await stack.run(["preview", "--stack", "dev"])).stdout, /NumberGroup support create/);
      const { code } = await runWith(abortCommand.run, ["--stack", "dev", "--dry-run"], {
        cwd: folder,
        env: { PATH: "" },
      });
      assert.equal(code, 0);
      writeFileSync(join(folder, "agents.yaml"), "- agent_front@12\n");
      const stricter = ["--config", "agent-platform:maxUnapproved=9"];
      const { output } = await stack.run(["preview", "--stack", "dev", ...stricter], { expectFailure: true });
      assert.match(
        output,
        /AGP-023 NumberGroup "support": inboundAgents: agent_front@13 is not approved\. Unapproved agents would receive 10 % /,
      );
    });
  });

  it("make a project in TypeScript", async () => {
    await withStack({ existing: folder }, async (stack) => {
      const template = join(repository, "templates/typescript");
      await stack.run(["new", template, "--offline", "--yes", "--force", "--generate-only", "--name", "phones"]);
      const made = [...templates()].filter(([file]) => file.startsWith("templates/typescript/"));
      for (const [file, text] of made.filter(([path]) => !path.endsWith("Pulumi.yaml"))) {
        assert.equal(read(file.replace("templates/typescript/", "")), text.replaceAll(/\$\{PROJECT\}/g, "phones"));
      }
      assert.match(read("Pulumi.yaml"), /^name: phones\nruntime:\n {2}name: nodejs\n/);
    });
  });
});
