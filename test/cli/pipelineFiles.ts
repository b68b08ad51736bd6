import { parse, parseAllDocuments } from "yaml";
import type { Files } from "../../cli/io";
import type { Pipelines } from "../../cli/start/pipelines";

/** The pipeline of a project as GitLab reads it: the inputs that the repository's file gives stand in the file that it includes. */
export function includedPipeline(files: Files): Readonly<Record<string, GitlabJob>> {
  const { include, ...own } = parse(files[".gitlab-ci.yml"] ?? "");
  const [{ local, inputs }] = include as readonly [Include];
  const [head, jobs] = parseAllDocuments(files[local] ?? "");
  const names = Object.keys(head?.toJS().spec.inputs);
  const filled = String(jobs).replace(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => {
    const value = inputs[name];
    if (value === undefined || !names.includes(name)) {
      throw new Error(`${local} has no input ${name}`);
    }
    return value;
  });
  return { ...parse(filled), ...own };
}

interface Include {
  readonly local: string;
  readonly inputs: Readonly<Record<string, string>>;
}

interface GitlabJob {
  readonly script?: readonly string[];
  readonly before_script?: readonly string[];
  readonly after_script?: readonly string[];
  readonly resource_group?: string;
}

/** What pipelines may be written for: one stack and several, at the top of a repository and below it, with names that are no ids. */
export const PIPELINE_SETS: Readonly<Record<string, Pipelines>> = {
  "one stack": { project: "phones", stacks: ["dev"], folder: "" },
  "three stacks below the repository's top": {
    project: "phones",
    stacks: ["dev", "canary", "prod"],
    folder: "phones",
  },
  "stacks whose names are no ids": { project: "p.1", stacks: ["2.0", "a.b", "a-b", "1e3", "dev"], folder: "" },
};
