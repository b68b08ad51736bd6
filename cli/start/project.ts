import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { printable } from "../../provider/base/text";
import { parseBaseUrl } from "../../provider/config/settings";
import { CALLED, type ValuesOf } from "../command";
import { UsageError } from "../errors";
import { type Files, type Io, jsonText, shellText, wrapped, writeNew } from "../io";
import { present } from "../lists";
import { manifest, packageRoot } from "../package";
import { projectFileIn } from "../pulumi/cli";
import { packageManagerOf } from "./packageManager";
import { packageFiles, pipelinesIn } from "./pipelines";

/** A new project is a copy of templates/ in which what is its own is filled in. */
export interface ProjectOptions {
  readonly name: string;
  /** In the order in which a change is deployed. */
  readonly stacks: readonly string[];
  readonly baseUrl: string;
  /** Where npm finds this package: see `packageVersion`. */
  readonly packageVersion: string;
}

/** What is known of numbers that have agents already. Without it, a project has the two numbers of the templates. */
interface Existing {
  /** The file that declares them. */
  readonly program: string;
  /** The agents that they have today. */
  readonly approved: readonly string[];
  readonly weightTotal: number;
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
} as const;

/** A project without its pipelines. */
export function projectFiles(options: ProjectOptions, existing?: Existing): Files {
  return Object.fromEntries(
    packageFiles("templates").flatMap(([path, text]): [string, string][] => {
      switch (path) {
        case "Pulumi.dev.yaml":
          return options.stacks.map((stack) => [`Pulumi.${stack}.yaml`, settingsText(text, options, stack, existing)]);
        case "Pulumi.yaml":
          return [[path, text.replace("name: phones", `name: ${options.name}`)]];
        case "index.ts":
          return [[path, existing === undefined ? text : `import "./${basename(existing.program, ".ts")}";\n`]];
        case "package.json":
          return [[path, manifestText(text, options)]];
        case "AGENTS.md":
          return [[path, text.replaceAll(/(Pulumi\.|--stack )dev\b/g, `$1${options.stacks.at(-1)}`)]];
        default:
          // npm packs no file named `.gitignore`.
          return [[path.replace(/^gitignore$/, ".gitignore"), text]];
      }
    }),
  );
}

function manifestText(text: string, { name, baseUrl, packageVersion: version }: ProjectOptions): string {
  const { scripts, dependencies, ...content } = JSON.parse(text);
  const { emulator: _, ...others } = scripts;
  return jsonText({
    ...content,
    name,
    scripts: baseUrl === EMULATOR_URL ? scripts : others,
    dependencies: { ...dependencies, "pulumi-agent-platform": version },
  });
}

/** Each stack has numbers of its own, and only the first one starts. */
function settingsText(first: string, options: ProjectOptions, stack: string, existing: Existing | undefined): string {
  const { name, stacks, baseUrl } = options;
  const settings =
    baseUrl === EMULATOR_URL
      ? first
      : first.replace(/# This is .*\n.*/, () => `# The platform's address.\n  agent-platform:baseUrl: ${baseUrl}`);
  if (existing !== undefined) {
    return existingSettings(settings, existing);
  }
  const at = stacks.indexOf(stack);
  return settings
    .replace("phones:numbers", `${name}:numbers`)
    .replaceAll("+15551230", `+1555123${at}`)
    .replace("percent: 10", `percent: ${at === 0 ? 10 : 0}`);
}

/** Their splits are in the program, and the guards allow what callers have. */
function existingSettings(first: string, { approved, weightTotal }: Existing): string {
  const text = first
    .replace(/^\n {2}phones:numbers:[\s\S]*?(?= {2}# Guards)/m, "")
    .replace(/(?<=approvedAgents:\n)(?: +- .*\n)+/, () => approved.map((agent) => `    - ${agent}\n`).join(""))
    .replace("weightTotal: 100", `weightTotal: ${weightTotal}`)
    .replace(/^ {2}# Numbers that may lose .*\n.*\n/m, "");
  return approved.every((agent) => agent.includes("@"))
    ? text
    : text.replace(/^ {2}# Every agent names its version\.\n.*\n/m, "");
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
export function readProjectOptions(values: Partial<ValuesOf<typeof PROJECT_OPTIONS>>, folder: string): ProjectOptions {
  return {
    name: projectName(basename(folder)),
    stacks: readStackNames(values.stack),
    baseUrl: readBaseUrl(values["base-url"]),
    packageVersion: packageVersion(folder),
  };
}

function readStackNames(names: readonly string[] = ["dev"]): readonly string[] {
  const strange = names.find((name) => !/^[A-Za-z0-9_.-]{1,100}$/.test(name));
  if (strange !== undefined) {
    const rule = "A stack has a name of letters, digits, `-`, `_` and `.`";
    throw new UsageError(`${rule}; found "${printable(strange)}".`);
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new UsageError(`--stack cannot have "${twice}" twice.`);
  }
  return names;
}

export function readBaseUrl(text = EMULATOR_URL): string {
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
  const there = projectFileIn(folder);
  if (there !== undefined) {
    throw new UsageError(`${basename(there)} exists already. Nothing was written; choose another folder.`);
  }
  const pipelines = pipelinesIn(folder, wanted, { project: project.name, stacks: project.stacks });
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

/**
 * What a project in the folder writes for this package in its package.json: a range of versions, or the path of what this command was
 * installed from. A range would take a package of that name from the registry, which may be somebody else's.
 */
export function packageVersion(folder: string, root = packageRoot()): string {
  const source = sourceOf(root);
  return source === undefined ? `^${manifest().version}` : `file:${relative(folder, source).replaceAll(sep, "/")}`;
}

/** The clone that the package is, or the packed file that npm has installed it from. */
function sourceOf(root: string): string | undefined {
  const modules = dirname(root);
  if (!root.split(sep).includes("node_modules")) {
    return root;
  }
  const installed = join(modules, ".package-lock.json");
  if (!existsSync(installed)) {
    return undefined;
  }
  const { packages } = JSON.parse(readFileSync(installed, "utf8"));
  const from: string = packages[`node_modules/${basename(root)}`]?.resolved ?? "";
  return from.startsWith("file:") ? resolve(dirname(modules), from.slice("file:".length)) : undefined;
}
