import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { repository } from "../support/engine";
import type { HostServer } from "./hostServer";
import { github, gitlab, gitlabLines, type PipelineProject, pipeline, workflow } from "./pipelineProject";

/** A team with three stacks, and the pipelines of examples/pipelines/stages as they are. */

const STACKS = ["dev", "canary", "prod"] as const;
type StackName = (typeof STACKS)[number];
const numberOf = (stack: string): string => `+1555000000${STACKS.indexOf(stack as StackName)}`;
const NUMBERS = STACKS.map(numberOf);

const program = (percent: number): string => `
  import { Config, getStack } from "@pulumi/pulumi";
  import { NumberAssignment, split } from "pulumi-agent-platform";
  const config = new Config();
  const percent = config.getNumber("percent") ?? ${percent};
  new NumberAssignment("support", {
    number: config.require("number"),
    inboundAgents: split({ "agent_front@12": 100 - percent, "agent_front@13": percent }),
    triggers: { reassert: config.get("reassert") ?? "" },
  });`;

/** The same stacks, with a version on its way through them. */
const rollingOut = `
  import { Config } from "@pulumi/pulumi";
  import { NumberGroup } from "pulumi-agent-platform";
  new NumberGroup("support", { numbers: [new Config().require("number")], rollout: "front" });`;

/** The steps of each stack, and how far its rollout is. */
const ROLLOUTS: Readonly<Record<StackName, readonly [steps: string, rollout: string]>> = {
  dev: ["[50, 100]", "      stable: agent_front@12\n      candidate: agent_front@13\n      percent: 50"],
  canary: ["[100]", "      stable: agent_front@12"],
  prod: ["[1, 10, 50, 100]", "      stable: agent_front@12"],
};

function rolloutYaml(stack: StackName, { encryptionsalt, config }: StackFile): string {
  const [steps, rollout] = ROLLOUTS[stack];
  const settings = Object.entries({ ...config, "agent-platform:steps": steps });
  const lines = settings.map(([key, value]) => `  ${key}: ${JSON.stringify(value)}\n`).join("");
  return `encryptionsalt: ${encryptionsalt}\nconfig:\n${lines}  agent-platform:rollouts:\n    front: # promote edits this\n${rollout}\n`;
}

interface Job {
  readonly needs: readonly string[];
  readonly if: string;
  readonly with: { readonly stack: string };
}

/** The jobs deploy-1, deploy-2 … */
function deployJobs(): [id: string, job: Job][] {
  const file = join(repository, "examples/pipelines/github/.github/workflows/phones.yml");
  const { jobs } = parse(readFileSync(file, "utf8")) as { readonly jobs: Readonly<Record<string, Job>> };
  return Object.entries(jobs).filter(([id]) => id.startsWith("deploy-"));
}

interface StackFile {
  readonly encryptionsalt: string;
  readonly config: Readonly<Record<string, string>>;
}

/** Three stacks that have nothing, and a program for them on the main branch. */
async function emptyStacks(
  project: PipelineProject,
  source: string,
  textOf: (stack: StackName, file: StackFile) => string = (_, file) => JSON.stringify(file),
): Promise<void> {
  const { encryptionsalt, config } = JSON.parse(project.read("Pulumi.dev.yaml"));
  for (const stack of STACKS) {
    const file = { encryptionsalt, config: { ...config, "test:number": numberOf(stack) } };
    writeFileSync(join(project.folder, `Pulumi.${stack}.yaml`), textOf(stack, file));
    if (stack !== "dev") {
      await project.passes([`pulumi stack init ${stack}`]);
    }
  }
  await project.commit(source, "three stacks");
}

/** Each is applied, and nothing was sent since. */
async function upAll({ passes, emulator }: PipelineProject): Promise<void> {
  for (const stack of STACKS) {
    await passes(["sh scripts/up.sh"], { STACK: stack, AGENT_PLATFORM_ACCESS_TOKEN: emulator.token });
  }
  emulator.clearRequests();
}

