import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { pipelineFiles } from "../../cli/start/pipelines";
import { killAll } from "../support/engineProcesses";
import type { HostServer } from "./hostServer";
import { includedPipeline, PHONES } from "./pipelineFiles";
import { type Env, type TestProject, withTestProject } from "./pipelineProject";

/** Runs the jobs in examples/pipelines as GitHub and GitLab would, with the real Pulumi engine. */

const STEPS = { "agent-platform:steps": "[1, 10, 50, 100]" };
const program = `
  import { NumberGroup } from "pulumi-agent-platform";
  new NumberGroup("support", { numbers: { "+15550000001": "London", "+15550000002": "Leeds" }, rollout: "front" });`;

const splitsOf = ({ emulator }: TestProject) =>
  ["+15550000001", "+15550000002"].map((number) => emulator.routing(number)?.inboundAgents);
const splitsAt = (percent: number) => Array(2).fill({ "agent_front@12": 100 - percent, "agent_front@13": percent });
const abortedSplits = Array(2).fill({ "agent_front@12": 100 });

/** Changes the candidate's percentage in the stack's config, as merging a request would. */
function setPercent({ folder, read }: TestProject, percent: number): void {
  const config = read("Pulumi.dev.yaml").replace(/percent: \d+/, `percent: ${percent}`);
  writeFileSync(join(folder, "Pulumi.dev.yaml"), config);
}

/**
 * Starts a rollout at 10%, pushes it and applies it. Stores the stack's config as YAML with one setting per line, as a
 * team would.
 */
async function startRollout(project: TestProject): Promise<void> {
  const { encryptionsalt, config } = JSON.parse(project.read("Pulumi.dev.yaml"));
  const settings = Object.entries(config).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
  const front =
    "  agent-platform:rollouts:\n    front:\n      stable: agent_front@12\n      candidate: agent_front@13\n      percent: 10";
  const file = `encryptionsalt: ${encryptionsalt}\nconfig:\n${[...settings, front].join("\n")}\n`;
  writeFileSync(join(project.folder, "Pulumi.dev.yaml"), file);
  await project.commit(program, "10%");
  await project.apply();
  assert.deepEqual(splitsOf(project), splitsAt(10));
}

/** Returns the shell lines of a GitHub job. Leaves out steps that use an action, such as the checkout. */
function githubLines(job: "preview" | "promote" | "abort" | "deploy"): string[] {
  const file = `.github/workflows/${job === "deploy" ? "agent-platform-deploy" : "phones"}.yml`;
  const { jobs } = parse(pipelineFiles("github", PHONES)[file] ?? "") as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
  };
  return (jobs[job]?.steps ?? []).flatMap(({ run = [] }) => run);
}

/** Returns the shell lines of a GitLab job. As on GitLab, the lines in `after_script` run even if the script fails. */
function gitlabLines(job: "preview" | "promote" | "abort" | "deploy"): string[] {
  const jobs = includedPipeline(pipelineFiles("gitlab", { ...PHONES, install: "true" }));
  const own = jobs[`phones ${job}`] ?? jobs[`.phones ${job}`] ?? {};
  const { before_script: before = [], script = [], after_script: after = [] } = { ...jobs[".phones"], ...own };
  const lines = [...before, ...script];
  return after.length === 0 ? lines : [`(${lines.join("\n")}\n) || code=$?`, ...after, `exit $\{code:-0}`];
}

/** The environment variables of GitHub's preview job. Only jobs that apply changes also have an access token. */
const githubPreview = (host: HostServer): Env => ({
  GITHUB_API_URL: host.url,
  GITHUB_REPOSITORY: "team/phones",
  GITHUB_TOKEN: "ghs",
  GITHUB_SHA: "abc123",
  PULL_REQUEST: "12",
  // Without a base commit, the job can't skip the preview.
  BASE: "",
  GITHUB_OUTPUT: "/dev/null",
  FAIL_ON: "delete,replace,shift=25,sms",
});

const gitlabPreview = (host: HostServer): Env => ({
  GITLAB_CI: "true",
  GITLAB_TOKEN: "glpat",
  CI_API_V4_URL: host.url,
  CI_PROJECT_ID: "5",
  // The URL of a self-hosted GitLab with a custom port, a path and no TLS.
  CI_PROJECT_URL: "http://gitlab.example.com:8080/gitlab/team/phones",
  CI_COMMIT_SHA: "abc123",
  CI_MERGE_REQUEST_IID: "12",
  CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
  CI_MERGE_REQUEST_DIFF_BASE_SHA: "",
  CI_PROJECT_DIR: ".",
  FOLDER: "",
  FAIL_ON: "delete,replace,shift=25,sms",
});

/**
 * Returns the environment variables of a job that deploys or aborts: those of the preview job, with an access token and
 * without a target branch.
 */
const applyEnv = (preview: Readonly<Record<string, string>>, { emulator }: TestProject) => ({
  ...preview,
  CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "",
  EXPECT: "",
  AGENT_PLATFORM_ACCESS_TOKEN: emulator.token,
});

/**
 * Makes the remote reject every push, as branch protection does. If `isProtected` is false, makes it accept pushes
 * again.
 */
const protectMain = ({ folder }: TestProject, isProtected = true) =>
  writeFileSync(join(folder, "../origin.git/hooks/pre-receive"), `#!/bin/sh\nexit ${isProtected ? 1 : 0}\n`, {
    mode: 0o755,
  });

const configOnMain = ({ git }: TestProject) => git("--git-dir", "../origin.git", "show", "main:Pulumi.dev.yaml");

