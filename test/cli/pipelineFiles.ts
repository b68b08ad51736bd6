import { parse, parseAllDocuments } from "yaml";
import type { Files } from "../../cli/files";
import type { PipelineProject } from "../../cli/start/pipelines";

/**
 * Returns the jobs that GitLab reads from a project's pipeline files, with the inputs of the included file filled in.
 */
export function includedPipeline(files: Files): Readonly<Record<string, GitlabJob>> {
  const { include, ...ownJobs } = parse(files[".gitlab-ci.yml"] ?? "");
  const [{ local, inputs }] = include as readonly [Include];
  const [header, template] = parseAllDocuments(files[local] ?? "");
  const declared: Readonly<Record<string, { readonly default?: string } | null>> = header?.toJS().spec.inputs;
  const filled = String(template).replace(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => {
    const value = inputs[name] ?? declared[name]?.default;
    if (value === undefined || !Object.hasOwn(declared, name)) {
      throw new Error(`${local} has no input ${name}`);
    }
    return value;
  });
  const jobs: Readonly<Record<string, GitlabJob>> = { ...parse(filled), ...ownJobs };
  // YAML anchors leave nested lists in scripts.
  const flattened = Object.entries(jobs).map(([name, job]) => {
    const scripts = Object.entries(job).filter(([key]) => key.endsWith("script"));
    return [name, { ...job, ...Object.fromEntries(scripts.map(([key, lines]) => [key, lines.flat()])) }];
  });
  return Object.fromEntries(flattened);
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

/** A project at the root of its repository, with two stacks. */
export const PHONES: PipelineProject = { name: "phones", stacks: ["dev", "prod"], folder: "", install: "npm ci" };

/** Projects with different stacks, folders and package managers. Tests generate a pipeline for each one. */
export const PROJECTS: Readonly<Record<string, PipelineProject>> = {
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