const liveIn = ({ emulator }: PipelineProject) =>
  NUMBERS.map((number) => emulator.routing(number)?.inboundAgents?.["agent_front@13"] ?? 0);

/** What GitHub does with deploy.yml: which jobs it starts, in which order, and how each ends. */
async function deploy(project: PipelineProject, host: HostServer): Promise<string[]> {
  const env = github(host, project).deploy;
  const output = join(project.folder, "..", "output");
  rmSync(output, { force: true });
  const run = (lines: readonly string[], more: Readonly<Record<string, string>>) =>
    project.job(lines, {
      ...env,
      STACKS: STACKS.join(" "),
      GITHUB_OUTPUT: output,
      GITHUB_WORKSPACE: project.folder,
      ...more,
    });
  const changes = await run(workflow("changes"), { STACK: "", AGENT_PLATFORM_ACCESS_TOKEN: "" });
  assert.equal(changes.code, 0, changes.output);
  const [, found = "", folder] = /^stacks=(.*)\nfolder=(.*)\n$/.exec(readFileSync(output, "utf8")) ?? [];
  assert.equal(folder, ".");
  const changed = JSON.parse(found) as string[];
  const isDone = new Map([["changes", true]]);
  const log: string[] = [];
  for (const [index, [id, job]] of deployJobs().entries()) {
    assert.equal(job.if, `fromJSON(needs.changes.outputs.stacks || '[]')[${index}] != null`);
    assert.equal(job.with.stack, `\${{ fromJSON(needs.changes.outputs.stacks)[${index}] }}`);
    const stack = changed[index];
    // Without a function of the status in its condition, a job is skipped if one that it needs failed or was skipped.
    const isStarted = stack !== undefined && job.needs.every((need) => isDone.get(need) === true);
    const isOk = isStarted && (await run(workflow("deploy"), { STACK: stack })).code === 0;
    isDone.set(id, isOk);
    const ran = isOk ? "success" : "failure";
    log.push(...(stack === undefined ? [] : [`${stack}: ${isStarted ? ran : "skipped"}`]));
  }
  return log;
}

