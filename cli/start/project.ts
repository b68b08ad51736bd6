import { basename, relative } from "node:path";
import { printable } from "../../provider/base/text";
import { parseBaseUrl } from "../../provider/config/settings";
import { CALLED, type ValuesOf } from "../command";
import { UsageError } from "../errors";
import { type Files, type Io, jsonText, shellText, wrapped, writeNew } from "../io";
import { present } from "../lists";
import { projectFileIn } from "../pulumi/cli";
import { packageManagerOf } from "./packageManager";
import { packageFiles, pipelinesIn } from "./pipelines";
import { packageSource } from "./source";

/** A new project is a copy of templates/, in which names such as `${project}` have their values. */
interface ProjectOptions {
  readonly name: string;
  /** In the order in which a change is deployed. */
  readonly stacks: readonly string[];
  readonly baseUrl: string;
  /** Where a package manager gets this package from. */
  readonly packageSource: string;
}

/** The script `emulator` of the templates. */
const EMULATOR_URL = "http://127.0.0.1:8080";

export const PROJECT_OPTIONS = {
  stack: {
    type: "string",
    multiple: true,
    value: "<name>",
    help: "a stack, repeatable, in the order of deployment; default dev",
  },
  "base-url": {
    type: "string",
    value: "<url>",
    help: `the platform's base URL; default the emulator's, ${EMULATOR_URL}`,
  },
  package: {
    type: "string",
    value: "<file>",
    help: "the packed file of this package; default the one that this command was installed from",
  },
} as const;

/** A project without its pipelines. */
function projectFiles(options: ProjectOptions): Files {
  const { name: project, stacks } = options;
  return Object.fromEntries(
    packageFiles("templates").flatMap(([path, text]): [string, string][] => {
      switch (path) {
        case "Pulumi.stack.yaml":
          return stacks.map((stack, index) => [
            `Pulumi.${stack}.yaml`,
            filled(text, { project, ...valuesOf(options, index) }),
          ]);
        case "package.json":
          return [[path, manifestText(text, options)]];
        default:
          // npm packs no file named `.gitignore`.
          return [[path.replace(/^gitignore$/, ".gitignore"), filled(text, { project, stack: stacks.at(-1) ?? "" })]];
      }
    }),
  );
}

const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{(\w+)\}/g, (name, key: string) => values[key] ?? name);

/** Each stack has numbers of its own, and only the first one starts its rollout. @param index the stack's place */
function valuesOf({ baseUrl }: ProjectOptions, index: number): Readonly<Record<string, string>> {
  const first = 15_551_230_001 + 1000 * index;
  return {
    platform:
      baseUrl === EMULATOR_URL ? "This is the emulator: `npm run emulator` starts it." : "The platform's address.",
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

/** The folder's name as a name that Pulumi and npm accept. The config keys of a project named agent-platform would be taken for settings. */
export function projectName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return ["", "agent-platform"].includes(name) ? "agents" : name.slice(0, 100);
}

/** The options of a project, from the command line and from the name of the folder. */
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
    const rule = "A stack has a name of letters, digits, `-`, `_` and `.`";
    throw new UsageError(`${rule}; found "${printable(invalid)}".`);
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new UsageError(`--stack cannot have "${repeated}" twice.`);
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
 * Writes all of a project or nothing. Returns what was written, and what to type next.
 * @param wanted the pipelines: `all`, `none`, or names with commas
 */
export function writeProject(
  project: ProjectOptions,
  folder: string,
  wanted: string,
  { cwd }: Pick<Io, "cwd">,
): string {
  const existing = projectFileIn(folder);
  if (existing !== undefined) {
    throw new UsageError(`${basename(existing)} exists already. Nothing was written; choose another folder.`);
  }
  const pipelines = pipelinesIn(folder, wanted, project);
  const files = { ...projectFiles(project), ...pipelines.files };
  writeNew(folder, files);
  const path = relative(cwd, folder);
  const list = Object.keys(files).map((file) => `  ${file}\n`);
  const needs = `What the pipelines need from you:\n${CALLED} help pipelines\n`;
  return `Written to ${printable(path || ".")}:

${list.join("")}${pipelines.note}
${nextCommands(project, path, folder)}${Object.keys(pipelines.files).length > 0 ? needs : ""}`;
}

/** What to type next, in a project that was just written. */
function nextCommands({ stacks, baseUrl }: ProjectOptions, path: string, folder: string): string {
  const first = stacks.length === 1 ? "" : ` --stack ${stacks[0]}`;
  const { name, install, lockFile, note } = packageManagerOf(folder);
  const isShared = lockFile.startsWith("../");
  const notes = present([
    note,
    isShared && `The lock file is ${lockFile}: the workspaces beside it must name this folder.`,
  ]).map((text) => `\n${wrapped(text)}\n`);
  return `Without an account for state, keep it on this machine. Run this first:

  pulumi login --local
  export PULUMI_CONFIG_PASSPHRASE="<a passphrase of yours>"

Next:

  ${path === "" ? "" : `cd ${shellText(path)} && `}${install}
${stacks.map((stack) => `  pulumi stack init ${stack}\n`).join("")}${stacks.length === 1 ? "" : `  pulumi stack select ${stacks[0]}\n`}  pulumi preview${first}
${notes.join("")}
A preview sends nothing.${baseUrl === EMULATOR_URL ? ` To apply it, run \`${name} run emulator\` in a second\nterminal, then here:\n\n  AGENT_PLATFORM_ACCESS_TOKEN=local-token pulumi up${first}` : ""}

The first \`pulumi up\` overwrites what the numbers have, and nothing can read it
back. If they have agents already:
${CALLED} help existing-numbers
`;
}
