import assert from "node:assert/strict";
import * as z from "zod";
import { pipelineFiles } from "../../cli/init/pipelines";
import { includedPipeline, PIPELINE_SETS } from "./pipelineFiles";

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

/** The stages that GitLab has without being told. */
const STAGES = ["build", "test", "deploy"];

function check(jobs: Readonly<Record<string, unknown>>): void {
  const all = Object.entries(jobs).map(([name, value]) => [name, job.parse(value)] as const);
  const names = all.map(([name]) => name);
  for (const [name, one] of all) {
    const refers = [one.extends, ...(one.needs ?? []), ...(one.trigger?.include.map((part) => part.job) ?? [])];
    for (const other of refers.filter((part) => part !== undefined)) {
      assert.ok(names.includes(other), `${name}: ${other}`);
    }
    if (!isTemplate(name)) {
      assert.ok(STAGES.includes(one.stage ?? ""), name);
      assert.notEqual(one.script === undefined, one.trigger === undefined, name);
      assert.ok(one.rules !== undefined, `${name} runs for every change`);
    }
  }
}

describe("the pipeline that init writes for GitLab", () => {
  for (const [name, of] of Object.entries(PIPELINE_SETS)) {
    it(`has jobs that are there, with keys that GitLab knows: ${name}`, () =>
      check(includedPipeline(pipelineFiles("gitlab", of))));
  }

  it("lets a merge request remove numbers by the label number-removal alone, and by no label that has it in its name", () => {
    const all = includedPipeline(pipelineFiles("gitlab", { project: "phones", stacks: ["dev"], folder: "" }));
    const [lifted] = job.parse(all["phones preview"]).rules ?? [];
    const [, pattern = ""] = /CI_MERGE_REQUEST_LABELS =~ \/(.*)\/$/.exec(lifted?.if ?? "") ?? [];
    const lifts = (labels: string) => new RegExp(pattern).test(labels);
    for (const labels of ["number-removal", "bug,number-removal", "number-removal,bug", "a,number-removal,b"]) {
      assert.ok(lifts(labels), labels);
    }
    for (const labels of [
      "",
      "no-number-removal",
      "number-removal-no",
      "scope::number-removal",
      "a,no number-removal",
    ]) {
      assert.ok(!lifts(labels), labels);
    }
  });

  it("shares no job, no template and no group with another project of its repository", () => {
    const jobs = (project: string) => {
      const own = includedPipeline(pipelineFiles("gitlab", { project, stacks: ["dev", "prod"], folder: project }));
      return [...Object.keys(own), ...Object.values(own).flatMap((one) => one.resource_group ?? [])];
    };
    assert.deepEqual(
      jobs("phones").filter((name) => jobs("voices").includes(name)),
      [],
    );
  });
});
