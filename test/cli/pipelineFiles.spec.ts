import assert from "node:assert/strict";
import { parse } from "yaml";
import * as z from "zod";
import { type PipelineProject, pipelineFiles } from "../../cli/start/pipelines";
import { checkRows } from "../support/rows";
import { includedPipeline, PHONES, PROJECTS } from "./pipelineFiles";

/**
 * GitLab can validate a pipeline only on its server. This file therefore contains the part of GitLab's schema that our
 * pipelines use.
 */

const stringsSchema = z.array(z.string()).min(1);
const variablesSchema = z.record(z.string(), z.union([z.string(), z.number()]));
const ruleSchema = z.strictObject({
  if: z.string(),
  changes: stringsSchema.optional(),
  variables: variablesSchema.optional(),
});
const jobSchema = z.strictObject({
  extends: z.string().optional(),
  image: z.strictObject({ name: z.string(), entrypoint: z.array(z.string()) }).optional(),
  stage: z.enum(["build", "test", "deploy"]).optional(),
  rules: z.array(ruleSchema).min(1).optional(),
  needs: z.array(z.strictObject({ job: z.string(), optional: z.boolean() })).optional(),
  variables: variablesSchema.optional(),
  interruptible: z.boolean().optional(),
  resource_group: z.string().optional(),
  environment: z.strictObject({ name: z.string() }).optional(),
  before_script: stringsSchema.optional(),
  script: stringsSchema.optional(),
  after_script: stringsSchema.optional(),
  artifacts: z.strictObject({ when: z.enum(["always"]), paths: stringsSchema }).optional(),
});

type Job = z.infer<typeof jobSchema>;

/** Returns all jobs and templates by name, each merged with the template that it extends. */
function gitlabJobs(project: PipelineProject): ReadonlyMap<string, Job> {
  const definitions = includedPipeline(pipelineFiles("gitlab", project));
  const jobs = new Map<string, Job>();
  for (const [name, definition] of Object.entries(definitions)) {
    const job = jobSchema.parse(definition);
    const base = job.extends === undefined ? {} : jobs.get(job.extends);
    assert.ok(base, `${name} extends ${job.extends}, which must be defined before it`);
    jobs.set(name, { ...base, ...job, variables: { ...base.variables, ...job.variables } });
  }
  return jobs;
}

const githubWorkflow = (project: PipelineProject) =>
  parse(pipelineFiles("github", project)[`.github/workflows/${project.name}.yml`] ?? "");

/** The workflow that deploys one stack. The project's own workflow calls it. */
const DEPLOYMENT = ".github/workflows/agent-platform-deploy.yml";

