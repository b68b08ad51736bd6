import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { repository } from "../support/engine";
import type { HostServer } from "./hostServer";
import { github, gitlab, pipeline } from "./pipelineJobs";
import { linesOf, type PipelineProject } from "./pipelineProject";
import { threeStacks as rollouts } from "./threeStacks";

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

const stagesOf = (file: string) => join(repository, "examples/pipelines/stages", file);
const stages = (name: string) => linesOf(`stages/github/.github/workflows/${name}.yml`);

interface Job {
  readonly needs: readonly string[];
  readonly if: string;
  readonly with: { readonly stack: string };
}

/** Three stacks that have nothing, and a program for them on the main branch. */
async function emptyStacks(project: PipelineProject): Promise<void> {
  const { encryptionsalt, config } = JSON.parse(readFileSync(join(project.folder, "Pulumi.dev.yaml"), "utf8"));
  for (const stack of STACKS) {
    const settings = { encryptionsalt, config: { ...config, "test:number": numberOf(stack) } };
    writeFileSync(join(project.folder, `Pulumi.${stack}.yaml`), JSON.stringify(settings));
    if (stack !== "dev") {
      await project.passes([`pulumi stack init ${stack}`]);
    }
  }
  await project.commit(program(0), "three stacks");
}

/** The three stacks in the middle of their story: applied at 10 %, and nothing was sent since. */
async function threeStacks(project: PipelineProject): Promise<void> {
  await emptyStacks(project);
  await project.commit(program(10), "10 %");
  for (const Stack of STACKS) {
    await project.passes(["sh scripts/up.sh"], { STACK: Stack, AGENT_PLATFORM_ACCESS_TOKEN: project.emulator.token });
  }
  project.emulator.clearRequests();
}

/** Changes one value of a stack's config, and commits it as a merged pull request does. */
async function setPercent(project: PipelineProject, stack: StackName, percent: number, source: string): Promise<void> {
  const file = join(project.folder, `Pulumi.${stack}.yaml`);
  const text = parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...text, config: { ...text.config, "test:percent": percent } }));
  await project.commit(source, `${stack}: ${percent} %`);
}

const liveIn = ({ emulator }: PipelineProject) =>
  NUMBERS.map((number) => emulator.routing(number)?.inboundAgents?.["agent_front@13"] ?? 0);

/** What GitHub does with deploy.yml: which jobs it starts, in which order, and how each ends. */
async function deploy(project: PipelineProject, host: HostServer): Promise<string[]> {
  const env = github(host, project).deploy;
  const output = join(project.folder, "..", "output");
  rmSync(output, { force: true });
  const run = (lines: readonly string[], more: Readonly<Record<string, string>>) =>
    project.job(lines, { ...env, STACKS: STACKS.join(" "), GITHUB_OUTPUT: output, ...more });
  const { jobs } = parse(readFileSync(stagesOf("github/.github/workflows/deploy.yml"), "utf8")) as {
    readonly jobs: Readonly<Record<string, Job>>;
  };
  const ended = new Map<string, "success" | "failure" | "skipped">();
  const log: string[] = [];
  const changes = await run(stages("deploy"), { STACK: "", AGENT_PLATFORM_ACCESS_TOKEN: "" });
  ended.set("changes", changes.code === 0 ? "success" : "failure");
  const changed = JSON.parse(readFileSync(output, "utf8").replace("stacks=", "")) as string[];
  for (const [id, job] of Object.entries(jobs).slice(1)) {
    assert.ok(job.needs.every((need) => ended.has(need)));
    assert.equal(
      job.if,
      `\${{ !failure() && !cancelled() && contains(fromJSON(needs.changes.outputs.stacks), '${job.with.stack}') }}`,
    );
    const isStarted = job.needs.every((need) => ended.get(need) !== "failure") && changed.includes(job.with.stack);
    const code = isStarted ? (await run(stages("deploy-stack"), { STACK: job.with.stack })).code : undefined;
    const ran = code === 0 ? "success" : "failure";
    const end = code === undefined ? "skipped" : ran;
    ended.set(id, end);
    log.push(`${job.with.stack}: ${end}`);
  }
  return log;
}

