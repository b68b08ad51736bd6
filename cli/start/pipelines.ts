import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { UsageError } from "../errors";
import { type Files, parentsOf } from "../files";
import { packageRoot } from "../package";
import { packageManagerOf } from "./packageManager";

/** The Pulumi project for which CI pipelines are written. */
export interface PipelineProject {
  /**
   * The project's name. It is part of the pipelines' comments, branches and environments, so that several projects can
   * share one repository.
   */
  readonly name: string;
  /** The stacks, in deployment order. */
  readonly stacks: readonly string[];
  /** The project's folder relative to the repository's root. Empty if the project is at the root. */
  readonly folder: string;
  /** The command that installs the project's packages in a CI job. */
  readonly install: string;
}

const PIPELINE_HOSTS = ["github", "gitlab"];

/** The file from which GitLab reads a repository's jobs. A repository with other jobs already has it. */
const GITLAB_FILE = ".gitlab-ci.yml";

/**
 * Returns the pipelines for the requested CI hosts, and the scripts that they run. The keys are paths relative to the
 * repository's root.
 * @param wanted `all`, `none`, or comma-separated hosts, such as `github`
 */
export function pipelineFiles(wanted: string, project: PipelineProject): Files {
  const listed = wanted === "none" ? [] : wanted.split(",");
  const hosts = wanted === "all" ? PIPELINE_HOSTS : listed;
  const unknown = hosts.filter((host) => !PIPELINE_HOSTS.includes(host));
  if (unknown.length > 0) {
    throw new UsageError(
      `--pipelines takes all, none, or a comma-separated list of ${PIPELINE_HOSTS.join(" and ")}; found "${unknown.join(", ")}".`,
    );
  }
  const filesIn = (folder: string) => packageFiles(`examples/pipelines/${folder}`);
  // The workflows of all projects in a repository share one folder, so the file `phones.yml` is renamed after the
  // project.
  const workflows = hosts.flatMap((host) =>
    filesIn(host).map(([path, text]) => [path.replace("phones", project.name), fill(text, host, project)]),
  );
  const scripts = filesIn("scripts").map(([path, text]) => [
    [project.folder, "scripts", path].filter(Boolean).join("/"),
    text,
  ]);
  return Object.fromEntries(hosts.length === 0 ? [] : [...workflows, ...scripts]);
}

/** Reads all files in a folder of this package and in its subfolders. Their paths are relative to that folder. */
export function packageFiles(folder: string): [path: string, text: string][] {
  const from = join(packageRoot(), folder);
  const files = readdirSync(from, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => {
    const file = join(entry.parentPath, entry.name);
    return [relative(from, file).replaceAll(sep, "/"), readFileSync(file, "utf8")];
  });
}

/**
 * Replaces each placeholder, such as `"@folder@"`, with the project's value. Strings stay quoted, because YAML would
 * read an unquoted project name such as `2024` as a number.
 */
function fill(text: string, host: string, { name, folder, stacks, install }: PipelineProject): string {
  const values: Readonly<Record<string, string>> = {
    project: JSON.stringify(name),
    folder: JSON.stringify(folder || "."),
    prefix: JSON.stringify(folder && `${folder}/`),
    paths: JSON.stringify(folder === "" ? "**" : `${folder}/**`),
    stacks: JSON.stringify(stacks.join(" ")),
    options: stacks.map((stack) => JSON.stringify(stack)).join(", "),
    last: stacks.at(-1) ?? "",
    default: JSON.stringify(stacks.at(-1) ?? ""),
    install: JSON.stringify(install),
    deployments: stacks
      .map((stack, index) =>
        host === "github" ? githubDeployment(stack, index, folder, install) : gitlabDeployment(name, stacks, index),
      )
      .join("\n"),
  };
  return text.replaceAll(
    /"@(\w+)@"|(?: *# )?@(\w+)@/g,
    (token, quoted?: string, plain?: string) => values[quoted ?? plain ?? ""] ?? token,
  );
}

/** Returns the GitHub job that deploys one stack. It waits for the job that deploys the previous stack. */
const githubDeployment = (
  stack: string,
  index: number,
  folder: string,
  install: string,
): string => `  deploy-${index + 1}:${index === 0 ? "" : `\n    needs: [deploy-${index}]`}
    if: \${{ !failure() && !cancelled() && (github.event_name == 'push' || inputs.operation == 'deploy') }}
    uses: ./.github/workflows/agent-platform-deploy.yml
    with:
      stack: ${JSON.stringify(stack)}
      folder: ${JSON.stringify(folder || ".")}
      install: ${JSON.stringify(install)}
    secrets: inherit`;

/**
 * Returns the GitLab job that deploys one stack after the previous one. The dependency is optional, because a manually
 * started pipeline may lack the previous stack's job.
 */
function gitlabDeployment(project: string, stacks: readonly string[], index: number): string {
  const jobOf = (stack: string | undefined) => JSON.stringify(`${project} deploy ${stack}`);
  const [stack, previous] = [stacks[index], stacks[index - 1]];
  return `${jobOf(stack)}:
  extends: ${JSON.stringify(`.${project} deploy`)}
  variables: { DEPLOY: ${JSON.stringify(stack)} }${previous === undefined ? "" : `\n  needs: [{ job: ${jobOf(previous)}, optional: true }]`}`;
}

/**
 * Returns the pipeline files to write, by path relative to the project's folder. An existing .gitlab-ci.yml stays
 * unchanged, and `note` says what to add to it.
 */
export function pipelinesIn(folder: string, wanted: string, project: Pick<PipelineProject, "name" | "stacks">) {
  const root = parentsOf(folder).find((path) => existsSync(join(path, ".git"))) ?? folder;
  const subfolder = relative(root, folder).split(sep).join("/");
  const { cleanInstall: install } = packageManagerOf(folder);
  // Skip a file that exists with the same content. Another project in this repository may have written it, because the
  // pipelines of all projects share some files.
  const isUnchanged = (file: string, text: string) => existsSync(file) && readFileSync(file, "utf8") === text;
  const files = Object.entries(pipelineFiles(wanted, { ...project, folder: subfolder, install })).filter(
    ([path, text]) => !isUnchanged(join(root, path), text),
  );
  const entry = files.find(([path]) => path === GITLAB_FILE && existsSync(join(root, path)));
  const fromFolder = (path: string) => relative(folder, join(root, path));
  return {
    files: Object.fromEntries(files.filter((file) => file !== entry).map(([path, text]) => [fromFolder(path), text])),
    note:
      entry === undefined
        ? ""
        : `\n${fromFolder(GITLAB_FILE)} already exists. Add this to it so that GitLab runs this project's pipeline:\n\n${entry[1].replace(/^#.*\n/, "")}`,
  };
}
