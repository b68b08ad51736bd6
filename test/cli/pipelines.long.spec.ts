import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { pipelineFiles } from "../../cli/start/pipelines";
import { killAll } from "../support/engineProcesses";
import type { HostServer } from "./hostServer";
import { includedPipeline, PHONES } from "./pipelineFiles";
import { type Env, type PipelineProject, pipeline } from "./pipelineProject";

/** The jobs of examples/pipelines as both hosts run them, with the real engine. */

const STEPS = { "agent-platform:steps": "[1, 10, 50, 100]" };
const program = `
  import { NumberGroup } from "pulumi-agent-platform";
  new NumberGroup("support", { numbers: { "+15550000001": "London", "+15550000002": "Leeds" }, rollout: "front" });`;

const splitOf = ({ emulator }: PipelineProject) =>
  ["+15550000001", "+15550000002"].map((number) => emulator.routing(number)?.inboundAgents);
const at = (percent: number) => Array(2).fill({ "agent_front@12": 100 - percent, "agent_front@13": percent });
const aborted = Array(2).fill({ "agent_front@12": 100 });

/** The candidate has these percent in the file, as a merged request has changed it. */
function setPercent({ folder, read }: PipelineProject, percent: number): void {
  const text = read("Pulumi.dev.yaml").replace(/percent: \d+/, `percent: ${percent}`);
  writeFileSync(join(folder, "Pulumi.dev.yaml"), text);
}

/** A rollout at 10%, applied and pushed. The settings are written as a team writes them, in lines. */
async function startRollout(project: PipelineProject): Promise<void> {
  const { encryptionsalt, config } = JSON.parse(project.read("Pulumi.dev.yaml"));
  const settings = Object.entries(config).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
  const front =
    "  agent-platform:rollouts:\n    front:\n      stable: agent_front@12\n      candidate: agent_front@13\n      percent: 10";
  const text = `encryptionsalt: ${encryptionsalt}\nconfig:\n${[...settings, front].join("\n")}\n`;
  writeFileSync(join(project.folder, "Pulumi.dev.yaml"), text);
  await project.commit(program, "10%");
  await project.apply();
  assert.deepEqual(splitOf(project), at(10));
}

/** The shell lines of a workflow's job, in their order, without what sets the runner up. */
function githubLines(job: "preview" | "promote" | "abort" | "deploy"): string[] {
  const file = `.github/workflows/${job === "deploy" ? "agent-platform-deploy" : "phones"}.yml`;
  const { jobs } = parse(pipelineFiles("github", PHONES)[file] ?? "") as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
  };
  return (jobs[job]?.steps ?? []).flatMap(({ run = [] }) => run);
}

/** The same of a job of GitLab's. What it does after its script, it does in any case. */
function gitlabLines(job: "preview" | "promote" | "abort" | "deploy"): string[] {
  const jobs = includedPipeline(pipelineFiles("gitlab", { ...PHONES, install: "true" }));
  const own = jobs[`phones ${job}`] ?? jobs[`.phones ${job}`] ?? {};
  const { before_script: before = [], script = [], after_script: after = [] } = { ...jobs[".phones"], ...own };
  const lines = [...before, ...script];
  return after.length === 0 ? lines : [`(${lines.join("\n")}\n) || code=$?`, ...after, `exit $\{code:-0}`];
}

/** What GitHub hands to the steps of a preview; the access token goes to the jobs that apply alone. */
const githubPreview = (host: HostServer): Env => ({
  GITHUB_API_URL: host.url,
  GITHUB_REPOSITORY: "team/phones",
  GITHUB_TOKEN: "ghs",
  GITHUB_SHA: "abc123",
  PULL_REQUEST: "12",
  // Without the commit of the target, the preview runs.
  BASE: "",
  GITHUB_OUTPUT: "/dev/null",
  FAIL_ON: "delete,replace,shift=25,sms",
});

