import assert from "node:assert/strict";
import { runInNewContext } from "node:vm";
import { parse } from "yaml";
import * as z from "zod";
import { type Pipelines, pipelineFiles } from "../../cli/start/pipelines";
import { includedPipeline, PIPELINE_SETS } from "./pipelineFiles";

/** GitLab checks a pipeline on its server alone. So this has the part of its schema that the pipelines use, and what their names refer to. */

const texts = z.array(z.string()).min(1);
const variables = z.record(z.string(), z.union([z.string(), z.number()]));
const rule = z.strictObject({ if: z.string(), changes: texts.optional(), variables: variables.optional() });
const job = z.strictObject({
  extends: z.string().optional(),
  image: z.strictObject({ name: z.string(), entrypoint: z.array(z.string()) }).optional(),
  stage: z.enum(["build", "test", "deploy"]).optional(),
  rules: z.array(rule).min(1).optional(),
  needs: z.array(z.strictObject({ job: z.string(), optional: z.boolean() })).optional(),
  variables: variables.optional(),
  interruptible: z.boolean().optional(),
  resource_group: z.string().optional(),
  environment: z.strictObject({ name: z.string() }).optional(),
  before_script: texts.optional(),
  script: texts.optional(),
  after_script: texts.optional(),
  artifacts: z.strictObject({ when: z.enum(["always"]), paths: texts }).optional(),
});

type Job = z.infer<typeof job>;

/** The jobs and their templates by name, each with what it takes from the one that it extends. */
function gitlabJobs(of: Pipelines): ReadonlyMap<string, Job> {
  const own = includedPipeline(pipelineFiles("gitlab", of));
  const jobs = new Map<string, Job>();
  for (const [name, text] of Object.entries(own)) {
    const one = job.parse(text);
    const base = one.extends === undefined ? {} : jobs.get(one.extends);
    assert.ok(base, `${name} extends ${one.extends}, which comes before it`);
    jobs.set(name, { ...base, ...one, variables: { ...base.variables, ...one.variables } });
  }
  return jobs;
}

const githubJobs = (of: Pipelines) => parse(pipelineFiles("github", of)[`.github/workflows/${of.project}.yml`] ?? "");

const two = { project: "phones", stacks: ["dev", "prod"], folder: "" };

describe("the pipeline that init writes for GitLab", () => {
  for (const [name, of] of Object.entries(PIPELINE_SETS)) {
    it(`has jobs that GitLab knows: ${name}`, () => {
      const jobs = gitlabJobs(of);
      for (const [id, { needs = [], stage, script, rules }] of jobs) {
        assert.ok(id.startsWith(".") || (stage && script && rules), id);
        assert.ok(
          needs.every((one) => jobs.has(one.job)),
          id,
        );
      }
    });
  }

  it("shares no job, template or group with another project of its repository", () => {
    const namesOf = (project: string) => {
      const jobs = [...gitlabJobs({ ...two, project, folder: project })];
      return jobs.flatMap(([name, one]) => [name, one.resource_group ?? name]);
    };
    const others = namesOf("voices");
    assert.deepEqual(
      namesOf("phones").filter((name) => others.includes(name)),
      [],
    );
  });
});

/** What the gates of a pull request block, by its labels. */
const BLOCKED_BY_LABELS: readonly (readonly [labels: readonly string[], failOn: string])[] = [
  [[], "delete,replace,shift=25,sms"],
  [["number-removal"], "shift=25,sms"],
  [["sends-sms"], "delete,replace,shift=25"],
  [["bug", "number-removal"], "shift=25,sms"],
  [["a", "sends-sms", "b"], "delete,replace,shift=25"],
  [["sends-sms", "bug", "number-removal"], "shift=25"],
  [["no-number-removal"], "delete,replace,shift=25,sms"],
  [["number-removal-no", "sends-sms-no"], "delete,replace,shift=25,sms"],
  [["scope::number-removal", "no sends-sms"], "delete,replace,shift=25,sms"],
];