describe("a GitLab pipeline from init", () => {
  it("defines jobs that match GitLab's schema", () =>
    checkRows(
      Object.entries(PROJECTS),
      ([name]) => name,
      ([, project]) => {
        const jobs = gitlabJobs(project);
        for (const [id, { needs = [], stage, script, rules }] of jobs) {
          assert.ok(id.startsWith(".") || (stage && script && rules), `${id} must have a stage, a script and rules`);
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
    const otherNames = namesOf("voices");
    assert.deepEqual(
      namesOf("phones").filter((name) => otherNames.includes(name)),
      [],
    );
  });
});

describe("a pipeline from init", () => {
  const stacks = ["dev", "canary", "prod"];

  it("deploys the stacks one after the other", () => {
    const jobs = gitlabJobs({ ...PHONES, stacks });
    const gitlab = stacks.map((stack) => {
      const { needs = [], variables = {} } = jobs.get(`phones deploy ${stack}`) ?? {};
      return [variables.DEPLOY, ...needs.map((need) => need.job)];
    });
    assert.deepEqual(gitlab, [["dev"], ["canary", "phones deploy dev"], ["prod", "phones deploy canary"]]);
    const workflow = githubWorkflow({ ...PHONES, stacks });
    const github = ["deploy-1", "deploy-2", "deploy-3"].map((id) => {
      const job = workflow.jobs[id];
      return [job.with.stack, ...(job.needs ?? [])];
    });
    assert.deepEqual(github, [["dev"], ["canary", "deploy-1"], ["prod", "deploy-2"]]);
  });

  it("aborts without waiting for reviewers", () => {
    const gitlab = gitlabJobs(PHONES);
    assert.equal(gitlab.get("phones abort")?.environment?.name, "phones-$STACK-abort");
    assert.equal(gitlab.get("phones deploy prod")?.environment?.name, "phones-$DEPLOY");
    const { abort } = githubWorkflow(PHONES).jobs;
    assert.equal(abort.environment, `$\{{ github.workflow }}-$\{{ inputs.stack }}-abort`);
    assert.equal(abort.needs, undefined);
    assert.equal(abort.concurrency, undefined);
  });

  it("runs the preview job whichever files a pull request changes", () => {
    const { on, jobs } = githubWorkflow({ ...PHONES, folder: "infra/phones" });
    assert.deepEqual(Object.keys(on.pull_request), ["types"]);
    const conditionalSteps = jobs.preview.steps.filter((step: { readonly if?: string }) =>
      step.if?.includes("outputs.changes"),
    );
    assert.equal(conditionalSteps.length, 2, "only the setup and the preview are skipped");
    const preview = gitlabJobs({ ...PHONES, folder: "infra/phones" }).get("phones preview");
    assert.deepEqual(preview?.rules, [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }]);
  });

  it("sets the number-removal and sends-sms labels in a merge queue", () => {
    const { steps } = githubWorkflow(PHONES).jobs.preview;
    const [{ env }] = steps.filter(({ run }: { readonly run?: string }) => run === "sh scripts/preview.sh");
    assert.match(env.LABELS, /== 'merge_group' && 'number-removal,sends-sms' \|\| join\(/);
  });

  it("allows GitHub jobs to request an OIDC token", () => {
    const { jobs, permissions } = githubWorkflow(PHONES);
    const jobPermissions = ["preview", "promote", "abort"].map((id) => jobs[id].permissions["id-token"]);
    assert.deepEqual([permissions["id-token"], ...jobPermissions], ["write", "write", "write", "write"]);
  });

  it("reads the promotion token only in the promote job", () => {
    const { jobs, ...shared } = githubWorkflow(PHONES);
    const parts = { ...jobs, shared, deployment: pipelineFiles("github", PHONES)[DEPLOYMENT] };
    const readers = Object.keys(parts).filter((id) => JSON.stringify(parts[id]).includes("secrets.PROMOTE_TOKEN"));
    assert.deepEqual(readers, ["promote"]);
    assert.equal(jobs.promote.environment, `$\{{ github.workflow }}-promote`);
  });

  it("installs dependencies with the project's package manager", () =>
    checkRows(
      Object.entries(PROJECTS),
      ([name]) => name,
      ([, project]) => {
        for (const [id, { script, before_script: before = [] }] of gitlabJobs(project)) {
          assert.ok(script === undefined || before.includes(project.install), id);
        }
        const workflow = pipelineFiles("github", project)[`.github/workflows/${project.name}.yml`] ?? "";
        const installs = [...workflow.matchAll(/folder: .*\n +install: (.*)/g)].map(([, command]) => command);
        const deployments = project.stacks.map(() => JSON.stringify(project.install));
        assert.equal(githubWorkflow(project).env.INSTALL, project.install);
        assert.deepEqual(installs, [...Array(3).fill(`$\{{ env.INSTALL }}`), ...deployments]);
      },
    ));

  it("uses every workflow_dispatch input", () => {
    const { on, jobs, env } = githubWorkflow(PHONES);
    const deployment = pipelineFiles("github", PHONES)[DEPLOYMENT] ?? "";
    const source = JSON.stringify([jobs, env]) + deployment.replaceAll("github.event.inputs", "inputs");
    assert.deepEqual(
      Object.keys(on.workflow_dispatch.inputs).filter((name) => !source.includes(`inputs.${name}`)),
      [],
    );
  });
});