describe("the pipelines of three stacks", function () {
  // Each has dozens of runs of the engine: alone they take two minutes, on a machine with other work ten.
  this.timeout(30 * 60_000);

  it("GitHub: one comment for all, a deployment for each that changes, in order, and none after one that failed", () =>
    pipeline({}, async (project, host) => {
      const { passes, emulator, commit } = project;
      const env = { ...github(host, project).preview, STACKS: STACKS.join(" "), STACK: "" };
      const preview = () => passes(stages("preview"), { ...env, FAIL_ON: "delete,replace,shift>25" });
      const digests = () =>
        [...(host.comments[0]?.body ?? "").matchAll(/reviewed-digest `(\w+)` `/g)].map(([, name]) => name);
      await emptyStacks(project);

      // From nothing to the first agents, and then to another percentage: every stack changes.
      for (const percent of [10, 30]) {
        await commit(program(percent), `${percent} %`);
        await preview();
        assert.equal(emulator.requests.length, 0);
        const [comment, ...others] = host.comments;
        assert.equal(others.length, 0);
        assert.equal(comment?.body, `<!-- agent-platform report test -->\n${project.read("report.md")}`);
        assert.deepEqual(digests(), [...STACKS]);
        assert.deepEqual(await deploy(project, host), ["dev: success", "canary: success", "prod: success"]);
        assert.deepEqual(
          liveIn(project),
          STACKS.map(() => percent),
        );
        assert.deepEqual(
          emulator.requests.map(({ number }) => number),
          NUMBERS,
        );
        emulator.clearRequests();
      }
      for (const number of NUMBERS) {
        assert.ok(
          project.read("board.html").includes(number),
          "the deployment of the last stack has made the page of all",
        );
      }

      // One stack changes: the comment is replaced, and no reviewer is asked about the others.
      await setPercent(project, "canary", 40, program(30));
      await preview();
      assert.equal(host.comments.length, 1);
      assert.deepEqual(digests().sort(), ["canary", "dev", "prod"]);
      assert.deepEqual(await deploy(project, host), ["dev: skipped", "canary: success", "prod: skipped"]);
      assert.deepEqual(liveIn(project), [30, 40, 30]);
      assert.equal(emulator.requests.length, 1);

      // A failure stops the stacks after it. The same deployment again finishes.
      for (const stack of STACKS) {
        await setPercent(project, stack, 50, program(30));
      }
      await preview();
      emulator.inject({ kind: "status", status: 400, number: numberOf("canary"), times: Number.POSITIVE_INFINITY });
      assert.deepEqual(await deploy(project, host), ["dev: success", "canary: failure", "prod: skipped"]);
      assert.deepEqual(liveIn(project), [50, 40, 30]);
      emulator.clearFaults();
      assert.deepEqual(await deploy(project, host), ["dev: skipped", "canary: success", "prod: success"]);
      assert.deepEqual(liveIn(project), [50, 50, 50]);
    }));

  it("the buttons name their stack, and the commit names the person", () =>
    pipeline({}, async (project, host) => {
      const { passes, git, emulator } = project;
      const env = {
        ...github(host, project).deploy,
        STACKS: STACKS.join(" "),
        GITHUB_ACTOR: "kim",
        GITHUB_ACTOR_ID: "7",
      };
      await threeStacks(project);
      await passes(stages("reassert"), { ...env, STACK: "canary", MARK: "run 1" });
      assert.deepEqual(
        emulator.requests.map(({ number }) => number),
        [numberOf("canary")],
      );
      const last = (format: string) => git("log", "-1", `--format=${format}`, "origin/main");
      assert.equal(await last("%an <%ae> %s"), "kim <7+kim@users.noreply.github.com> Send every routing again (run 1)");
      const history = await passes(["pulumi stack history --stack canary --json"]);
      assert.equal(JSON.parse(history)[0].environment["git.author"], "kim");

      await setPercent(project, "prod", 20, program(10));
      const bad = await git("rev-parse", "HEAD");
      await passes(["sh scripts/up.sh"], { ...env, STACK: "prod" });
      assert.deepEqual(liveIn(project), [10, 10, 20]);
      await passes(stages("rollback"), { ...env, STACK: "prod", COMMIT: bad });
      assert.deepEqual(liveIn(project), [10, 10, 10]);
      assert.equal(await last("%an"), "kim");
    }));

  it("promote opens one pull request for each stack that can go on, each with its own file, and none twice", () =>
    pipeline({}, async (project, host) => {
      const { passes, git, folder, emulator } = project;
      const env = { ...github(host, project).preview, STACKS: STACKS.join(" "), STACK: "all" };
      await rollouts(project, host, { dev: 2, canary: 2, prod: 3 });
      const file = join(folder, "Pulumi.prod.yaml");
      writeFileSync(file, `${readFileSync(file, "utf8")}      candidate: agent_front@13\n      percent: 1\n`);
      await git("commit", "--quiet", "--all", "--message", "prod: 1 %");
      await git("push", "--quiet", "origin", "HEAD:main");
      await passes(["sh scripts/up.sh"], { ...github(host, project).deploy, STACK: "prod" });
      emulator.clearRequests();

      const said = await passes(stages("promote"), env);
      assert.match(said, /^2 written, 1 with nothing to promote\.$/m);
      const branches = ["dev/front-agent_front@13-100", "prod/front-agent_front@13-10"].map(
        (name) => `promote/test/${name}`,
      );
      assert.deepEqual(
        host.opened.map(({ head, title }) => [head, title]),
        [
          [branches[0], "front in dev: agent_front@13 at 100 %"],
          [branches[1], "front in prod: agent_front@13 at 10 %"],
        ],
      );
      for (const [index, branch] of branches.entries()) {
        assert.equal(await git("rev-parse", `origin/${branch}^`), await git("rev-parse", "origin/main"));
        const stack = index === 0 ? "dev" : "prod";
        assert.equal(await git("show", "--name-only", "--format=", `origin/${branch}`), `Pulumi.${stack}.yaml`);
        const body = String(host.opened[index]?.body);
        assert.match(body, new RegExp(`^\`\`\`text\\nfront in ${stack}: agent_front@13 from `));
        assert.doesNotMatch(body, index === 0 ? /in prod/ : /in dev/);
      }
      const again = await passes(stages("promote"), env);
      assert.equal(again.match(/ has this already\./g)?.length, 2);
      assert.deepEqual([host.opened.length, emulator.requests.length], [2, 0]);
      assert.equal(await git("status", "--porcelain"), "");
    }));

  it("GitLab: a pipeline with a job for each stack that changes, one after the other", () =>
    pipeline({}, async (project, host) => {
      const { passes, commit, read } = project;
      const env = { ...gitlab(host, project).deploy, STACKS: STACKS.join(" "), STACK: "" };
      await threeStacks(project);
      const { changes } = parse(readFileSync(stagesOf("gitlab/.gitlab-ci.yml"), "utf8"));
      const made = async () => {
        await passes(changes.script, { ...env, ...changes.variables });
        return parse(read("deploy.gitlab-ci.yml"));
      };
      assert.deepEqual(await made(), {
        include: [{ local: ".gitlab/deploy-stack.yml" }],
        "no change": { script: ["echo No stack changes."] },
      });
      await commit(program(30), "30 %");
      await passes(["sh scripts/preview.sh", "node scripts/comment.mjs post report.md"], {
        ...gitlab(host, project).preview,
        STACKS: STACKS.join(" "),
      });
      const child = await made();
      const job = (stack: string, needs: readonly string[]) => ({
        extends: ".deploy",
        variables: { STACK: stack },
        environment: { name: `test-${stack}` },
        resource_group: `agent-platform-test-${stack}`,
        needs,
      });
      assert.deepEqual(child, {
        include: [{ local: ".gitlab/deploy-stack.yml" }],
        "deploy dev": job("dev", []),
        "deploy canary": job("canary", ["deploy dev"]),
        "deploy prod": job("prod", ["deploy canary"]),
      });
      const template = parse(readFileSync(stagesOf("gitlab/.gitlab/deploy-stack.yml"), "utf8"))[".deploy"];
      assert.equal(template.variables.STACKS, env.STACKS);
      for (const stack of STACKS) {
        await passes(template.script, { ...env, BRANCH: "main", STACK: stack });
      }
      assert.deepEqual(liveIn(project), [30, 30, 30]);
      assert.equal(host.comments.length, 1);
    }));
});
