import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  byHand,
  github,
  gitlab,
  gitlabLines,
  pipeline,
  rollingOut,
  splitAt,
  splitOf,
  withRollout,
  workflow,
} from "./pipelineProject";

const author = {
  GIT_AUTHOR_NAME: "Team",
  GIT_AUTHOR_EMAIL: "t@example.com",
  GIT_COMMITTER_NAME: "Team",
  GIT_COMMITTER_EMAIL: "t@example.com",
};
const config = { "agent-platform:steps": "[1, 10, 50, 100]" };

describe("the pipelines of a rollout", () => {
  it("GitHub: promote opens the pull request, a merge applies it, and abort is one button, in a folder of a repository", () =>
    pipeline({ config, isBelowTop: true }, async (project, host) => {
      const { job, passes, git, emulator } = project;
      const { preview, deploy } = github(host, project);
      await rollingOut(project);
      const promoted = await passes(workflow("promote"), preview);
      assert.match(promoted, /^front in dev: agent_front@13 from 10 % to 50 % /);
      assert.deepEqual(
        host.opened.map(({ head, title }) => [head, title]),
        [["promote/test/dev", "front in dev: agent_front@13 at 50 %"]],
      );
      assert.match(
        await git("diff", "origin/main", "origin/promote/test/dev"),
        /^- {6}percent: 10\n\+ {6}percent: 50$/m,
      );
      assert.equal(emulator.requests.length, 0);

      assert.equal(await git("show", "--name-only", "--format=", "origin/promote/test/dev"), "project/Pulumi.dev.yaml");

      // Reviewed and merged.
      await git("reset", "--quiet", "--hard", "origin/promote/test/dev");
      await passes(workflow("preview"), { ...preview, FAIL_ON: "delete,replace" });
      await git("push", "--quiet", "origin", "HEAD:main");
      await passes(workflow("deploy"), deploy);
      assert.deepEqual(splitOf(project), splitAt(50));
      assert.equal(emulator.requests.length, 2);

      await passes(workflow("abort"), deploy);
      assert.deepEqual(splitOf(project), { "agent_front@12": 100 });
      assert.equal(
        await git("log", "-1", "--format=%s", "origin/main"),
        "front in dev: agent_front@13 aborted at 50 %",
      );
      assert.equal(emulator.requests.length, 4);
      // Pressed once more: nothing to commit, nothing to send.
      await passes(workflow("abort"), deploy);
      assert.equal(emulator.requests.length, 4);

      // `steps` refuses to take the abort back, so the branch does not say it either.
      const aborted = await git("rev-parse", "HEAD");
      const back = await job(workflow("rollback"), { ...deploy, COMMIT: aborted });
      assert.equal(back.code, 1, back.output);
      assert.match(back.output, /AGP-027[\s\S]*\nStopped: nothing was pushed\. /);
      assert.equal(await git("ls-remote", "origin", "refs/heads/main"), `${aborted}\trefs/heads/main`);
      assert.equal(emulator.requests.length, 4);
    }));

  it("opens the same promotion again if it was merged and taken back since", () =>
    pipeline({ config }, async (project, host) => {
      const { passes, git } = project;
      const { preview, deploy } = github(host, project);
      await rollingOut(project);
      const promote = () => passes(workflow("promote"), preview);
      const branch = "origin/promote/test/dev";
      await promote();
      await git("checkout", "--quiet", "-B", "main", "origin/main");
      await git("merge", "--quiet", "--squash", branch);
      await git("commit", "--quiet", "--message", "merged");
      await git("push", "--quiet", "origin", "main");
      host.ended.push("merged");
      await passes(["sh scripts/up.sh"], deploy);
      await passes(workflow("rollback"), { ...deploy, COMMIT: await git("rev-parse", "HEAD") });
      assert.match(await promote(), /^front in dev: agent_front@13 from 10 % to 50 % /);
      assert.equal(host.opened.length, 2);
      assert.equal(await git("rev-parse", `${branch}^`), await git("rev-parse", "origin/main"));
    }));

  it("GitLab: promote opens the merge request, and abort is one job", () =>
    pipeline({ config }, async (project, host) => {
      const { job, passes } = project;
      const { preview, deploy } = gitlab(host, project);
      await rollingOut(project);
      const promoted = await passes(gitlabLines("promote"), preview);
      const [{ description, ...opened } = {}] = host.opened;
      const title = "front in dev: agent_front@13 at 50 %";
      assert.deepEqual(opened, { source_branch: "promote/test/dev", target_branch: "main", title });
      assert.equal(description, `\`\`\`text\n${promoted.trimEnd()}\n\`\`\`\n`);
      await job(["git reset --quiet --hard origin/main"]);
      await passes(byHand("abort"), deploy);
      assert.deepEqual(splitOf(project), { "agent_front@12": 100 });
    }));

  it("a promotion that waits is no failure, one that breaks off is, and one whose request could not be opened is opened later", () =>
    pipeline({ config }, async (project, host) => {
      const { job, passes, git, folder } = project;
      const { preview } = github(host, project);
      await rollingOut(project);
      const waits = await job(["sh scripts/promote.sh"], { ...preview, CHECK: "exit 1" });
      assert.deepEqual(waits, { code: 0, output: "Held: the check ended with exit code 1. Nothing was changed.\n" });
      const unknown = await job(["sh scripts/promote.sh"], { ...preview, NAME: "frnt" });
      assert.deepEqual(unknown, {
        code: 2,
        output: 'pulumi-agent-platform promote: Pulumi.dev.yaml has no rollout "frnt". Did you mean front?\n',
      });
      // The host is away, and then it refuses.
      const away = await job(workflow("promote"), { ...preview, GITHUB_API_URL: "http://127.0.0.1:1" });
      assert.deepEqual([away.code, await git("ls-remote", "origin", "refs/heads/promote/*")], [1, ""]);
      host.isRefusing = true;
      const refused = await job(workflow("promote"), preview);
      assert.equal(refused.code, 1);
      assert.match(refused.output, /\ncomment: POST \/pulls: 404 Not Found\n$/);
      assert.deepEqual([host.opened, await git("status", "--porcelain")], [[], ""]);
      host.isRefusing = false;
      await passes(workflow("promote"), preview);
      assert.equal(host.opened.length, 1);
      // A declined one is not asked for again, until its branch is deleted.
      host.ended.push("closed");
      assert.match(await passes(workflow("promote"), preview), /^The branch promote\/test\/dev has this already\./m);
      await git("push", "--quiet", "origin", ":promote/test/dev");
      await passes(workflow("promote"), preview);
      assert.equal(host.opened.length, 2);
      // As Node ends if a file of the package is missing.
      const broken = "#!/bin/sh\necho 'Cannot find module' >&2; exit 1\n";
      writeFileSync(join(folder, "node_modules/.bin/pulumi-agent-platform"), broken);
      const ended = await job(["sh scripts/promote.sh"], preview);
      assert.deepEqual([ended, host.opened.length], [{ code: 1, output: "Cannot find module\n" }, 2]);
    }));

  it("an abort is green only if every number got it: not if the platform refuses one, and ignoreChanges keeps none from it", () =>
    pipeline({ config }, async (project, host) => {
      const { job, passes, commit, emulator } = project;
      const { deploy } = github(host, project);
      await rollingOut(project);
      const number = "+15550000003";
      const one = (options: string) =>
        `${withRollout}\nimport { NumberAssignment } from "pulumi-agent-platform";\nnew NumberAssignment("desk", { number: "${number}", rollout: "front" }, ${options});`;
      await commit(one("{}"), "another number");
      await passes(["sh scripts/up.sh"], deploy);
      await commit(one('{ ignoreChanges: ["rollout"] }'), "which keeps what it has");
      const refusal = emulator.inject({
        kind: "status",
        status: 409,
        body: { error: "being ported" },
        number,
        times: 1,
      });
      const refused = await job(["sh scripts/abort.sh"], deploy);
      assert.deepEqual([refusal.hits, refused.code === 0], [1, false]);
      assert.match(refused.output, /\nNot every number has the abort\. Run this job again: /);
      await passes(["sh scripts/abort.sh"], deploy);
      assert.deepEqual(emulator.routing(number)?.inboundAgents, { "agent_front@12": 100 });
    }));

  it("an abort writes nothing while a freeze blocks it, and reaches the callers with a bypass", () =>
    pipeline({ config }, async (project, host) => {
      const { job, passes, git } = project;
      const { deploy } = github(host, project);
      await rollingOut(project);
      await job(
        ['pulumi config set --stack "$STACK" agent-platform:freeze "launch week"', "git commit --quiet -am freeze"],
        author,
      );
      const before = await git("rev-parse", "HEAD");
      const frozen = await job(workflow("abort"), deploy);
      assert.deepEqual(frozen, {
        code: 1,
        output:
          'Stopped: the stack is frozen: launch week. Nothing was changed. To bypass all guards in this run, give "bypass" a reason: AGENT_PLATFORM_BYPASS="<reason>"\n',
      });
      assert.deepEqual([splitOf(project), await git("rev-parse", "HEAD")], [splitAt(10), before]);
      await passes(workflow("abort"), { ...deploy, AGENT_PLATFORM_BYPASS: "incident 4711" });
      assert.deepEqual(splitOf(project), { "agent_front@12": 100 });
    }));
});
