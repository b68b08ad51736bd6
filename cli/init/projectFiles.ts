import { basename, relative } from "node:path";
import { printable } from "../../provider/core/common/redact";
import { parseBaseUrl } from "../../provider/core/platform/endpoint";
import { CALLED, type ValuesOf } from "../command";
import { UsageError } from "../errors";
import { type Files, type Io, jsonText, shellText, writeNew } from "../io";
import { packageVersion } from "../links";
import { projectFileIn } from "../pulumi/projectFile";
import { packageFiles, pipelinesIn } from "./pipelines";

/** A new project is the files of templates/, in which what is its own is filled in. */
export interface ProjectOptions {
  readonly name: string;
  /** In the order in which a change is deployed. */
  readonly stacks: readonly string[];
  readonly baseUrl: string;
  /** Where npm finds this package: see `packageVersion`. */
  readonly packageVersion: string;
}

/** What is known of numbers that have agents already. Without it, a project has the two numbers of the templates. */
export interface Existing {
  /** The program, from that of the template. */
  readonly program: (first: string) => string;
  /** The agents that the numbers have today. */
  readonly approved: readonly string[];
  readonly weightTotal: number;
  /** What is written beside the project. */
  readonly files: Files;
  /** The command that records the numbers, if there is one. */
  readonly importing: string | undefined;
}

/** The script `emulator` of the templates. */
const EMULATOR_URL = "http://127.0.0.1:8080";
const EMULATOR_TOKEN = "local-token";

/** The options of each command that writes a project. */
export const PROJECT_OPTIONS = {
  stack: {
    type: "string",
    multiple: true,
    value: "<name>",
    help: "a stack; repeatable, in the order in which a change is deployed; default dev",
  },
  "base-url": {
    type: "string",
    value: "<url>",
    help: `the platform's base URL; default ${EMULATOR_URL}, the emulator`,
  },
} as const;

/** A project without its pipelines. */
function projectFiles(options: ProjectOptions, existing?: Existing): Files {
  const { stacks } = options;
  return Object.fromEntries(
    packageFiles("templates").flatMap(([path, text]): [string, string][] => {
      if (path === "Pulumi.dev.yaml") {
        return stacks.map((stack) => [`Pulumi.${stack}.yaml`, settingsText(text, options, stack, existing)]);
      }
      // npm packs no file named `.gitignore`.
      return [[path.replace(/^gitignore$/, ".gitignore"), FILLED[path]?.(text, options, existing) ?? text]];
    }),
  );
}

type Fill = (text: string, options: ProjectOptions, existing: Existing | undefined) => string;

const FILLED: Readonly<Record<string, Fill>> = {
  "index.ts": (text, _, existing) => existing?.program(text) ?? text,
  "Pulumi.yaml": (text, { name }) => text.replace("name: phones", `name: ${name}`),
  // What coding agents read before they change anything. The same rules are good for people.
  "AGENTS.md": (text, { stacks }) =>
    text
      .replaceAll("Pulumi.dev.yaml", `Pulumi.${stacks.at(-1)}.yaml`)
      .replaceAll("--stack dev", `--stack ${stacks.at(-1)}`),
  "package.json": (text, { name, baseUrl, packageVersion: version }) => {
    const { scripts, dependencies, ...content } = JSON.parse(text);
    const { emulator: _, ...others } = scripts;
    return jsonText({
      ...content,
      name,
      scripts: baseUrl === EMULATOR_URL ? scripts : others,
      dependencies: { ...dependencies, "pulumi-agent-platform": version },
    });
  },
};

