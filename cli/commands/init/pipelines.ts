import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { UsageError } from "../../errors";
import { exists, type Files } from "../../io";
import { packageRoot } from "../../links";
import { githubWorkflows } from "./githubWorkflows";
import { gitlabPipeline } from "./gitlabPipeline";
import type { Pipelines } from "./pipelineOptions";

const KINDS: Readonly<Record<string, (of: Pipelines) => Files>> = { github: githubWorkflows, gitlab: gitlabPipeline };

/** The folder of the package with the scripts that every kind runs. */
const FOLDER = "examples/pipelines";
const SCRIPTS = "scripts";

/** The page that says what to set up for them. */
export const PIPELINES_README = `node_modules/pulumi-agent-platform/${FOLDER}/README.md`;

function namesIn(wanted: string): readonly string[] {
  if (wanted === "all") {
    return Object.keys(KINDS);
  }
  return wanted === "none" ? [] : wanted.split(",");
}

/**
 * The pipelines of these kinds, with their paths from the top of the repository.
 * @param wanted `all`, `none`, or names with commas, such as `github`
 */
export function pipelineFiles(wanted: string, of: Pipelines): Files {
  const names = namesIn(wanted);
  const unknown = names.filter((name) => !Object.hasOwn(KINDS, name));
  if (unknown.length > 0) {
    throw new UsageError(
      `--pipelines takes all, none or some of ${Object.keys(KINDS).join(", ")}; not "${unknown.join(", ")}".`,
    );
  }
  if (names.length === 0) {
    return {};
  }
  return Object.assign({}, ...names.map((name) => KINDS[name]?.(of)), scriptsIn(of.folder)) as Files;
}

/** The pipelines of a project in this folder, with their paths from the folder, and what a person has to do beside them. */
export function pipelinesIn(folder: string, wanted: string, of: Omit<Pipelines, "folder">) {
  const top = topOf(folder) ?? folder;
  const below = relative(top, folder).split(sep).join("/");
  const files = pipelineFiles(wanted, { ...of, folder: below });
  const paths = Object.entries(files).map(([path, text]) => [relative(folder, join(top, path)), text] as const);
  // GitLab reads one file of a repository. If there is one, its owner has to add the line.
  const include =
    below === "" ? undefined : paths.find(([path, text]) => exists(join(folder, path)) && text.startsWith("include:"));
  const note =
    include === undefined
      ? ""
      : `\n${include[0]} exists already. Add this to it, so that GitLab reads the pipeline of this project:\n\n${include[1]}`;
  return { files: Object.fromEntries(paths.filter((one) => one !== include)), note };
}

/** The top of the git repository that the folder is in. */
function topOf(folder: string): string | undefined {
  const above = dirname(folder);
  if (exists(join(folder, ".git"))) {
    return folder;
  }
  return above === folder ? undefined : topOf(above);
}

function scriptsIn(folder: string): Files {
  const from = join(packageRoot(), FOLDER, SCRIPTS);
  return Object.fromEntries(
    readdirSync(from).map((name) => [
      [folder, SCRIPTS, name].filter(Boolean).join("/"),
      readFileSync(join(from, name), "utf8"),
    ]),
  );
}
