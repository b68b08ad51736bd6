import { parse, parseAllDocuments } from "yaml";
import type { Files } from "../../cli/io";

/** The pipeline of a project as GitLab reads it: the inputs that the repository's file gives stand in the file that it includes. */
export function includedPipeline(files: Files): Readonly<Record<string, GitlabJob>> {
  const { include } = parse(files[".gitlab-ci.yml"] ?? "") as { readonly include: readonly Include[] };
  const [{ local, inputs } = { local: "", inputs: {} }] = include;
  const text = files[local] ?? "";
  const names = Object.keys(parseAllDocuments(text)[0]?.toJS().spec.inputs);
  const filled = text.replace(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => {
    const value = inputs[name];
    if (value === undefined || !names.includes(name)) {
      throw new Error(`${local} has no input ${name}`);
    }
    return value;
  });
  return parseAllDocuments(filled)[1]?.toJS();
}

interface Include {
  readonly local: string;
  readonly inputs: Readonly<Record<string, string>>;
}

export interface GitlabJob {
  readonly script?: readonly string[];
  readonly before_script?: readonly string[];
  readonly after_script?: readonly string[];
  readonly resource_group?: string;
}