/** The settings of a stack, written as Pulumi writes them: so `pulumi stack init` changes no line. The first stack has a candidate; each later one may start it once the stack before it has given it all calls. */
function settingsText(first: string, options: ProjectOptions, stack: string, existing: Existing | undefined): string {
  const { name, stacks, baseUrl } = options;
  const at = stacks.indexOf(stack);
  const before = JSON.stringify(stacks[at - 1]);
  const own = baseUrl === EMULATOR_URL ? first : first.replace(/# This is .*\n.*/, () => ADDRESS + baseUrl);
  if (existing !== undefined) {
    return existingSettings(own, existing);
  }
  const later = at === 0 ? own : own.replace(/candidate: .*\n +percent: .*/, () => `promote: { after: ${before} }`);
  return later.replace("phones:numbers", `${name}:numbers`).replaceAll("+15551230", `+1555123${at}`);
}

const ADDRESS = "# The platform's address.\n  agent-platform:baseUrl: ";

function existingSettings(first: string, { approved, weightTotal }: Existing): string {
  const text = first
    .replace(/^\n {2}# A list: [\s\S]*?(?= {2}# Guards)/m, "")
    .replace(/(?<=approvedAgents:\n)(?: +- .*\n)+/, () => approved.map((agent) => `    - ${agent}\n`).join(""))
    .replace('weightTotal: "100"', `weightTotal: "${weightTotal}"`)
    // The default limit is larger for many numbers.
    .replace(/^ {2}# Numbers that may lose their agents in one run\.\n.*\n/m, "");
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
export function readProjectOptions(values: ValuesOf<typeof PROJECT_OPTIONS>, folder: string): ProjectOptions {
  const there = basename(projectFileIn(folder) ?? "Pulumi.yaml");
  if (there !== "Pulumi.yaml") {
    throw new UsageError(`${there} exists already. Nothing was written; choose another folder.`);
  }
  return {
    name: projectName(basename(folder)),
    stacks: readStackNames(values.stack),
    baseUrl: baseUrlOption(values["base-url"] ?? EMULATOR_URL),
    packageVersion: packageVersion(folder),
  };
}

function readStackName(text: string): string {
  if (!/^[A-Za-z0-9_.-]{1,100}$/.test(text)) {
    throw new UsageError(`A stack has a name of letters, digits, \`-\`, \`_\` and \`.\`; found "${printable(text)}".`);
  }
  return text;
}

function readStackNames(names: readonly string[] = ["dev"]): readonly string[] {
  const stacks = names.map(readStackName);
  const twice = stacks.find((name, index) => stacks.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new UsageError(`--stack cannot have "${twice}" twice.`);
  }
  return stacks;
}

function baseUrlOption(text: string): string {
  const { url, problem } = parseBaseUrl(text);
  if (url === undefined) {
    throw new UsageError(`--base-url: ${problem}`);
  }
  return url;
}

// --- what is written, and what to do next

const ELSEWHERE = "choose an empty folder, and copy from there what you need";

/**
 * Writes all of a project or nothing. Returns what was written, and what to type next.
 * @param wanted the pipelines: `all`, `none`, or names with commas
 */
export function writeProject(
  project: ProjectOptions,
  folder: string,
  wanted: string,
  { cwd }: Pick<Io, "cwd">,
  existing?: Existing,
): string {
  const pipelines = pipelinesIn(folder, wanted, { project: project.name, stacks: project.stacks });
  const files = { ...projectFiles(project, existing), ...pipelines.files, ...existing?.files };
  writeNew(folder, files, existing && ELSEWHERE);
  const path = relative(cwd, folder);
  const list = Object.keys(files).map((file) => `  ${file}\n`);
  const needs = `What the pipelines need from you:\n${CALLED} help pipelines\n`;
  return `Written to ${printable(path || ".")}:

${list.join("")}${pipelines.note}
${nextCommands(project, path, existing?.importing)}${Object.keys(pipelines.files).length > 0 ? needs : ""}`;
}

/** What to type next, in a project that was just written. */
function nextCommands({ stacks, baseUrl }: ProjectOptions, path: string, importing: string | undefined): string {
  const first = stacks.length === 1 ? "" : ` --stack ${stacks[0]}`;
  return `Without an account for state, keep it on this machine. Run this first:

  pulumi login --local
  export PULUMI_CONFIG_PASSPHRASE=<a passphrase of yours>

Next:

  ${path === "" ? "" : `cd ${shellText(path)} && `}npm install
${stacks.map((stack) => `  pulumi stack init ${stack}\n`).join("")}${importing === undefined ? "" : `  ${importing}\n`}  pulumi preview${first}

A preview sends nothing.${baseUrl === EMULATOR_URL ? ` To apply it, run \`npm run emulator\` in a second\nterminal, then here:\n\n  AGENT_PLATFORM_ACCESS_TOKEN=${EMULATOR_TOKEN} pulumi up${first}` : ""}

${importing === undefined ? OVERWRITES : ""}`;
}

const OVERWRITES = `The first \`pulumi up\` overwrites what the numbers have, and nothing can read it
back. If they have agents already:
${CALLED} help existing-numbers
`;
