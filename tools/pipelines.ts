import { pipelineFiles } from "../cli/commands/init/pipelines";

/** The pipelines of examples/pipelines, as `init` writes them for a project with the name `phones`. A test holds them against the files. */

const EXAMPLES = { "": ["prod"], "stages/": ["dev", "canary", "prod"] };

export const pipelineExamples = (): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(EXAMPLES).flatMap(([place, stacks]) =>
      ["github", "gitlab"].flatMap((kind) =>
        Object.entries(pipelineFiles(kind, { project: "phones", stacks, folder: "" }))
          .filter(([path]) => !path.startsWith("scripts/"))
          .map(([path, text]) => [`examples/pipelines/${place}${kind}/${path}`, text] as const),
      ),
    ),
  );
