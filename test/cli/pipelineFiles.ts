import { parse, parseAllDocuments } from "yaml";
import type { Files } from "../../cli/files";
import type { PipelineProject } from "../../cli/start/pipelines";

/** The pipeline of a project as GitLab reads it: with inputs filled in, and lists within a script flattened. */
export function includedPipeline(files: Files): Readonly<Record<string, GitlabJob>> {
  const { include, ...own } = parse(files[".gitlab-ci.yml"] ?? "");
  const [{ local, inputs }] = include as readonly [Include];
  const [head, jobs] = parseAllDocuments(files[local] ?? "");
  const known: Readonly<Record<string, { readonly default?: string } | null>> = head?.toJS().spec.inputs;
  const filled = String(jobs).replace(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => {
    const value = inputs[name] ?? known[name]?.default;
    if (value === undefined || !Object.hasOwn(known, name)) {
      throw new Error(`${local} has no input ${name}`);
    }
    return value;
  });
  const all: Readonly<Record<string, GitlabJob>> = { ...parse(filled), ...own };
  const flat = Object.entries(all).map(([name, job]) => {
    const scripts = Object.entries(job).filter(([key]) => key.endsWith("script"));
    return [name, { ...job, ...Object.fromEntries(scripts.map(([key, lines]) => [key, lines.flat()])) }];
  });
  return Object.fromEntries(flat);
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

/** A project like the README's. */
export const PHONES: PipelineProject = { name: "phones", stacks: ["dev", "prod"], folder: "", install: "npm ci" };

/** What pipelines may be written for: one stack and several, at the top of a repository and below it, with names that are no ids. */
export const PIPELINE_SETS: Readonly<Record<string, PipelineProject>> = {
  "one stack": { name: "phones", stacks: ["dev"], folder: "", install: "npm ci" },
  "three stacks in a subfolder": {
    name: "phones",
    stacks: ["dev", "canary", "prod"],
    folder: "phones",
    install: "npx --yes pnpm@10.4.1 install --frozen-lockfile",
  },
  "stack names that are not valid job IDs": {
    name: "p.1",
    stacks: ["2.0", "a.b", "a-b", "1e3", "dev"],
    folder: "",
    install: "npx --yes @yarnpkg/cli-dist@4 install --immutable",
  },
};
