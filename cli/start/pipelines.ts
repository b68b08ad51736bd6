import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { UsageError } from "../errors";
import type { Files } from "../io";
import { packageRoot } from "../package";
import { packageManagerOf } from "./packageManager";

/** The project that pipelines are written for. */
export interface PipelineProject {
  /** The project's name. Comments, branches and environments carry it, so that one repository can have several projects. */
  readonly name: string;
  /** The stacks, in the order of deployment. */
  readonly stacks: readonly string[];
  /** The project's folder, from the top of its repository; empty if it is the top. */
  readonly folder: string;
  /** The command with which a job installs the project's packages. */
  readonly install: string;
}

const PIPELINE_HOSTS = ["github", "gitlab"];

/** The one file of GitLab that a repository may have already. */
const GITLAB_FILE = ".gitlab-ci.yml";

/**
 * The pipelines of these kinds, with their paths from the top of the repository.
 * @param wanted `all`, `none`, or names with commas, such as `github`
 */
export function pipelineFiles(wanted: string, project: PipelineProject): Files {
  const listed = wanted === "none" ? [] : wanted.split(",");
  const hosts = wanted === "all" ? PIPELINE_HOSTS : listed;
  const unknown = hosts.filter((host) => !PIPELINE_HOSTS.includes(host));
  if (unknown.length > 0) {
    throw new UsageError(
      `--pipelines takes all, none or some of ${PIPELINE_HOSTS.join(", ")}; not "${unknown.join(", ")}".`,
    );
  }
  const filesIn = (folder: string) => packageFiles(`examples/pipelines/${folder}`);
  // The workflows of two projects lie in one folder.
  const workflows = hosts.flatMap((host) =>
    filesIn(host).map(([path, text]) => [path.replace("phones", project.name), filled(text, host, project)]),
  );
  const scripts = filesIn("scripts").map(([path, text]) => [
    [project.folder, "scripts", path].filter(Boolean).join("/"),
    text,
  ]);
  return Object.fromEntries(hosts.length === 0 ? [] : [...workflows, ...scripts]);
}

/** The files below a folder of the package, with their paths from there. */
export function packageFiles(folder: string): [path: string, text: string][] {
  const from = join(packageRoot(), folder);
  const files = readdirSync(from, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => {
    const file = join(entry.parentPath, entry.name);
    return [relative(from, file).replaceAll(sep, "/"), readFileSync(file, "utf8")];
  });
}

/** The text with the project's own values in place of each `@name@`. They stay in quotes, because a name may look like a number. */
function filled(text: string, host: string, { name, folder, stacks, install }: PipelineProject): string {
  const values: Readonly<Record<string, string>> = {
    project: JSON.stringify(name),
    folder: JSON.stringify(folder || "."),
    prefix: JSON.stringify(folder && `${folder}/`),
    paths: JSON.stringify(folder === "" ? "**" : `${folder}/**`),
    stacks: JSON.stringify(stacks.join(" ")),
    options: stacks.map((stack) => JSON.stringify(stack)).join(", "),
    last: stacks.at(-1) ?? "",
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

/** The deployment of a stack, which waits for that of the stack before it. */
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

/** The same on GitLab, where the stack before may have no job in a pipeline that was started manually. */
function gitlabDeployment(project: string, stacks: readonly string[], index: number): string {
  const jobOf = (stack: string | undefined) => JSON.stringify(`${project} deploy ${stack}`);
  const [stack, before] = [stacks[index], stacks[index - 1]];
  return `${jobOf(stack)}:
  extends: ${JSON.stringify(`.${project} deploy`)}
  variables: { DEPLOY: ${JSON.stringify(stack)} }${before === undefined ? "" : `\n  needs: [{ job: ${jobOf(before)}, optional: true }]`}`;
}

/** The pipelines of a project in this folder, with their paths from the folder, and a note on what a person has to add. */
export function pipelinesIn(folder: string, wanted: string, project: Pick<PipelineProject, "name" | "stacks">) {
  const top = topOf(folder) ?? folder;
  const below = relative(top, folder).split(sep).join("/");
  const { cleanInstall: install } = packageManagerOf(folder);
  // Two projects of a repository share what is the same for all.
  const isThere = (file: string, text: string) => existsSync(file) && readFileSync(file, "utf8") === text;
  const files = Object.entries(pipelineFiles(wanted, { ...project, folder: below, install })).filter(
    ([path, text]) => !isThere(join(top, path), text),
  );
  const entry = files.find(([path]) => path === GITLAB_FILE && existsSync(join(top, path)));
  const fromFolder = (path: string) => relative(folder, join(top, path));
  return {
    files: Object.fromEntries(files.filter((file) => file !== entry).map(([path, text]) => [fromFolder(path), text])),
    note:
      entry === undefined
        ? ""
        : `\n${fromFolder(GITLAB_FILE)} exists already. Add this to it, so that GitLab reads the pipeline of this project:\n\n${entry[1].replace(/^#.*\n/, "")}`,
  };
}

/** The top of the git repository that the folder is in. */
function topOf(folder: string): string | undefined {
  const above = dirname(folder);
  if (existsSync(join(folder, ".git"))) {
    return folder;
  }
  return above === folder ? undefined : topOf(above);
}
