import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { UsageError } from "../errors";
import type { Files } from "../io";
import { packageRoot } from "../package";

/** What pipelines are for. */
export interface Pipelines {
  /** The name of the project: two projects of one repository have comments, branches and environments of their own. */
  readonly project: string;
  /** The stacks, in the order in which they are deployed. */
  readonly stacks: readonly string[];
  /** The project's folder, from the top of its repository; empty if it is the top. */
  readonly folder: string;
}

const PIPELINE_HOSTS = ["github", "gitlab"];

/** The one file of GitLab that a repository may have already. */
const GITLAB_FILE = ".gitlab-ci.yml";

/**
 * The pipelines of these kinds, with their paths from the top of the repository.
 * @param wanted `all`, `none`, or names with commas, such as `github`
 */
export function pipelineFiles(wanted: string, of: Pipelines): Files {
  const given = wanted === "none" ? [] : wanted.split(",");
  const names = wanted === "all" ? PIPELINE_HOSTS : given;
  const unknown = names.filter((name) => !PIPELINE_HOSTS.includes(name));
  if (unknown.length > 0) {
    throw new UsageError(
      `--pipelines takes all, none or some of ${PIPELINE_HOSTS.join(", ")}; not "${unknown.join(", ")}".`,
    );
  }
  const copied = (name: string) => packageFiles(`examples/pipelines/${name}`);
  // The workflows of two projects lie in one folder.
  const ofHosts = names.flatMap((name) =>
    copied(name).map(([path, text]) => [path.replace("phones", of.project), filled(text, of)]),
  );
  const scripts = copied("scripts").map(([path, text]) => [
    [of.folder, "scripts", path].filter(Boolean).join("/"),
    text,
  ]);
  return Object.fromEntries(names.length === 0 ? [] : [...ofHosts, ...scripts]);
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

/** The project, its folder and its stacks are filled in. All else is copied as it is. */
const filled = (text: string, { project, folder, stacks }: Pipelines): string =>
  [
    ['name: "phones"', `name: ${JSON.stringify(project)}`],
    ['project: "phones"', `project: ${JSON.stringify(project)}`],
    ['"phones deploy', `"${project} deploy`],
    ['".phones deploy', `".${project} deploy`],
    ['paths: ["**"]', `paths: [${JSON.stringify(folder === "" ? "**" : `${folder}/**`)}]`],
    ['working-directory: "."', `working-directory: ${JSON.stringify(folder || ".")}`],
    ['folder: "."', `folder: ${JSON.stringify(folder || ".")}`],
    ['folder: ""', `folder: ${JSON.stringify(folder && `${folder}/`)}`],
    ['STACKS: "dev prod"', `STACKS: ${JSON.stringify(stacks.join(" "))}`],
    ['stacks: "dev prod"', `stacks: ${JSON.stringify(stacks.join(" "))}`],
    // A stack's name is quoted, because it may look like a number.
    ['options: ["dev", "prod"]', `options: [${stacks.map((name) => JSON.stringify(name)).join(", ")}]`],
  ].reduce((all, [line = "", own = ""]) => all.replaceAll(line, () => own), withDeployments(text, stacks));

/** The files have a deployment of the stack dev, and of prod, which waits for it. The one of prod is repeated for each later stack. */
function withDeployments(text: string, stacks: readonly string[]): string {
  const [head = "", first, ...later] = text.split(/^(?= {2}deploy-\d:$|"phones deploy \w+":$)/m);
  const [second = ""] = later;
  const jobs = stacks.map((stack, index) => {
    const before = Math.max(index, 1);
    const names: Readonly<Record<string, string>> = {
      '"dev"': JSON.stringify(stack),
      '"prod"': JSON.stringify(stack),
      "deploy-1": `deploy-${before}`,
      "deploy-2": `deploy-${index + 1}`,
      "deploy dev": `deploy ${stacks[before - 1]}`,
      "deploy prod": `deploy ${stack}`,
    };
    const job = index === 0 ? first : second;
    return job?.replace(/"dev"|"prod"|deploy-[12]|deploy (dev|prod)/g, (name) => names[name] ?? name);
  });
  return first === undefined ? text : [head, ...jobs].join("");
}

/** The pipelines of a project in this folder, with their paths from the folder, and what a person has to do beside them. */
export function pipelinesIn(folder: string, wanted: string, of: Omit<Pipelines, "folder">) {
  const top = topOf(folder) ?? folder;
  const below = relative(top, folder).split(sep).join("/");
  // Two projects of a repository share what is the same for all.
  const isThere = (file: string, text: string) => existsSync(file) && readFileSync(file, "utf8") === text;
  const files = Object.entries(pipelineFiles(wanted, { ...of, folder: below })).filter(
    ([path, text]) => !isThere(join(top, path), text),
  );
  const entry = files.find(([path]) => path === GITLAB_FILE && existsSync(join(top, path)));
  const fromFolder = (path: string) => relative(folder, join(top, path));
  return {
    files: Object.fromEntries(files.filter((one) => one !== entry).map(([path, text]) => [fromFolder(path), text])),
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