describe("the pipelines of three stacks", function () {
  // Each has dozens of runs of the engine: alone they take two minutes, on a machine with other work ten.
  this.timeout(30 * 60_000);

  it("GitHub: one comment for all, a deployment for each that changes, in order, and none after one that failed", () =>
    pipeline({}, async (project, host) => {
      const { passes, emulator, commit } = project;
      const { preview } = github(host, project);
      const env = { ...preview, STACKS: STACKS.join(" "), STACK: "", FAIL_ON: "delete,replace,shift>25" };
      await emptyStacks(project, program(0));

      // From nothing to the first agents: every stack changes.
      await commit(program(30), "30 %");
      await passes(workflow("preview"), env);
      assert.equal(emulator.requests.length, 0);
      const [comment, ...others] = host.comments;
      assert.equal(others.length, 0);
      assert.equal(comment?.body, `<!-- agent-platform report test -->\n${project.read("report.md")}`);
      const digests = [...comment.body.matchAll(/reviewed-digest `(\w+)` `/g)].map(([, name]) => name);
      assert.deepEqual(digests, [...STACKS]);

      // A failure stops the stacks after it. The same deployment again finishes, and asks nobody about the first.
      emulator.inject({ kind: "status", status: 400, number: numberOf("canary"), times: Number.POSITIVE_INFINITY });
      assert.deepEqual(await deploy(project, host), ["dev: success", "canary: failure", "prod: skipped"]);
      assert.deepEqual(liveIn(project), [30, 0, 0]);
      emulator.clearFaults();
      emulator.clearRequests();
      assert.deepEqual(await deploy(project, host), ["canary: success", "prod: success"]);
      assert.deepEqual(liveIn(project), [30, 30, 30]);
      assert.deepEqual(
        emulator.requests.map(({ number }) => number),
        NUMBERS.slice(1),
      );
      for (const number of NUMBERS) {
        const why = "the deployment of the last stack has made the page of all";
        assert.ok(project.read("board.html").includes(number), why);
      }
    }));

  it("promote opens one pull request with every stack that can go on, and none twice", () =>
    pipeline({}, async (project, host) => {
      const { passes, git, folder, emulator } = project;
      const env = { ...github(host, project).preview, STACKS: STACKS.join(" "), STACK: "all" };
      await emptyStacks(project, rollingOut, rolloutYaml);
      await upAll(project);
      const file = join(folder, "Pulumi.prod.yaml");
      writeFileSync(file, `${readFileSync(file, "utf8")}      candidate: agent_front@13\n      percent: 1\n`);
      await git("commit", "--quiet", "--all", "--message", "prod: 1 %");
      await git("push", "--quiet", "origin", "HEAD:main");
      await passes(["sh scripts/up.sh"], { ...github(host, project).deploy, STACK: "prod" });
      emulator.clearRequests();

      const said = await passes(workflow("promote"), env);
      assert.match(said, /^front in canary\n {2}Nothing to promote: /m);
      const head = "promote/test/all";
      const title = "front in dev: agent_front@13 at 100 %, front in prod: agent_front@13 at 10 %";
      assert.deepEqual(host.opened, [{ head, base: "main", title, body: `\`\`\`text\n${said.trimEnd()}\n\`\`\`\n` }]);
      assert.equal(await git("rev-parse", `origin/${head}^`), await git("rev-parse", "origin/main"));
      assert.equal(
        await git("show", "--name-only", "--format=", `origin/${head}`),
        "Pulumi.dev.yaml\nPulumi.prod.yaml",
      );
      const again = await passes(workflow("promote"), env);
      assert.match(again, /^The branch promote\/test\/all has this already\./m);
      // The request of one stack alone has a branch of its own.
      await passes(workflow("promote"), { ...env, STACK: "prod" });
      assert.equal(host.opened[1]?.title, "front in prod: agent_front@13 at 10 %");
      assert.equal(await git("show", "--name-only", "--format=", "origin/promote/test/prod"), "Pulumi.prod.yaml");
      // What the open request asks for is no longer all that can go on: it is asked for more.
      await passes([
        "git checkout --quiet -B main origin/main",
        `sed -i "s/percent: 1$/percent: 10/" Pulumi.prod.yaml`,
      ]);
      await git("commit", "--quiet", "--all", "--message", "prod: 10 %");
      await git("push", "--quiet", "origin", "HEAD:main");
      await passes(["sh scripts/up.sh"], { ...github(host, project).deploy, STACK: "prod" });
      await passes(workflow("promote"), env);
      assert.deepEqual(
        host.opened.map((one) => one.title),
        [
          "front in dev: agent_front@13 at 100 %, front in prod: agent_front@13 at 50 %",
          "front in prod: agent_front@13 at 10 %",
        ],
      );
      assert.equal(await git("status", "--porcelain"), "");
    }));

  it("GitLab: a pipeline with a job for each stack that changes, one after the other", () =>
    pipeline({}, async (project, host) => {
      const { passes, commit, read } = project;
      const env = { ...gitlab(host, project).deploy, STACKS: STACKS.join(" "), STACK: "" };
      await emptyStacks(project, program(10));
      await upAll(project);
      const made = async () => {
        await passes(gitlabLines("changes"), env);
        return parse(read("deploy.gitlab-ci.yml"));
      };
      assert.deepEqual(Object.keys(await made()), ["include", "no change"]);
      await commit(program(30), "30 %");
      const previewed = [...gitlabLines("preview"), ...gitlabLines("preview", "after_script")];
      await passes(previewed, { ...gitlab(host, project).preview, STACKS: STACKS.join(" ") });
      assert.deepEqual(Object.keys(await made()), ["include", ...STACKS.map((stack) => `deploy ${stack}`)]);
      for (const stack of STACKS) {
        await passes(gitlabLines("stack"), { ...env, BRANCH: "main", STACK: stack });
      }
      assert.deepEqual(liveIn(project), [30, 30, 30]);
      assert.equal(host.comments.length, 1);
      assert.ok(host.requests.every((line) => line.endsWith(" glpat")));
    }));
});
