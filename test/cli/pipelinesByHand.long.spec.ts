import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { applied, byHand, github, gitlab, pipeline, share, splitOf, workflow } from "./pipelineJobs";
import { gitlabLines, program } from "./pipelineProject";

describe("what the pipelines do by hand", () => {
  it("re-asserts by hand, in a commit of its own, and not while a freeze is set", () =>
    pipeline({}, async (project, host) => {
      const { job, passes, git, emulator } = project;
      const { deploy } = github(host, project);
      await applied(project);
      const Stack = "organization/test/dev";
      await passes(workflow("reassert"), { ...deploy, STACK: Stack, STACKS: Stack, MARK: "run 1" });
      assert.equal(emulator.requests.length, 1);
      assert.equal(
        await git("show", "--name-only", "--format=%s", "origin/main"),
        "Send every routing again (run 1)\n\nPulumi.dev.yaml",
      );

      const before = await git("rev-parse", "HEAD");
      await job(['pulumi config set --stack "$STACK" agent-platform:freeze "launch week"']);
      const frozen = await job(workflow("reassert"), { ...deploy, MARK: "run 2" });
      assert.notEqual(frozen.code, 0);
      assert.match(frozen.output, /AGP-025/);
      assert.match(frozen.output, /launch week/);
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
          'Stopped: no routing would be sent again. Hand the config value "reassert" to `triggers` in the program, as the guide to pipelines says.\n',
        ),
        output,
      );
      assert.equal(emulator.requests.length, 0);
      assert.deepEqual([await git("rev-parse", "origin/main"), await git("status", "--porcelain")], [before, ""]);
    }));

  it("GitLab: works on the branch, not on the commit that was checked out, and starts no pipeline by its push", () =>
    pipeline({}, async (project, host) => {
      const { passes, git, remote } = project;
      const { deploy } = gitlab(host, project);
      await applied(project);
      // As a runner leaves it: no branch, and a remote that only reads.
      await git("checkout", "--quiet", "--detach");
      await git("branch", "--quiet", "-D", "main");
      await git("config", `url.${remote}.insteadOf`, "https://pipeline:glpat@gitlab.example.com/team/phones.git");
      const hook = join(remote, "hooks/post-receive");
      writeFileSync(hook, '#!/bin/sh\necho "$GIT_PUSH_OPTION_COUNT $GIT_PUSH_OPTION_0" > pushed\n');
      chmodSync(hook, 0o755);
      const runner = {
        ...deploy,
        CI_SERVER_HOST: "gitlab.example.com",
        CI_PROJECT_PATH: "team/phones",
      };
      const lines = [...gitlabLines("operate", "before_script"), ...byHand("reassert")];
      assert.equal(lines.length, 4);
      await passes(lines, runner);
      assert.equal(await git("symbolic-ref", "--short", "HEAD"), "main");
      assert.equal(await git("log", "-1", "--format=%s", "origin/main"), "Send every routing again (pipeline 77)");
      assert.equal(readFileSync(join(remote, "pushed"), "utf8"), "1 ci.skip\n");
    }));

  it("a protected branch does not hold up the rollback of a merge: it is applied, its commit waits on a branch, and the job is red", () =>
    pipeline({}, async (project, host) => {
      const { job, git, protectMain, stack } = project;
      const { deploy } = github(host, project);
      await applied(project);
      // A merge counts as one change, however many commits it brought.
      await git("checkout", "--quiet", "-b", "step");
      for (const percent of [20, 30]) {
        stack.write(program(percent));
        await git("commit", "--quiet", "--all", "--message", `${percent} %`);
      }
      await git("checkout", "--quiet", "main");
      await git("merge", "--quiet", "--no-ff", "--message", "Merge step", "step");
      await git("push", "--quiet", "origin", "main");
      const bad = await git("rev-parse", "HEAD");
      await job(["sh scripts/up.sh"], deploy);
      assert.deepEqual(splitOf(project), share(30));
      protectMain();
      const rolledBack = await job(workflow("rollback"), { ...deploy, COMMIT: bad });
      assert.equal(rolledBack.code, 3, rolledBack.output);
      assert.deepEqual(splitOf(project), share(10));
      const aside = `automation/${await git("rev-parse", "--short", "HEAD")}`;
      assert.ok(
        rolledBack.output.includes(
          `main is protected, or somebody has pushed to it meanwhile: the commit is on ${aside}. Merge it, or the next deployment undoes it.\n`,
        ),
      );
      assert.equal(await git("rev-parse", `origin/${aside}`), await git("rev-parse", "HEAD"));
      assert.equal(await git("rev-parse", "origin/main"), bad);
    }));
});
