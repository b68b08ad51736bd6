import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { killAll } from "../support/engineProcesses";
import {
  applied,
  byHand,
  github,
  gitlab,
  gitlabLines,
  type PipelineProject,
  pipeline,
  program,
  splitAt,
  splitOf,
  workflow,
} from "./pipelineProject";

describe("the pipelines of examples/pipelines", () => {
  it("GitLab: take a merge back by hand, on the branch and without a pipeline for that push", () =>
    pipeline({}, async (project, host) => {
      const { job, passes, merge, git, remote, emulator } = project;
      const { deploy } = gitlab(host, project);
      await applied(project);
      const bad = await merge(20);
      await passes(["sh scripts/up.sh"], deploy);
      assert.deepEqual(splitOf(project), splitAt(20));

      // As a runner leaves it: no branch, and a remote that only reads.
      await git("checkout", "--quiet", "--detach");
      await git("branch", "--quiet", "-D", "main");
      await git("config", `url.${remote}.insteadOf`, "https://pipeline:glpat@gitlab.example.com/team/phones.git");
      const hook = '#!/bin/sh\necho "$GIT_PUSH_OPTION_COUNT $GIT_PUSH_OPTION_0" > pushed\n';
      writeFileSync(join(remote, "hooks/post-receive"), hook, { mode: 0o755 });
      const runner = { ...deploy, CI_SERVER_HOST: "gitlab.example.com", CI_PROJECT_PATH: "team/phones" };
      const operate = (operation: string) => [...gitlabLines("operate", "before_script"), ...byHand(operation)];
      await passes(operate("rollback"), { ...runner, COMMIT: bad });
      assert.deepEqual(splitOf(project), splitAt(10));
      // Started again, its deployment applies nothing: the digest of the review is that of this change.
      emulator.clearRequests();
      const stale = [
        `git checkout --quiet --detach ${bad}`,
        "export BRANCH=main EXPECT=0123456789ab",
        ...gitlabLines("stack"),
      ];
      const again = await job(stale, deploy);
      assert.match(again.output, /^Stopped: nothing was applied\. main has other files here than this commit/m);
      assert.deepEqual([again.code, emulator.requests.length, splitOf(project)], [1, 0, splitAt(10)]);
      await git("checkout", "--quiet", "--detach", "origin/main");
      await passes(operate("reassert"), runner);
      assert.equal(emulator.requests.length, 1);
      assert.equal(await git("symbolic-ref", "--short", "HEAD"), "main");
      assert.equal(await git("log", "-1", "--format=%s", "origin/main"), "Send every routing again (pipeline 77)");
      assert.equal(readFileSync(join(remote, "pushed"), "utf8"), "1 ci.skip\n");
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
      assert.equal(emulator.requests.length, 0);
      assert.deepEqual(splitOf(project), splitAt(10));
    }));

  /** As somebody does who starts the deployment by hand, after reading the report. */
  const digestIn = (report: string): string => /reviewed-digest `([0-9a-f]{12})`/.exec(report)?.[1] ?? "none";

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
      assert.deepEqual(splitOf(project), splitAt(40));
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
      assert.deepEqual(splitOf(project), splitAt(10));
      const found = deployed.output.slice(deployed.output.lastIndexOf("stack dev of project test: "));
      const text = found.replaceAll(/\s+/g, " ");
      assert.match(
        text,
        / 1\. AGP-044 dev: NumberAssignment "second": not applied in an earlier run: 1 \(\+15550000002\): the outcome of the request was not known\. /,
      );
      assert.match(
        text,
        / 2\. dev: the last run failed at \d{4}-\d\d-\d\d \d\d:\d\d UTC\. AGP-040 NumberAssignment "second" /,
      );
      // The same job again finishes it.
      emulator.clearFaults();
      await passes(["sh scripts/up.sh"], deploy);
      assert.deepEqual(emulator.routing("+15550000002")?.inboundAgents, splitAt(10));
    }));

  it("a change of the resource option retainOnDelete alone is deployed as it was reviewed: else numbers that leave later lose their agents", () =>
    pipeline({}, async (project, host) => {
      const { passes, commit, read } = project;
      const { deploy } = github(host, project);
      await applied(project);
      await commit(program(10).replace("triggers }", "triggers }, { retainOnDelete: true }"), "retained");
      await passes(["sh scripts/preview.sh"]);
      assert.match(read("report.md"), /retainOnDelete` is set on `support`/);
      const own = { GITHUB_OUTPUT: "output", GITHUB_WORKSPACE: project.folder, EXPECT: digestIn(read("report.md")) };
      assert.equal(await passes(["sh scripts/changes.sh"], { ...deploy, ...own }), "dev: changes\nTo deploy: dev.\n");
      await passes(["sh scripts/apply.sh"], { ...deploy, ...own });
    }));
});

const chat = `
  import { SmsChat } from "pulumi-agent-platform";
  new SmsChat("a reminder", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550009999" });`;

/** A deployment is killed while its SMS is on its way, and while a number is assigned: both have reached the platform. */
async function killWhileSending({ job, stack, emulator, commit }: PipelineProject, source: string, env: object) {
  await commit(source, "a reminder, and 30 %");
  const waiting = emulator.inject({ kind: "hold", applied: true, times: 2 });
  const run = job(["sh scripts/up.sh"], { ...env });
  await emulator.waitForRequests(2);
  killAll(stack.processes());
  waiting.release();
  assert.notEqual((await run).code, 0);
  await job(['pulumi cancel --stack "$STACK" --yes']);
  assert.equal(emulator.chats.length, 1);
  emulator.clearFaults();
  emulator.clearRequests();
}

const STOPPED =
  'A voice or a chat may have been sent, and `pulumi up` would send it again: do what is said above. If none was sent, start this job by hand with a reason in "send_again" (SEND_AGAIN).\n';

describe("the pipelines, after a run that was killed while it sent an SMS", () => {
  it("stop before the second one, abort without it, and send it with its retryUnresolved alone", () =>
    pipeline({}, async (project, host) => {
      const { job, merge, emulator, git } = project;
      const { deploy } = github(host, project);
      await applied(project);
      await merge(20);
      const source = `${program(30)}${chat}`;
      await killWhileSending(project, source, deploy);

      const stopped = await job(["sh scripts/up.sh"], deploy);
      assert.equal(stopped.code, 3, stopped.output);
      assert.ok(stopped.output.endsWith(`${STOPPED}Stopped: nothing was applied.\n`), stopped.output);
      assert.match(stopped.output, /SmsChat "a reminder": a run was stopped while it was creating this/);
      assert.equal(emulator.requests.length, 0);

      // Taken back at night: callers do not wait for the chat.
      project.stack.write(`${program(5)}${chat}`);
      await git("commit", "--quiet", "--all", "--message", "back");
      const urgent = await job(["sh scripts/up.sh"], { ...deploy, URGENT: "1" });
      assert.equal(urgent.code, 3, urgent.output);
      assert.ok(urgent.output.includes(`${STOPPED}The rest is applied without voices and chats.\n`));
      assert.deepEqual(splitOf(project), splitAt(5));
      assert.equal(emulator.chats.length, 1);
      assert.equal((await job(["sh scripts/up.sh"], deploy)).code, 3);

      const again = await job(["sh scripts/up.sh"], { ...deploy, SEND_AGAIN: "not in the web application: Kim" });
      assert.notEqual(again.code, 0, again.output);
      assert.match(again.output, /^Going on, although .* a voice or a chat: not in the web application: Kim$/m);
      // The runner knows of the chat, so the word for the whole job does not send it: the word for the chat does.
      const [, unresolvedId] = /AGP-041[\s\S]*retryUnresolved: "(unresolved-[^"]+)"/.exec(again.output) ?? [];
      assert.equal(emulator.chats.length, 1);
      project.stack.write(`${program(5)}${chat.replace("toNumber", `retryUnresolved: "${unresolvedId}", toNumber`)}`);
      await git("commit", "--quiet", "--all", "--message", "not there");
      const decided = await job(["sh scripts/up.sh"], deploy);
      assert.equal(decided.code, 0, decided.output);
      assert.equal(emulator.chats.length, 2);
    }));
});