describe("a pipeline with the real engine", function () {
  this.timeout(20 * 60_000);

  it("refuses to redeploy an aborted promotion on GitHub", () =>
    withTestProject(STEPS, async (project, host) => {
      const { job, passes, git, emulator } = project;
      const preview = githubPreview(host);
      const deploy = applyEnv(preview, project);
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
      assert.deepEqual(splitsOf(project), splitsAt(50));
      assert.equal(emulator.requests.length, 2);

      // There is no rollout named `--help`, so the job must fail. It must not mistake the name for an option, because
      // it would then print the help and succeed.
      const misnamed = await job(githubLines("abort"), { ...deploy, NAME: "--help" });
      assert.equal(misnamed.code, 2, misnamed.output);
      assert.deepEqual(splitsOf(project), splitsAt(50));

      // With a protected branch, the abort takes effect on the platform, but can't be pushed to main.
      protectMain(project);
      const refused = await job(githubLines("abort"), { ...deploy, INSTALL: "true" });
      assert.deepEqual(splitsOf(project), abortedSplits);
      assert.equal(refused.code, 1, refused.output);
      assert.match(await configOnMain(project), /percent: 50/);

      // If somebody restarts the deployment of the merged pull request, the job must refuse it.
      emulator.clearRequests();
      await git("checkout", "--quiet", "main");
      const again = await job(githubLines("deploy"), deploy);
      assert.notEqual(again.code, 0);
      assert.match(again.output, /AGP-027/);
      assert.equal(emulator.requests.length, 0);
      assert.deepEqual(splitsOf(project), abortedSplits);
      // The preview of the next pull request shows that the candidate would get calls again.
      await job(githubLines("preview"), preview);
      assert.match(host.comments[0]?.body ?? "", /agent_front@13/);

      // Run the commands that the abort job printed, and push the result to main. This changes no traffic.
      protectMain(project, false);
      const [, commands = ""] = /folder:\n\n([\s\S]*?)\n\nThen merge/.exec(refused.output) ?? [];
      assert.match(commands, /^npx pulumi-agent-platform abort --stack "dev" &&$/m);
      await passes(commands.split("\n"));
      await git("push", "--quiet", "origin", "HEAD:main");
      await passes(githubLines("preview"), preview);
      await passes(githubLines("deploy"), deploy);
      assert.deepEqual(splitsOf(project), abortedSplits);
      assert.match(await configOnMain(project), /aborted:/);
    }));

  it("refuses to redeploy an aborted commit on GitLab", () =>
    withTestProject(STEPS, async (project, host) => {
      const { job, passes, git, commit, stack, emulator, folder } = project;
      const preview = gitlabPreview(host);
      const remote = join(folder, "../origin.git");
      await startRollout(project);
      // GitLab's jobs push to this URL. Redirect it to the local remote.
      await git(
        "config",
        `url.${remote}.insteadOf`,
        "http://pipeline:glpat@gitlab.example.com:8080/gitlab/team/phones.git",
      );
      const hook = '#!/bin/sh\necho "$GIT_PUSH_OPTION_0" > pushed\n';
      writeFileSync(join(remote, "hooks/post-receive"), hook, { mode: 0o755 });

      // A branch changes a label, while main moves to 50% and is deployed.
      await git("checkout", "--quiet", "-b", "label");
      stack.write(program.replace("Leeds", "Leeds desk"));
      await git("commit", "--quiet", "--all", "--message", "a label");
      await git("checkout", "--quiet", "main");
      setPercent(project, 50);
      const abortedCommit = await commit(program, "50%");
      await project.apply();
      await git("checkout", "--quiet", "--detach", "label");
      await passes(gitlabLines("preview"), preview);
      const [{ body } = { body: "" }, ...others] = host.comments;
      assert.deepEqual(others, []);
      assert.doesNotMatch(body, /agent_front@1\d/, "the report shows no traffic change");
      assert.match(body, /^reviewed-digest /m);

      await git("reset", "--quiet", "--hard", "main");
      await passes(gitlabLines("abort"), applyEnv(preview, project));
      assert.deepEqual(splitsOf(project), abortedSplits);
      assert.match(await configOnMain(project), /aborted:/);
      assert.equal(readFileSync(join(remote, "pushed"), "utf8"), "ci.skip\n");

      // If somebody restarts the deployment of the aborted commit, the job must refuse it.
      emulator.clearRequests();
      await git("checkout", "--quiet", "--detach", abortedCommit);
      const stale = await job(gitlabLines("deploy"), { ...applyEnv(preview, project), DEPLOY: "dev" });
      assert.equal(stale.code, 1, stale.output);
      assert.equal(emulator.requests.length, 0);
    }));

  const chat = `
  import { SmsChat } from "pulumi-agent-platform";
  new SmsChat("a reminder", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550009999" });`;

  it("does not resend an SMS on GitHub after a killed `pulumi up`", () =>
    withTestProject(STEPS, async (project, host: HostServer) => {
      const { job, passes, commit, stack, emulator } = project;
      const deploy = applyEnv(githubPreview(host), project);
      await startRollout(project);
      await commit(`${program}${chat}`, "a reminder");
      const fault = emulator.inject({ kind: "hold", applied: true, times: 1 });
      const killedUp = job(['pulumi up --stack "$STACK" --yes --skip-preview --non-interactive'], deploy);
      await emulator.waitForRequests(1);
      killAll(stack.processes());
      fault.release();
      assert.notEqual((await killedUp).code, 0);
      await passes(['pulumi cancel --stack "$STACK" --yes']);
      emulator.clearFaults();
      assert.equal(emulator.chats.length, 1);

      const stopped = await job(githubLines("deploy"), deploy);
      assert.equal(stopped.code, 3, stopped.output);
      await passes(githubLines("abort"), deploy);
      assert.deepEqual(splitsOf(project), abortedSplits);
      assert.equal(emulator.chats.length, 1);
    }));
});
