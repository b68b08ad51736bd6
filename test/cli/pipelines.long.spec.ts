import assert from "node:assert/strict";
import { applied, byHand, github, gitlab, pipeline, share, splitOf, workflow } from "./pipelineJobs";
import { gitlabLines } from "./pipelineProject";

describe("the pipelines of examples/pipelines", () => {
  /** As somebody does who starts the deployment by hand, after reading the report. */
  const digestIn = (report: string): string => /reviewed-digest `([0-9a-f]{12})`/.exec(report)?.[1] ?? "none";

  it("GitLab: comment on the merge request, apply it after the merge, take it back by hand", () =>
    pipeline({}, async (project, host) => {
      const { passes, merge, emulator } = project;
      const { preview, deploy } = gitlab(host, project);
      await applied(project);
      const lines = [...gitlabLines("preview"), ...gitlabLines("preview", "after_script")];
      assert.equal(lines.length, 3);
      const bad = await merge(20);
      await passes(lines, preview);
      assert.equal(emulator.requests.length, 0);
      assert.equal(host.comments[0]?.body, `<!-- agent-platform report test -->\n${project.read("report.md")}`);
      await passes(gitlabLines("stack"), deploy);
      assert.deepEqual(splitOf(project), share(20));

      await passes(byHand("rollback"), { ...deploy, COMMIT: bad });
      assert.deepEqual(splitOf(project), share(10));
      assert.equal(host.comments.length, 1);
      assert.ok(host.requests.every((line) => line.endsWith(" glpat")));

      emulator.clearRequests();
      await passes(byHand("reassert"), deploy);
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
      const deployed = await job(workflow("deploy"), deploy);
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
