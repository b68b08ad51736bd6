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
      const env = { ...deploy, GITHUB_OUTPUT: "output", EXPECT: digest };
      assert.equal(await passes(["sh scripts/changes.sh"], env), "dev: deployed\n");
      await passes(["sh scripts/apply.sh"], env);
    }));
});

describe("a promotion whose request could not be opened", () => {
  it("is opened by the next run: its branch does not stay, where it would look like a declined one", () =>
    pipeline({}, async ({ job, passes, commit, git, folder }, host) => {
      await commit(program(10), "first");
      const text = "front in dev: 10 % → 50 %";
      const to = { candidate: "agent_front@13", percent: 50 };
      const file = "Pulumi.dev.yaml";
      writeFileSync(
        join(folder, "promote.json"),
        JSON.stringify({ outcome: "written", stack: "dev", name: "front", to, file, text }),
      );
      const promote = (url: string) => {
        const env = { GITHUB_API_URL: url, GITHUB_REPOSITORY: "team/phones", GITHUB_TOKEN: "ghs" };
        return job(
          ["git checkout --quiet --detach main", `echo "config: { test:a: 1 }" > ${file}`, "sh scripts/promotion.sh"],
          env,
        );
      };
      assert.equal((await promote("http://127.0.0.1:1")).code, 1);
      assert.equal(await git("ls-remote", "origin", "refs/heads/promote/*"), "");
      assert.deepEqual(await promote(host.url), { code: 0, output: "" });
      assert.equal(host.opened.length, 1);
      // A branch that somebody has changed, so it would be written again.
      await git("push", "--quiet", "--force", "origin", "main:refs/heads/promote/test/dev/front-agent_front@13-50");
      assert.equal((await promote("http://127.0.0.1:1")).code, 1);
      assert.equal(
        (await git("ls-remote", "origin", "refs/heads/promote/*")).slice(0, 40),
        await git("rev-parse", "main"),
      );
      assert.equal((await promote(host.url)).code, 0);
      await passes(["git fetch --quiet origin promote/test/dev/front-agent_front@13-50"]);
    }));
});

describe("Re-assert", () => {
  it("commits the stack's file of a project whose files end with .yml, in a folder of their own", () =>
    pipeline({}, async (project, host) => {
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
      assert.equal(await git("show", "--name-only", "--format=", "origin/main"), "config/Pulumi.dev.yml");
    }));
});