const gitlabPreview = (host: HostServer): Env => ({
  GITLAB_CI: "true",
  GITLAB_TOKEN: "glpat",
  CI_API_V4_URL: host.url,
  CI_PROJECT_ID: "5",
  // At a port and below a path, without TLS.
  CI_PROJECT_URL: "http://gitlab.example.com:8080/gitlab/team/phones",
  CI_COMMIT_SHA: "abc123",
  CI_MERGE_REQUEST_IID: "12",
  CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
  CI_MERGE_REQUEST_DIFF_BASE_SHA: "",
  CI_PROJECT_DIR: ".",
  FOLDER: "",
  FAIL_ON: "delete,replace,shift=25,sms",
});

/** What a host hands to the job that deploys or aborts, beside what it hands to a preview. */
const applying = (preview: Readonly<Record<string, string>>, { emulator }: PipelineProject) => ({
  ...preview,
  CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "",
  EXPECT: "",
  AGENT_PLATFORM_ACCESS_TOKEN: emulator.token,
});

/** Lets nobody push to the remote, as the protection of a branch does. */
const protectMain = ({ folder }: PipelineProject, isProtected = true) =>
  writeFileSync(join(folder, "../origin.git/hooks/pre-receive"), `#!/bin/sh\nexit ${isProtected ? 1 : 0}\n`, {
    mode: 0o755,
  });

const onMain = ({ git }: PipelineProject) => git("--git-dir", "../origin.git", "show", "main:Pulumi.dev.yaml");

