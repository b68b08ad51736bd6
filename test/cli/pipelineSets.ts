import type { Pipelines } from "../../cli/commands/init/pipelines";

/** What pipelines may be written for: one stack and several, at the top of a repository and below it, with names that are no ids. */
export const PIPELINE_SETS: Readonly<Record<string, Pipelines>> = {
  "three stacks below the top of their repository": {
    project: "phones",
    stacks: ["dev", "canary", "prod"],
    folder: "phones",
  },
  "stacks whose names are no ids": { project: "p.1", stacks: ["2.0", "a.b", "a-b", "1e3"], folder: "" },
};
