import assert from "node:assert/strict";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { applied, github, pipeline, program, splitAt, splitOf, workflow } from "./pipelineProject";

describe("what the pipelines do by hand", () => {
  it("re-asserts in a commit of its own, with the person's name and the stack's file alone, and not while a freeze is set", () =>
    pipeline({ isBelowTop: true }, async (project, host) => {
      const { job, passes, git, read, folder, emulator } = project;
      const stack = "organization/test/dev";
      const person = { GITHUB_ACTOR: "kim", GITHUB_ACTOR_ID: "7" };
      const env = { ...github(host, project).deploy, ...person, STACK: stack, STACKS: stack };
      await applied(project);
      // A project whose files end with .yml, in a folder of their own.
      const settings = { ...JSON.parse(read("Pulumi.yaml")), stackConfigDir: "config" };
      writeFileSync(join(folder, "Pulumi.yml"), JSON.stringify(settings));
      await passes(["mkdir config", "rm Pulumi.yaml"]);
      renameSync(join(folder, "Pulumi.dev.yaml"), join(folder, "config/Pulumi.dev.yml"));
      await passes(["git add --all", "git -c user.name=a -c user.email=a@b commit --quiet --message moved"]);

      await passes(workflow("reassert"), { ...env, MARK: "run 1" });
      assert.equal(emulator.requests.length, 1);
      assert.equal(
        await git("show", "--name-only", "--format=%an <%ae> %s", "origin/main"),
        "kim <7+kim@users.noreply.github.com> Send every routing again (run 1)\n\nproject/config/Pulumi.dev.yml",
      );
      const history = await passes(['pulumi stack history --stack "$STACK" --json']);
      assert.equal(JSON.parse(history)[0].environment["git.author"], "kim");

      const before = await git("rev-parse", "HEAD");
      await job(['pulumi config set --stack "$STACK" agent-platform:freeze "launch week"']);
      const frozen = await job(workflow("reassert"), { ...env, MARK: "run 2" });
      assert.deepEqual(frozen, {
        code: 1,
        output:
          'Stopped: the stack is frozen: launch week. Nothing was changed. To bypass all guards in this run, give "bypass" a reason: AGENT_PLATFORM_BYPASS="<reason>"\n',
      });
      assert.equal(emulator.requests.length, 1);
      assert.equal(await git("rev-parse", "HEAD"), before);
    }));

  it("re-asserts nothing and fails, if the program does not hand the value on", () =>
    pipeline({}, async (project, host) => {
      const { job, commit, git, emulator } = project;
      const { deploy } = github(host, project);
      await commit(program(10).replace(", triggers", ""), "no triggers");
      await job(["sh scripts/up.sh"], deploy);
      emulator.clearRequests();
      const before = await git("rev-parse", "origin/main");
      const { code, output } = await job(workflow("reassert"), { ...deploy, MARK: "run 1" });
      assert.equal(code, 1, output);
      assert.ok(
        output.endsWith(
          'Stopped: no routing would be sent again. Hand the config value "reassert" to `triggers` in the program: npx pulumi-agent-platform help pipelines\n',
        ),
        output,
      );
      assert.equal(emulator.requests.length, 0);
      assert.deepEqual([await git("rev-parse", "origin/main"), await git("status", "--porcelain")], [before, ""]);
    }));

  it("takes a merge back as one change, however many commits it brought", () =>
    pipeline({}, async (project, host) => {
      const { job, passes, git, stack } = project;
      const { deploy } = github(host, project);
      await applied(project);
      await git("checkout", "--quiet", "-b", "step");
      for (const percent of [20, 30]) {
        stack.write(program(percent));
        await git("commit", "--quiet", "--all", "--message", `${percent} %`);
      }
      await git("checkout", "--quiet", "main");
      await git("merge", "--quiet", "--no-ff", "--message", "Merge step", "step");
      await git("push", "--quiet", "origin", "main");
      await job(["sh scripts/up.sh"], deploy);
      assert.deepEqual(splitOf(project), splitAt(30));
      await passes(workflow("rollback"), { ...deploy, COMMIT: await git("rev-parse", "HEAD") });
      assert.deepEqual(splitOf(project), splitAt(10));
    }));
});