describe("a pipeline with the real engine", function () {
  this.timeout(20 * 60_000);

  it("refuses to redeploy an aborted promotion on GitHub", () =>
    pipeline(STEPS, async (project, host) => {
      const { job, passes, git, emulator } = project;
      const preview = githubPreview(host);
      const deploy = applying(preview, project);
      await startRollout(project);

      await passes(githubLines("promote"), preview);
      const [{ title, head } = {}] = host.opened;
      assert.match(title ?? "", /agent_front@13.*50%/);
      assert.equal(head, "promote/test/dev");
      await git("checkout", "--quiet", "-B", "main", "origin/main");
      await git("merge", "--quiet", "--ff-only", "origin/promote/test/dev");
      await passes(githubLines("preview"), { ...preview, FAIL_ON: "delete,replace" });
      assert.equal(host.comments.length, 1);
      assert.equal(emulator.requests.length, 0);

      await git("push", "--quiet", "origin", "main");
      await passes(githubLines("deploy"), deploy);
      assert.deepEqual(splitOf(project), at(50));
      assert.equal(emulator.requests.length, 2);

      // A rollout that is named as an option is a rollout that does not exist, and no call for help that ends green.
      const misnamed = await job(githubLines("abort"), { ...deploy, NAME: "--help" });
      assert.equal(misnamed.code, 2, misnamed.output);
      assert.deepEqual(splitOf(project), at(50));

      // The branch is protected: callers have the abort, and the branch has not.
      protectMain(project);
      const refused = await job(githubLines("abort"), { ...deploy, INSTALL: "true" });
      assert.deepEqual(splitOf(project), aborted);
      assert.equal(refused.code, 1, refused.output);
      assert.match(await onMain(project), /percent: 50/);

      // The deployment of the merged request, started again.
      emulator.clearRequests();
      await git("checkout", "--quiet", "main");
      const again = await job(githubLines("deploy"), deploy);
      assert.notEqual(again.code, 0);
      assert.match(again.output, /AGP-027/);
      assert.equal(emulator.requests.length, 0);
      assert.deepEqual(splitOf(project), aborted);
      // The next request of anybody shows it: the candidate would get calls again.
      await job(githubLines("preview"), preview);
      assert.match(host.comments[0]?.body ?? "", /agent_front@13/);

      // What the abort has printed, in a clone. Its merge changes no traffic.
      protectMain(project, false);
      const [, commands = ""] = /folder:\n\n([\s\S]*?)\n\nThen merge/.exec(refused.output) ?? [];
      assert.match(commands, /^npx pulumi-agent-platform abort --stack "dev"$/m);
      await passes(commands.split("\n"));
      await git("push", "--quiet", "origin", "HEAD:main");
      await passes(githubLines("preview"), preview);
      await passes(githubLines("deploy"), deploy);
      assert.deepEqual(splitOf(project), aborted);
      assert.match(await onMain(project), /aborted:/);
    }));

  it("refuses to redeploy an aborted commit on GitLab", () =>
    pipeline(STEPS, async (project, host) => {
      const { job, passes, git, commit, stack, emulator, folder } = project;
      const preview = gitlabPreview(host);
      const remote = join(folder, "../origin.git");
      await startRollout(project);
      // As a runner has it: a remote that only reads, and no branch.
      await git(
        "config",
        `url.${remote}.insteadOf`,
        "http://pipeline:glpat@gitlab.example.com:8080/gitlab/team/phones.git",
      );
      const hook = '#!/bin/sh\necho "$GIT_PUSH_OPTION_0" > pushed\n';
      writeFileSync(join(remote, "hooks/post-receive"), hook, { mode: 0o755 });

      // A label changes on a branch, while the target goes to 50% and is deployed.
      await git("checkout", "--quiet", "-b", "label");
      stack.write(program.replace("Leeds", "Leeds desk"));
      await git("commit", "--quiet", "--all", "--message", "a label");
      await git("checkout", "--quiet", "main");
      setPercent(project, 50);
      const bad = await commit(program, "50%");
      await project.apply();
      await git("checkout", "--quiet", "--detach", "label");
      await passes(gitlabLines("preview"), preview);
      const [{ body } = { body: "" }, ...others] = host.comments;
      assert.deepEqual(others, []);
      assert.doesNotMatch(body, /agent_front@1\d/, "no split changes");
      assert.match(body, /^reviewed-digest /m);

      await git("reset", "--quiet", "--hard", "main");
      await passes(gitlabLines("abort"), applying(preview, project));
      assert.deepEqual(splitOf(project), aborted);
      assert.match(await onMain(project), /aborted:/);
      assert.equal(readFileSync(join(remote, "pushed"), "utf8"), "ci.skip\n");

      // The deployment of the commit that was aborted, started again.
      emulator.clearRequests();
      await git("checkout", "--quiet", "--detach", bad);
      const stale = await job(gitlabLines("deploy"), { ...applying(preview, project), DEPLOY: "dev" });
      assert.equal(stale.code, 1, stale.output);
      assert.equal(emulator.requests.length, 0);
    }));

  const chat = `
  import { SmsChat } from "pulumi-agent-platform";
  new SmsChat("a reminder", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550009999" });`;

  it("does not resend an SMS on GitHub after a killed `pulumi up`", () =>
    pipeline(STEPS, async (project, host: HostServer) => {
      const { job, passes, commit, stack, emulator } = project;
      const deploy = applying(githubPreview(host), project);
      await startRollout(project);
      await commit(`${program}${chat}`, "a reminder");
      const waiting = emulator.inject({ kind: "hold", applied: true, times: 1 });
      const killed = job(['pulumi up --stack "$STACK" --yes --skip-preview --non-interactive'], deploy);
      await emulator.waitForRequests(1);
      killAll(stack.processes());
      waiting.release();
      assert.notEqual((await killed).code, 0);
      await passes(['pulumi cancel --stack "$STACK" --yes']);
      emulator.clearFaults();
      assert.equal(emulator.chats.length, 1);

      const stopped = await job(githubLines("deploy"), deploy);
      assert.equal(stopped.code, 3, stopped.output);
      await passes(githubLines("abort"), deploy);
      assert.deepEqual(splitOf(project), aborted);
      assert.equal(emulator.chats.length, 1);
    }));
});
