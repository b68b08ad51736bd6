import { basename, relative } from "node:path";
import { printable } from "../../provider/base/text";
import { parseBaseUrl } from "../../provider/config/settings";
import { CLI, type ValuesOf } from "../command";
import { UsageError } from "../errors";
import { type Files, writeNew } from "../files";
import type { Io } from "../io";
import { wrap } from "../layout";
import { present } from "../lists";
import { jsonText } from "../print";
import { projectFileIn } from "../pulumi/cli";
import { shellText } from "../shell";
import { packageManagerOf } from "./packageManager";
import { packageFiles, pipelinesIn } from "./pipelines";
import { packageSource } from "./source";

/** The values for a new project, which is a copy of templates/. They replace placeholders such as `${project}`. */
interface ProjectOptions {
  readonly name: string;
  /** The names of the stacks, in deployment order. */
  readonly stacks: readonly string[];
  readonly baseUrl: string;
  /** This package's version specifier in the new package.json, such as `file:../pulumi-agent-platform.tgz`. */
  readonly packageSource: string;
}

/** The address at which the emulator listens if it is started with a new project's `npm run emulator`. */
const EMULATOR_URL = "http://127.0.0.1:8080";

export const PROJECT_OPTIONS = {
  stack: {
    type: "string",
    multiple: true,
    value: "<name>",
    help: "a stack; repeat the option in deployment order; default dev",
  },
  "base-url": {
    type: "string",
    value: "<url>",
    help: `the platform's base URL; default the emulator's, ${EMULATOR_URL}`,
  },
  package: {
    type: "string",
    value: "<file>",
    help: "this package's npm tarball; default the one that this command was installed from",
  },
} as const;

/** Returns the files of a new project, except its pipelines. */
function projectFiles(options: ProjectOptions): Files {
  const { name: project, stacks } = options;
  return Object.fromEntries(
    packageFiles("templates").flatMap(([path, text]): [string, string][] => {
      switch (path) {
        case "Pulumi.stack.yaml":
          return stacks.map((stack, index) => [
            `Pulumi.${stack}.yaml`,
            fill(text, { project, ...valuesOf(options, index) }),
          ]);
        case "package.json":
          return [[path, manifestText(text, options)]];
        default:
          // Rename the template to `.gitignore`. It has another name in this package, because npm leaves `.gitignore`
          // files out.
          return [[path.replace(/^gitignore$/, ".gitignore"), fill(text, { project, stack: stacks.at(-1) ?? "" })]];
      }
    }),
  );
}

const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{(\w+)\}/g, (name, key: string) => values[key] ?? name);

/**
 * Returns the values for one stack's config. Stacks must not share numbers, and the rollout starts in the first one.
 * @param index the stack's position in deployment order
 */
function valuesOf({ baseUrl }: ProjectOptions, index: number): Readonly<Record<string, string>> {
  const first = 15_551_230_001 + 1000 * index;
  return {
    platform:
      baseUrl === EMULATOR_URL ? "This is the emulator, which `npm run emulator` starts." : "The platform's address.",
    baseUrl,
    number1: `+${first}`,
    number2: `+${first + 1}`,
    percent: index === 0 ? "10" : "0",
  };
}

function manifestText(text: string, { name, baseUrl, packageSource }: ProjectOptions): string {
  const { scripts, dependencies, ...content } = JSON.parse(text);
  const { emulator: _, ...others } = scripts;
  return jsonText({
    name,
    ...content,
    scripts: baseUrl === EMULATOR_URL ? scripts : others,
    dependencies: { ...dependencies, "pulumi-agent-platform": packageSource },
  });
}

/** Turns a folder's name into a project name that both Pulumi and npm accept. */
export function projectName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "");
  // The project's config keys start with its name. In a project named `agent-platform`, they would be taken for this
  // package's settings.
  return ["", "agent-platform"].includes(name) ? "agents" : name.slice(0, 100);
}

/** Checks the command's options and combines them with the name of the project's folder. */
export function readProjectOptions(
  values: Partial<ValuesOf<typeof PROJECT_OPTIONS>>,
  folder: string,
  { cwd }: Pick<Io, "cwd">,
): ProjectOptions {
  return {
    name: projectName(basename(folder)),
    stacks: readStackNames(values.stack),
    baseUrl: readBaseUrl(values["base-url"]),
    packageSource: packageSource(folder, { given: values.package, cwd }),
  };
}

function readStackNames(names: readonly string[] = ["dev"]): readonly string[] {
  const invalid = names.find((name) => !/^[A-Za-z0-9_.-]{1,100}$/.test(name));
  if (invalid !== undefined) {
    const rule = "A stack name consists of letters, digits, `-`, `_` and `.`";
    throw new UsageError(`${rule}; found "${printable(invalid)}".`);
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new UsageError(`--stack names "${repeated}" twice.`);
  }
  return names;
}

function readBaseUrl(text = EMULATOR_URL): string {
  const { url, problem } = parseBaseUrl(text);
  if (url === undefined) {
    throw new UsageError(`--base-url: ${problem}`);
  }
  return url;
}

/**
 * Writes all files of a new project, or none. Returns a summary with the commands to run next.
 * @param wanted the hosts to write pipelines for: `all`, `none`, or a comma-separated list
 */
export function writeProject(
  project: ProjectOptions,
  folder: string,
  wanted: string,
  { cwd }: Pick<Io, "cwd">,
): string {
  const existing = projectFileIn(folder);
  if (existing !== undefined) {
    throw new UsageError(`${basename(existing)} already exists. Nothing was written; choose another folder.`);
  }
  const pipelines = pipelinesIn(folder, wanted, project);
  const files = { ...projectFiles(project), ...pipelines.files };
  writeNew(folder, files);
  const path = relative(cwd, folder);
  const list = Object.keys(files).map((file) => `  ${file}\n`);
  const pipelinesNote = `To set up the pipelines, read this:\n${CLI} help pipelines\n`;
  return `Written to ${path === "" ? "this folder" : printable(path)}:

${list.join("")}${pipelines.note}
${nextCommands(project, path, folder)}${Object.keys(pipelines.files).length > 0 ? pipelinesNote : ""}`;
}

function nextCommands({ stacks, baseUrl }: ProjectOptions, path: string, folder: string): string {
  const first = stacks.length === 1 ? "" : ` --stack ${stacks[0]}`;
  const { name, install, lockFile, note } = packageManagerOf(folder);
  const isShared = lockFile.startsWith("../");
  const notes = present([
    note,
    isShared && `The lock file is ${lockFile}, so this project must be part of the workspace in that folder.`,
  ]).map((text) => `\n${wrap(text)}\n`);
  return `If you have no Pulumi account, you can keep the state on this machine. To do so,
run this first:

  pulumi login --local
  export PULUMI_CONFIG_PASSPHRASE="<your passphrase>"

Next:

  ${path === "" ? "" : `cd ${shellText(path)} && `}${install}
${stacks.map((stack) => `  pulumi stack init ${stack}\n`).join("")}${stacks.length === 1 ? "" : `  pulumi stack select ${stacks[0]}\n`}  pulumi preview${first}
${notes.join("")}
A preview sends nothing.${baseUrl === EMULATOR_URL ? ` To deploy to the emulator, run \`${name} run emulator\` in a\nsecond terminal, and then here:\n\n  AGENT_PLATFORM_ACCESS_TOKEN=local-token pulumi up${first}` : ""}

The first \`pulumi up\` overwrites the current routing of your numbers, and the
API cannot return the old routing afterwards. If your numbers already have
agents, read this first:
${CLI} help existing-numbers
`;
}
