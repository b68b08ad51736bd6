import assert from "node:assert/strict";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { applied, github, pipeline, workflow } from "./pipelineJobs";
import { program } from "./pipelineProject";

describe("a change of the resource option retainOnDelete alone", () => {
  it("is deployed as it was reviewed: else numbers that leave later lose their agents", () =>
    pipeline({}, async (project, host) => {
      const { passes, commit, read } = project;
      const { deploy } = github(host, project);
      await applied(project);
      await commit(program(10).replace("triggers }", "triggers }, { retainOnDelete: true }"), "retained");
      await passes(["sh scripts/preview.sh"]);
      const [, digest = ""] = /reviewed-digest `(\w+)`/.exec(read("report.md")) ?? [];
      assert.match(read("report.md"), /retainOnDelete` is set on `support`/);
      const env = { ...deploy, GITHUB_OUTPUT: "output", GITHUB_WORKSPACE: project.folder, EXPECT: digest };
      assert.equal(await passes(["sh scripts/changes.sh"], env), "dev: deployed\n");
      await passes(["sh scripts/apply.sh"], env);
    }));
});

describe("Re-assert", () => {
  it("commits the stack's file of a project whose files end with .yml, in a folder of their own", () =>
    pipeline({ isBelowTop: true }, async (project, host) => {
      const { passes, git, read, folder, emulator } = project;
      await applied(project);
      writeFileSync(
        join(folder, "Pulumi.yml"),
        JSON.stringify({ ...JSON.parse(read("Pulumi.yaml")), stackConfigDir: "config" }),
      );
      await passes(["mkdir config", "rm Pulumi.yaml"]);
      renameSync(join(folder, "Pulumi.dev.yaml"), join(folder, "config/Pulumi.dev.yml"));
      await passes(["git add --all", "git -c user.name=a -c user.email=a@b commit --quiet --message moved"]);
      await passes(workflow("reassert"), { ...github(host, project).deploy, MARK: "run 1" });
      assert.equal(emulator.requests.length, 1);
      assert.equal(await git("show", "--name-only", "--format=", "origin/main"), "project/config/Pulumi.dev.yml");
    }));
});
