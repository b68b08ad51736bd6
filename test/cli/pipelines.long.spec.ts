import assert from "node:assert/strict";
import { applied, github, gitlab, pipeline, share, splitOf, workflow } from "./pipelineJobs";
import { gitlabLines } from "./pipelineProject";

describe("the pipelines of examples/pipelines", () => {
  it("GitHub: comment on the pull request, apply it after the merge, take it back at night", () =>
    pipeline({}, async (project, host) => {
      const { job, passes, merge, git, emulator } = project;
      const { preview, deploy } = github(host, project);
      await applied(project);
      // The pull request: no token, no request to the platform, one comment, written over.
      const bad = await merge(30);
      await passes(workflow("preview"), preview);
      assert.equal(emulator.requests.length, 0);
      assert.equal(host.comments.length, 1);
      assert.equal(host.comments[0]?.body, `<!-- agent-platform report test/dev -->\n${project.read("report.md")}`);
      assert.match(project.read("report.md"), /agent_front@13/);

      await passes(workflow("deploy"), deploy);
      assert.deepEqual(splitOf(project), share(30));
      assert.equal(emulator.requests.length, 1);
      assert.match(project.read("board.html"), /<h2[^>]*>Numbers[\s\S]*agent_front@13/);

      const night = { ...deploy, COMMIT: bad };
      await passes(workflow("rollback"), night);
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
      const { passes, merge, emulator } = project;
      const { preview, deploy } = gitlab(host, project);
      await applied(project);
      const lines = [...gitlabLines("preview"), ...gitlabLines("preview", "after_script")];
      assert.equal(lines.length, 2);
      const bad = await merge(20);
      await passes(lines, preview);
      assert.equal(emulator.requests.length, 0);
      assert.equal(host.comments[0]?.body, `<!-- agent-platform report test/dev -->\n${project.read("report.md")}`);
      await passes(gitlabLines("deploy"), deploy);
      assert.deepEqual(splitOf(project), share(20));

      await passes(gitlabLines("rollback"), { ...deploy, COMMIT: bad });
      assert.deepEqual(splitOf(project), share(10));
      assert.equal(host.comments.length, 1);
      assert.ok(host.requests.every((line) => line.endsWith(" glpat")));

      emulator.clearRequests();
      await passes(gitlabLines("reassert"), deploy);
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
      const { job, passes, merge, emulator } = project;
      const { preview, deploy } = github(host, project);
      await applied(project);
      await merge(60);
      const red = await job(workflow("preview").slice(0, 1), preview);
      assert.equal(red.code, 1);
      assert.match(red.output, /shift>25/);
      assert.ok(project.read("report.md").includes("agent_front@13"));
      await passes(workflow("preview"), { ...preview, FAIL_ON: "" });

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
      await passes(workflow("deploy"), { ...deploy, EXPECT: digestIn(project.read("report.md")) });
      assert.deepEqual(splitOf(project), share(40));
    }));

  const second = `new NumberAssignment("second", { number: "+15550000002", inboundAgents, triggers });`;

  it("what can be applied is applied beside what fails, and the job fails and says what is open", () =>
    pipeline({ more: second }, async (project, host) => {
      const { job, passes, merge, emulator } = project;
      const { preview, deploy } = github(host, project);
      emulator.inject({ kind: "status", status: 500, number: "+15550000002", times: Number.POSITIVE_INFINITY });
      await merge(10);
      await job(workflow("preview"), preview);
      const deployed = await job(workflow("deploy"), { ...deploy, AGENT_PLATFORM_ATTEMPTS: "1" });
      assert.notEqual(deployed.code, 0);
      assert.deepEqual(splitOf(project), share(10));
      assert.match(
        deployed.output,
        /AGP-040 dev: NumberAssignment "second" \(\+15550000002\): not applied in an earlier run: the outcome of the request was not known/,
      );
      // The same job again finishes it.
      emulator.clearFaults();
      await passes(["sh scripts/up.sh"], deploy);
      assert.deepEqual(emulator.routing("+15550000002")?.inboundAgents, share(10));
    }));
});
