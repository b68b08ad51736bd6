import assert from "node:assert/strict";
import { parse } from "yaml";
import * as z from "zod";
import { gitlabPipeline } from "../../cli/commands/init/gitlabPipeline";
import { PIPELINE_SETS } from "./pipelineSets";

/** GitLab checks a pipeline on its server alone. So this has the part of its schema that the pipelines use, and what their names refer to. */

const texts = z.array(z.string()).min(1);
const variables = z.record(z.string(), z.union([z.string(), z.number()]));
const rule = z.strictObject({ if: z.string(), changes: texts.optional(), variables: variables.optional() });
const job = z.strictObject({
  extends: z.string().optional(),
  image: z.strictObject({ name: z.string(), entrypoint: z.array(z.string()) }).optional(),
  stage: z.string().optional(),
  rules: z.array(rule).min(1).optional(),
  needs: texts.optional(),
  variables: variables.optional(),
  interruptible: z.boolean().optional(),
  resource_group: z.string().optional(),
  environment: z.strictObject({ name: z.string() }).optional(),
  before_script: texts.optional(),
  script: texts.optional(),
  after_script: texts.optional(),
  artifacts: z.strictObject({ when: z.enum(["always"]).optional(), paths: texts }).optional(),
  trigger: z
    .strictObject({
      include: z.array(z.strictObject({ artifact: z.string(), job: z.string() })),
      strategy: z.enum(["depend"]),
      forward: z.strictObject({ pipeline_variables: z.boolean() }),
    })
    .optional(),
});

const isTemplate = (name: string) => name.startsWith(".");

function check(text: string): void {
  const { stages = [], include, ...jobs } = parse(text) as Record<string, unknown> & { readonly stages?: string[] };
  if (include !== undefined) {
    z.array(z.strictObject({ local: z.string() })).parse(include);
  }
  const all = Object.entries(jobs).map(([name, value]) => [name, job.parse(value)] as const);
  const names = all.map(([name]) => name);
  for (const [name, one] of all) {
    const refers = [one.extends, ...(one.needs ?? []), ...(one.trigger?.include.map((part) => part.job) ?? [])];
    for (const other of refers.filter((part) => part !== undefined)) {
      assert.ok(names.includes(other), `${name}: ${other}`);
    }
    if (!isTemplate(name)) {
      assert.ok(stages.includes(one.stage ?? all.find(([other]) => other === one.extends)?.[1].stage ?? ""), name);
      assert.notEqual(one.script === undefined, one.trigger === undefined, name);
      assert.ok(one.rules !== undefined, `${name} runs for every change`);
    }
  }
}

describe("the pipeline that init writes for GitLab", () => {
  for (const [name, of] of Object.entries(PIPELINE_SETS)) {
    it(`has jobs that are there, with keys that GitLab knows: ${name}`, () => {
      const files = gitlabPipeline(of);
      for (const text of Object.values(files)) {
        check(text);
      }
    });
  }

  it("shares no job, no template and no group with another project of its repository", () => {
    const jobs = (project: string) => {
      const text = gitlabPipeline({ project, stacks: ["dev", "prod"], folder: project })[`${project}/.gitlab-ci.yml`];
      const { stages: _, ...own } = parse(text ?? "") as Record<string, { readonly resource_group?: string }>;
      return [...Object.keys(own), ...Object.values(own).flatMap((one) => one.resource_group ?? [])];
    };
    assert.deepEqual(
      jobs("phones").filter((name) => jobs("voices").includes(name)),
      [],
    );
  });
});
