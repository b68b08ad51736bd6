import { strict as assert } from "node:assert";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type HostServer, robot, startHost } from "./hostServer";
import { gitlabLines, linesOf, type PipelineProject, program, withPipeline } from "./pipelineProject";

const number = "+15550000001";
const workflow = (name: string) => linesOf(`github/.github/workflows/${name}.yml`);
const failOn = "delete,replace,shift>25";

const splitOf = ({ emulator }: PipelineProject) => emulator.routing(number)?.inboundAgents;
const share = (percent: number) => ({ "agent_front@12": 100 - percent, "agent_front@13": percent });

/** What GitHub hands to the steps; the platform's token goes to those that apply, and to no preview. */
const github = (host: HostServer, { folder, emulator }: PipelineProject) => {
  const base = {
    GITHUB_API_URL: host.url,
    GITHUB_REPOSITORY: "team/phones",
    GITHUB_TOKEN: "ghs",
    GITHUB_SHA: "abc123",
    GITHUB_STEP_SUMMARY: join(folder, "..", "summary.md"),
  };
  return {
    preview: { ...base, PULL_REQUEST: "12", FAIL_ON: failOn },
    deploy: { ...base, EXPECT: "", AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
  };
};

const gitlab = (host: HostServer, { emulator }: PipelineProject) => {
  const base = {
    GITLAB_CI: "true",
    GITLAB_TOKEN: "glpat",
    CI_API_V4_URL: host.url,
    CI_PROJECT_ID: "5",
    CI_COMMIT_SHA: "abc123",
    CI_PIPELINE_ID: "77",
  };
  return {
    preview: { ...base, CI_MERGE_REQUEST_IID: "12", FAIL_ON: failOn },
    deploy: { ...base, AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
  };
};

async function withHost(test: (host: HostServer) => Promise<void>): Promise<void> {
  const host = await startHost();
  try {
    await test(host);
  } finally {
    await host.close();
  }
}

const pipeline = (
  options: Parameters<typeof withPipeline>[0],
  test: (project: PipelineProject, host: HostServer) => Promise<void>,
) => withHost((host) => withPipeline(options, (project) => test(project, host)));

/** The stack as it stands before the story: applied, nothing sent since. */
async function applied(project: PipelineProject): Promise<void> {
  await project.merge(10);
  const { code, output } = await project.job(["sh scripts/up.sh"], {
    AGENT_PLATFORM_ACCESS_TOKEN: project.emulator.token,
  });
  assert.equal(code, 0, output);
  project.emulator.clearRequests();
}

describe("the pipelines of examples/pipelines", () => {
  it("GitHub: comment on the pull request, apply it after the merge, take it back at night", () =>
    pipeline({}, async (project, host) => {
      const { job, merge, git, emulator } = project;
      const { preview, deploy } = github(host, project);
      await applied(project);
      // The pull request: no token, no request to the platform, one comment, written over.
      const bad = await merge(30);
      const previewed = await job(workflow("preview"), preview);
      assert.equal(previewed.code, 0, previewed.output);
      assert.equal(emulator.requests.length, 0);
      assert.equal(host.comments.length, 1);
      assert.equal(host.comments[0]?.body, `<!-- agent-platform report -->\n${project.read("report.md")}`);
      assert.match(project.read("report.md"), /agent_front@13/);

      const deployed = await job(workflow("deploy"), deploy);
      assert.equal(deployed.code, 0, deployed.output);
      assert.deepEqual(splitOf(project), share(30));
      assert.equal(emulator.requests.length, 1);

      const night = { ...deploy, COMMIT: bad };
      const rolledBack = await job(workflow("rollback"), night);
      assert.equal(rolledBack.code, 0, rolledBack.output);
      assert.deepEqual(splitOf(project), share(10));
      assert.equal(emulator.requests.length, 2);
      assert.equal(await git("log", "-1", "--format=%s", "origin/main"), 'Revert "30 %"');
      assert.equal(await git("diff", "--stat", "HEAD", "origin/main"), "");
      assert.equal((await job(["sh scripts/up.sh"], deploy)).code, 0);
      assert.equal(emulator.requests.length, 2, "the branch says what the platform holds");
    }));

  /** As somebody does who starts the deployment by hand, after reading the report. */
  const digestIn = (report: string): string => /reviewed-digest `([0-9a-f]{12})`/.exec(report)?.[1] ?? "none";

  it("GitLab: comment on the merge request, apply it after the merge, take it back by hand", () =>
    pipeline({}, async (project, host) => {
      const { job, merge, emulator } = project;
      const { preview, deploy } = gitlab(host, project);
      await applied(project);
      const lines = [...gitlabLines("preview"), ...gitlabLines("preview", "after_script")];
      assert.equal(lines.length, 2);
      const bad = await merge(20);
      const previewed = await job(lines, preview);
      assert.equal(previewed.code, 0, previewed.output);
      assert.equal(emulator.requests.length, 0);
      assert.equal(host.comments[0]?.body, `<!-- agent-platform report -->\n${project.read("report.md")}`);
      const deployed = await job(gitlabLines("deploy"), deploy);
      assert.equal(deployed.code, 0, deployed.output);
      assert.deepEqual(splitOf(project), share(20));

      const rolledBack = await job(gitlabLines("rollback"), { ...deploy, COMMIT: bad });
      assert.equal(rolledBack.code, 0, rolledBack.output);
      assert.deepEqual(splitOf(project), share(10));
      assert.equal(host.comments.length, 1);
      assert.ok(host.requests.every((line) => line.endsWith(" glpat")));

      emulator.clearRequests();
      const again = await job(gitlabLines("reassert"), deploy);
      assert.equal(again.code, 0, again.output);
      assert.equal(emulator.requests.length, 1);
    }));

  it("a guard that is closed fails the check and the deployment, and nothing is sent", () =>
    pipeline({ config: { "agent-platform:maxShift": 25 } }, async (project, host) => {
      const { job, merge, emulator } = project;
      const { preview, deploy } = github(host, project);
      await applied(project);
      await merge(60);
      const previewed = await job(workflow("preview").slice(0, 1), preview);
      assert.notEqual(previewed.code, 0);
      assert.match(project.read("report.md"), /AGP-021/);

      // Merged all the same: whatever digest it is given, the guard holds.
      const deployed = await job(workflow("deploy"), { ...deploy, EXPECT: "0123456789ab" });
      assert.notEqual(deployed.code, 0);
      assert.match(deployed.output, /AGP-021/);
      const forced = await job(["sh scripts/up.sh"], deploy);
      assert.notEqual(forced.code, 0);
      assert.match(forced.output, /AGP-021/);
      assert.equal(emulator.requests.length, 0);
      assert.deepEqual(splitOf(project), share(10));
    }));

  it("a gate turns the check red; what is merged without its review is not applied, until somebody has read it", () =>
    pipeline({}, async (project, host) => {
      const { job, merge, emulator } = project;
      const { preview, deploy } = github(host, project);
      await applied(project);
      await merge(60);
      const red = await job(workflow("preview").slice(0, 1), preview);
      assert.equal(red.code, 1);
      assert.match(red.output, /shift>25/);
      assert.ok(project.read("report.md").includes("agent_front@13"));
      const open = await job(workflow("preview"), { ...preview, FAIL_ON: "" });
      assert.equal(open.code, 0, open.output);

      // Another pull request was merged in between.
      await merge(40);
      const deployed = await job(workflow("deploy"), deploy);
      assert.equal(deployed.code, 3);
      const reviewed = digestIn(host.comments[0]?.body ?? "");
      assert.ok(
        deployed.output.endsWith(
          `Not applied: this is not what was reviewed (digest ${reviewed}). Read the report above, then run this job with its digest.\n`,
        ),
        deployed.output,
      );
      assert.equal(emulator.requests.length, 0);
      const byHand = await job(workflow("deploy"), { ...deploy, EXPECT: digestIn(project.read("report.md")) });
      assert.equal(byHand.code, 0, byHand.output);
      assert.deepEqual(splitOf(project), share(40));
    }));

  const second = `new NumberAssignment("second", { number: "+15550000002", inboundAgents, triggers });`;

  it("what can be applied is applied beside what fails, and the job fails and says what is open", () =>
    pipeline({ more: second }, async (project, host) => {
      const { job, merge, emulator } = project;
      const { preview, deploy } = github(host, project);
      emulator.inject({ kind: "status", status: 500, number: "+15550000002", times: Number.POSITIVE_INFINITY });
      await merge(10);
      await job(workflow("preview"), preview);
      const deployed = await job(workflow("deploy"), { ...deploy, AGENT_PLATFORM_RETRIES: "1" });
      assert.notEqual(deployed.code, 0);
      assert.deepEqual(splitOf(project), share(10));
      assert.match(
        deployed.output,
        /AGP-040 dev: NumberAssignment "second" \(\+15550000002\): the outcome of the last request is not known/,
      );
      // The same job again finishes it.
      emulator.clearFaults();
      const again = await job(["sh scripts/up.sh"], deploy);
      assert.equal(again.code, 0, again.output);
      assert.deepEqual(emulator.routing("+15550000002")?.inboundAgents, share(10));
    }));

  it("re-asserts by hand, in a commit of its own, and not while a freeze is set", () =>
    pipeline({}, async (project, host) => {
      const { job, git, emulator } = project;
      const { deploy } = github(host, project);
      await applied(project);
      const again = await job(workflow("reassert"), { ...deploy, MARK: "run 1" });
      assert.equal(again.code, 0, again.output);
      assert.equal(emulator.requests.length, 1);
      assert.equal(await git("log", "-1", "--format=%s", "origin/main"), "Send every routing again (run 1)");

      const before = await git("rev-parse", "HEAD");
      await job(['pulumi config set --stack "$STACK" agent-platform:freeze "launch week"']);
      const frozen = await job(workflow("reassert"), { ...deploy, MARK: "run 2" });
      assert.notEqual(frozen.code, 0);
      assert.match(frozen.output, /AGP-025/);
      assert.match(frozen.output, /launch week/);
      assert.equal(emulator.requests.length, 1);
      assert.equal(await git("rev-parse", "HEAD"), before);
    }));

  it("a protected branch does not hold up the rollback of a merge: it is applied, its commit waits on a branch, and the job is red", () =>
    pipeline({}, async (project, host) => {
      const { job, git, remote, stack } = project;
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
      const hook = join(remote, "hooks/update");
      writeFileSync(hook, '#!/bin/sh\n[ "$1" != refs/heads/main ]\n');
      chmodSync(hook, 0o755);
      const rolledBack = await job(workflow("rollback"), { ...deploy, COMMIT: bad });
      assert.equal(rolledBack.code, 3, rolledBack.output);
      assert.deepEqual(splitOf(project), share(10));
      const aside = `automation/${await git("rev-parse", "--short", "HEAD")}`;
      assert.ok(
        rolledBack.output.includes(
          `main is protected: the commit is on ${aside}. Merge it, or the next deployment undoes it.\n`,
        ),
      );
      assert.equal(await git("rev-parse", `origin/${aside}`), await git("rev-parse", "HEAD"));
      assert.equal(await git("rev-parse", "origin/main"), bad);
    }));
});

describe("the comment on a request", () => {
  const host = (server: HostServer) => ({
    GITHUB_API_URL: server.url,
    GITHUB_REPOSITORY: "team/phones",
    GITHUB_TOKEN: "ghs",
    GITHUB_SHA: "abc123",
    PULL_REQUEST: "12",
  });
  const mark = "<!-- agent-platform report -->\n";

  it("is found among hundreds, and no other one is touched", () =>
    pipeline({}, async ({ job, folder }, server) => {
      for (let index = 0; index < 150; index += 1) server.add("reviewer", `comment ${index}`);
      server.add("reviewer", `${mark}reviewed-digest \`ffffffffffff\``);
      server.add(robot, `${mark}old`);
      writeFileSync(join(folder, "report.md"), "reviewed-digest `0123456789ab`\n");
      const posted = await job(["node scripts/comment.mjs post report.md"], host(server));
      assert.deepEqual(posted, { code: 0, output: "" });
      assert.equal(server.comments.length, 152);
      assert.equal(server.comments[151]?.body, `${mark}reviewed-digest \`0123456789ab\`\n`);
      assert.equal(server.comments[150]?.body, `${mark}reviewed-digest \`ffffffffffff\``);
      const found = await job(["node scripts/comment.mjs digest"], host(server));
      assert.deepEqual(found, { code: 0, output: "0123456789ab\n" });
    }));

  it("says why there is no digest", () =>
    pipeline({}, async ({ job }, server) => {
      const digest = ["node scripts/comment.mjs digest"];
      assert.deepEqual(await job(digest, host(server)), {
        code: 1,
        output: "comment: request 12 has no report: run the job with a digest\n",
      });
      assert.deepEqual(await job(digest, { ...host(server), GITHUB_SHA: "0".repeat(40) }), {
        code: 1,
        output: "comment: this commit was merged by no request: run the job with a digest\n",
      });
      assert.deepEqual(await job(digest, { ...host(server), GITHUB_REPOSITORY: "team", GITHUB_SHA: "x/y" }), {
        code: 1,
        output: "comment: GET /commits/x/y/pulls: 404\n",
      });
    }));
});
