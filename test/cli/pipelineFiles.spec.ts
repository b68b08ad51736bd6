import assert from "node:assert/strict";
import { parse } from "yaml";
import * as z from "zod";
import { type PipelineProject, pipelineFiles } from "../../cli/start/pipelines";
import { checkRows } from "../support/rows";
import { includedPipeline, PHONES, PIPELINE_SETS } from "./pipelineFiles";

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
function gitlabJobs(of: PipelineProject): ReadonlyMap<string, Job> {
  const all = includedPipeline(pipelineFiles("gitlab", of));
  const jobs = new Map<string, Job>();
  for (const [name, text] of Object.entries(all)) {
    const own = job.parse(text);
    const base = own.extends === undefined ? {} : jobs.get(own.extends);
    assert.ok(base, `${name} extends ${own.extends}, which comes before it`);
    jobs.set(name, { ...base, ...own, variables: { ...base.variables, ...own.variables } });
  }
  return jobs;
}

const githubJobs = (of: PipelineProject) =>
  parse(pipelineFiles("github", of)[`.github/workflows/${of.name}.yml`] ?? "");

describe("a GitLab pipeline from init", () => {
  it("defines jobs that match GitLab's schema", () =>
    checkRows(
      Object.entries(PIPELINE_SETS),
      ([name]) => name,
      ([, of]) => {
        const jobs = gitlabJobs(of);
        for (const [id, { needs = [], stage, script, rules }] of jobs) {
          assert.ok(id.startsWith(".") || (stage && script && rules), `${id} has a stage, a script and rules`);
          const missing = needs.filter((need) => !jobs.has(need.job));
          assert.deepEqual(missing, [], id);
        }
      },
    ));

  it("does not share job or resource group names with other projects", () => {
    const namesOf = (name: string) => {
      const jobs = [...gitlabJobs({ ...PHONES, name, folder: name })];
      return jobs.flatMap(([job, { resource_group: group = job }]) => [job, group]);
    };
    const others = namesOf("voices");
    assert.deepEqual(
      namesOf("phones").filter((name) => others.includes(name)),
      [],
    );
  });
});

describe("a pipeline from init", () => {
  const stacks = ["dev", "canary", "prod"];

  it("deploys the stacks one after the other", () => {
    const jobs = gitlabJobs({ ...PHONES, stacks });
    const gitlab = stacks.map((stack) => {
      const { needs = [], variables: own = {} } = jobs.get(`phones deploy ${stack}`) ?? {};
      return [own.DEPLOY, ...needs.map((need) => need.job)];
    });
    assert.deepEqual(gitlab, [["dev"], ["canary", "phones deploy dev"], ["prod", "phones deploy canary"]]);
    const { jobs: all } = githubJobs({ ...PHONES, stacks });
    const github = ["deploy-1", "deploy-2", "deploy-3"].map((id) => [all[id].with.stack, ...(all[id].needs ?? [])]);
    assert.deepEqual(github, [["dev"], ["canary", "deploy-1"], ["prod", "deploy-2"]]);
  });

  it("aborts without waiting for reviewers or deployments", () => {
    const gitlab = gitlabJobs(PHONES);
    assert.equal(gitlab.get("phones abort")?.environment?.name, "phones-$STACK-abort");
    assert.equal(gitlab.get("phones deploy prod")?.environment?.name, "phones-$DEPLOY");
    const { abort } = githubJobs(PHONES).jobs;
    assert.equal(abort.environment, `$\{{ github.workflow }}-$\{{ inputs.stack }}-abort`);
    assert.equal(abort.needs, undefined);
    assert.equal(abort.concurrency, undefined);
  });

  it("runs the preview job on every pull request", () => {
    const { on, jobs } = githubJobs({ ...PHONES, folder: "infra/phones" });
    assert.deepEqual(Object.keys(on.pull_request), ["types"]);
    const skipped = jobs.preview.steps.filter((step: { readonly if?: string }) => step.if?.includes("outputs.changes"));
    assert.equal(skipped.length, 2, "the set-up and the preview");
    const preview = gitlabJobs({ ...PHONES, folder: "infra/phones" }).get("phones preview");
    assert.deepEqual(preview?.rules, [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }]);
  });

  it("sets the number-removal and sends-sms labels in a merge queue", () => {
    const { steps } = githubJobs(PHONES).jobs.preview;
    const [{ env }] = steps.filter(({ run }: { readonly run?: string }) => run === "sh scripts/preview.sh");
    assert.match(env.LABELS, /== 'merge_group' && 'number-removal,sends-sms' \|\| join\(/);
  });

  it("allows jobs to request an OIDC token", () => {
    const { jobs, permissions } = githubJobs(PHONES);
    const own = ["preview", "promote", "abort"].map((id) => jobs[id].permissions["id-token"]);
    assert.deepEqual([permissions["id-token"], ...own], ["write", "write", "write", "write"]);
  });

  it("passes the promotion token only to the promote job", () => {
    const { jobs } = githubJobs(PHONES);
    const reading = Object.keys(jobs).filter((id) => JSON.stringify(jobs[id]).includes("secrets.PROMOTE_TOKEN"));
    assert.deepEqual(reading, ["promote"]);
    assert.equal(jobs.promote.environment, `$\{{ github.workflow }}-promote`);
  });

  it("installs dependencies with the project's package manager", () =>
    checkRows(
      Object.entries(PIPELINE_SETS),
      ([name]) => name,
      ([, of]) => {
        for (const [id, { script, before_script: before = [] }] of gitlabJobs(of)) {
          assert.ok(script === undefined || before.includes(of.install), id);
        }
        const files = pipelineFiles("github", of);
        const uses = /folder: .*\n +install: (.*)/g;
        const installs = [...(files[`.github/workflows/${of.name}.yml`] ?? "").matchAll(uses)].map(([, text]) => text);
        const deployments = of.stacks.map(() => JSON.stringify(of.install));
        assert.deepEqual(installs, [...Array(3).fill(`$\{{ env.INSTALL }}`), ...deployments]);
      },
    ));

  it("uses every workflow_dispatch input", () => {
    const { on, jobs, env } = githubJobs(PHONES);
    const deployment = pipelineFiles("github", PHONES)[".github/workflows/agent-platform-deploy.yml"] ?? "";
    const read = JSON.stringify([jobs, env]) + deployment.replaceAll("github.event.inputs", "inputs");
    assert.deepEqual(
      Object.keys(on.workflow_dispatch.inputs).filter((name) => !read.includes(`inputs.${name}`)),
      [],
    );
  });
});