describe("the gates of a pull request", () => {
  const conditions = (failOn = "") => failOn.split(",").sort();
  for (const [labels, failOn] of BLOCKED_BY_LABELS) {
    it(`with the labels [${labels.join(", ")}] are ${failOn}`, () => {
      assert.deepEqual(conditions(gitlabGates(labels)), conditions(failOn), "GitLab");
      assert.deepEqual(conditions(githubGates("pull_request", labels)), conditions(failOn), "GitHub");
    });
  }

  it("of a merge queue, which has no labels, are shift=25 alone", () =>
    assert.equal(githubGates("merge_group", []), "shift=25"));
});

/** GitLab takes the first rule that fits. */
function gitlabGates(labels: readonly string[]): string {
  const rules = gitlabJobs(two).get("phones preview")?.rules ?? [];
  const fits = (condition: string) =>
    [...condition.matchAll(/CI_MERGE_REQUEST_LABELS =~ \/(.*?)\/(?= |$)/g)].every(([, pattern = ""]) =>
      new RegExp(pattern).test(labels.join(",")),
    );
  return String(rules.find((rule) => fits(rule.if))?.variables?.FAIL_ON);
}

/** What GitHub makes of its expression, whose functions are JavaScript's under other names. */
function githubGates(event: string, labels: readonly string[]): string {
  const steps: { env?: { FAIL_ON?: string } }[] = githubJobs(two).jobs.preview.steps;
  const [, expression = ""] = /^\$\{\{(.*)\}\}$/.exec(steps.find(({ env }) => env?.FAIL_ON)?.env?.FAIL_ON ?? "") ?? [];
  const script = expression
    .replaceAll("github.event.pull_request.labels.*.name", "labels")
    .replaceAll("github.event_name", "event");
  const format = (text: string, ...items: string[]) => text.replace(/\{(\d)\}/g, (_, index) => items[index] ?? "");
  const contains = (items: readonly string[], item: string) => items.includes(item);
  return runInNewContext(script, { labels, event, format, contains });
}

describe("the jobs of both hosts", () => {
  const stacks = ["dev", "canary", "prod"];

  it("deploy the stacks in their order, each behind the one before it", () => {
    const jobs = gitlabJobs({ ...two, stacks });
    const gitlab = stacks.map((stack) => {
      const { needs = [], variables: own = {} } = jobs.get(`phones deploy ${stack}`) ?? {};
      return [own.DEPLOY, ...needs.map((one) => one.job)];
    });
    assert.deepEqual(gitlab, [["dev"], ["canary", "phones deploy dev"], ["prod", "phones deploy canary"]]);
    const { jobs: all } = githubJobs({ ...two, stacks });
    const github = ["deploy-1", "deploy-2", "deploy-3"].map((id) => [all[id].with.stack, ...(all[id].needs ?? [])]);
    assert.deepEqual(github, [["dev"], ["canary", "deploy-1"], ["prod", "deploy-2"]]);
  });

  it("let an abort wait for no reviewer and no deployment", () => {
    const gitlab = gitlabJobs(two);
    assert.equal(gitlab.get("phones abort")?.environment?.name, "phones-$STACK-abort");
    assert.equal(gitlab.get("phones deploy prod")?.environment?.name, "phones-$DEPLOY");
    const { abort } = githubJobs(two).jobs;
    assert.equal(abort.environment, `$\{{ github.workflow }}-$\{{ inputs.stack }}-abort`);
    assert.deepEqual([abort.needs, abort.concurrency], [undefined, undefined]);
  });

  it("hand on all that GitHub's form asks for", () => {
    const { on, jobs, env } = githubJobs(two);
    const deployment = pipelineFiles("github", two)[".github/workflows/agent-platform-deploy.yml"] ?? "";
    const read = JSON.stringify([jobs, env]) + deployment.replaceAll("github.event.inputs", "inputs");
    assert.deepEqual(
      Object.keys(on.workflow_dispatch.inputs).filter((name) => !read.includes(`inputs.${name}`)),
      [],
    );
  });
});
