import { readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { printable } from "../../../provider/core/common/redact";
import { parseBaseUrl } from "../../../provider/core/platform/endpoint";
import { removable } from "../../../provider/core/routing/group";
import { LANGUAGE_OPTION, type Language, readLanguage, type ValuesOf } from "../../command";
import { UsageError } from "../../errors";
import { type Files, type Io, jsonText, shellText } from "../../io";
import { docs, manifest, packageRoot, packageVersion } from "../../links";
import { MOST_STACKS } from "./pipelines";

/** What a new project is made from. */
export interface ProjectOptions {
  readonly name: string;
  /** In the order in which a change is deployed. */
  readonly stacks: readonly string[];
  readonly baseUrl: string;
  /** The agents that the numbers have today. */
  readonly approved: readonly string[];
  readonly weightTotal: number;
  /** How many numbers the stack has. */
  readonly size: number;
  readonly language: Language;
  /** Where npm finds this package: see `packageVersion`. */
  readonly packageVersion: string;
}

/** The list of approved agents of a new project. */
const APPROVED_FILE = "agents.yaml";

/** The port of the script `emulator` of a new project. The project's first stack uses it. */
const EMULATOR_PORT = 8080;
const EMULATOR_URL = `http://127.0.0.1:${EMULATOR_PORT}`;
const EMULATOR_TOKEN = "local-token";

/** The options of each command that writes a project. */
export const PROJECT_OPTIONS = {
  language: LANGUAGE_OPTION,
  stack: {
    type: "string",
    value: "<name>",
    help: "the stack whose settings are written; default dev",
  },
  "base-url": {
    type: "string",
    value: "<url>",
    help: `the platform's base URL; default ${EMULATOR_URL}, the emulator`,
  },
} as const;

/** A file of the package that a project gets as it is. */
const template = (path: string): string => readFileSync(join(packageRoot(), "templates", path), "utf8");

/** What coding agents read before they change anything. The same rules are good for people. */
const agentsFile = (program: string, stack: string): string =>
  template("typescript/AGENTS.md")
    .replaceAll("index.ts", program)
    .replaceAll("Pulumi.dev.yaml", `Pulumi.${stack}.yaml`)
    .replaceAll("--stack dev", `--stack ${stack}`);

/** A project without its pipelines. In YAML its file is the program. @param read what the program reads of a stack's config */
export function projectFiles(options: ProjectOptions, program: string, read = (_stack: string) => ""): Files {
  const { stacks } = options;
  const isYaml = options.language === "yaml";
  return {
    ...(isYaml ? { "Pulumi.yaml": program, ...plugin() } : { "index.ts": program, "Pulumi.yaml": pulumiYaml(options) }),
    ...Object.fromEntries(stacks.map((stack) => [`Pulumi.${stack}.yaml`, stackYaml(options, read(stack))])),
    [APPROVED_FILE]: agentsYaml(options),
    "AGENTS.md": agentsFile(isYaml ? "Pulumi.yaml" : "index.ts", stacks.at(-1) ?? ""),
    "package.json": packageJson(options),
    ...(isYaml ? {} : { "tsconfig.json": template("typescript/tsconfig.json") }),
    ".gitignore": GITIGNORE,
  };
}

export const firstProgram = (): string => template("typescript/index.ts");

/** The folder's name as a name that Pulumi and npm accept. */
export function projectName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return name === "" ? "agents" : name.slice(0, 100);
}

/** The options of a project, from the command line and from the name of the folder. */
export function readProjectOptions(values: ValuesOf<typeof PROJECT_OPTIONS> & Stacks, folder: string) {
  return {
    name: projectName(basename(folder)),
    stacks: readStackNames(values),
    baseUrl: readBaseUrl(values["base-url"] ?? EMULATOR_URL),
    language: readLanguage(values.language),
    packageVersion: packageVersion(folder),
  };
}

function readStackName(text: string): string {
  if (!/^[A-Za-z0-9_.-]{1,100}$/.test(text)) {
    throw new UsageError(`A stack has a name of letters, digits, \`-\`, \`_\` and \`.\`; found "${printable(text)}".`);
  }
  return text;
}

interface Stacks {
  readonly stack?: string;
  /** Names with commas. */
  readonly stacks?: string;
}

function readStackNames(given: Stacks): readonly string[] {
  if (given.stack !== undefined && given.stacks !== undefined) {
    throw new UsageError("Give --stack or --stacks, not both.");
  }
  const names = given.stacks?.split(",") ?? [given.stack ?? "dev"];
  const stacks = names.map((name) => readStackName(name.trim()));
  // "all" stands for every stack in the pipelines.
  const wrong = stacks.find((name, index) => name === "all" || stacks.indexOf(name) !== index);
  if (wrong !== undefined) {
    throw new UsageError(`--stacks cannot have ${wrong === "all" ? 'a stack "all"' : `"${wrong}" twice`}.`);
  }
  if (stacks.length > MOST_STACKS) {
    throw new UsageError(`--stacks takes at most ${MOST_STACKS} names: the pipelines have a job for each.`);
  }
  return stacks;
}

function readBaseUrl(text: string): string {
  const { url, problem } = parseBaseUrl(text);
  if (url === undefined) {
    throw new UsageError(`--base-url: ${problem}`);
  }
  return url;
}

const pulumiYaml = ({ name }: ProjectOptions): string => `name: ${name}
runtime:
  name: nodejs
  options:
    typescript: true
description: The agents of our phone numbers
`;

/** Every agent that the first program names: a rollout's candidate may get all calls at its end. */
export const FIRST_AGENTS = ["agent_front@12", "agent_front@13"];

/** How many numbers each stack of the first program has. */
export const FIRST_SIZE = 2;

/**
 * What the first program reads of a stack's config. The first stack has a candidate; each later one may start it once the stack before it has
 * given it all calls.
 */
export function firstSettings({ stacks }: Pick<ProjectOptions, "stacks">, stack: string): string {
  const at = stacks.indexOf(stack);
  const before = stacks[at - 1];
  return `
  numbers:
    "+1555123${at}001": London support
    "+1555123${at}002": Berlin support

  # The rollouts that the program names, and the percentages that each goes through. \`promote\` and \`abort\` edit them.
  agent-platform:rollouts:
    front:
      stable: agent_front@12
${before === undefined ? "      candidate: agent_front@13\n      percent: 10\n" : `      promote: { after: ${JSON.stringify(before)} }\n`}  agent-platform:steps: "[1, 10, 50, 100]"
`;
}

/** The settings of a stack with their guards. */
function stackYaml({ baseUrl, approved, weightTotal, size }: ProjectOptions, read: string): string {
  const about =
    baseUrl === EMULATOR_URL ? "This is the emulator: `npm run emulator` starts it." : "The platform's address.";
  const needsVersions = approved.every((agent) => agent.includes("@"));
  return `config:
  # ${about}
  agent-platform:baseUrl: ${baseUrl}
  # The token is in no file: AGENT_PLATFORM_ACCESS_TOKEN. A preview needs none.
${read}
  # Guards. What breaks one is refused at preview, before anything is sent.
  # What the weights of every split sum to.
  agent-platform:weightTotal: ${weightTotal}
  # Percentage points of the traffic that one change may move.
  agent-platform:maxShift: 25
${needsVersions ? "  # Every agent names its version.\n  agent-platform:requireVersions: true\n" : ""}  # The agents that may receive any percentage of the traffic, and the percentage that all others together may receive.
  agent-platform:approvedAgents: ${APPROVED_FILE}
  agent-platform:maxUnapproved: 10
  # Numbers that may lose their agents in one run.
  agent-platform:maxRemove: ${removable(size, undefined)}
`;
}

const agentsYaml = ({
  approved,
}: ProjectOptions): string => `# The agents that may receive any percentage of the traffic. Whoever is responsible for the calls approves changes of this file.
${approved.map((agent) => `- ${agent}\n`).join("")}`;

/**
 * The first version that works with `--continue-on-error` as the pipelines need it: a program does not wait for a failed resource. From a
 * wider range, npm on Node 20 would choose 3.248.
 */
const SDK = "^3.252.0";

/** The package.json, with the versions that this package is built and tested with. */
function packageJson({ name, baseUrl, language, packageVersion }: ProjectOptions): string {
  const own = manifest();
  const isCompiled = language !== "yaml";
  const versions = ["@types/node", "typescript"].map((tool) => [tool, `^${own.devDependencies[tool]}`]);
  const emulator = `pulumi-agent-platform emulator --port ${EMULATOR_PORT} --token ${EMULATOR_TOKEN}`;
  const content = {
    name,
    private: true,
    ...(isCompiled && { main: "index.ts" }),
    scripts: { ...(isCompiled && { check: "tsc --noEmit" }), ...(baseUrl === EMULATOR_URL && { emulator }) },
    dependencies: {
      "@pulumi/pulumi": SDK,
      "pulumi-agent-platform": packageVersion,
    },
    ...(isCompiled && { devDependencies: Object.fromEntries(versions) }),
  };
  return jsonText(content);
}

/** npm packs no file of this name. */
const GITIGNORE = `node_modules/
*.log
# Plans and reports of the pipeline.
*.plan.json
preview*.json
promote.json
abort.json
applied.json
report.json
report.md
board.html
deploy.gitlab-ci.yml
`;

// --- a program in YAML, which is in the project's Pulumi.yaml

interface YamlProject {
  readonly name: string;
  /** The lines below `resources:`, indented by two. */
  readonly resources: string;
  readonly outputs?: string;
  /** What it reads of the config, beside `reassert`. */
  readonly config?: string;
}

/** What `pulumi package add` writes for this folder. With a version in place of the folder, the engine would need an installed plugin. */
const PACKAGES = `packages:
  # The plugin of the npm package, in the version of package.json.
  agent-platform: ./plugin
`;

/**
 * The engine takes a folder that it finds from the project's. npm may install the package in a folder above, as it does in a workspace. So the
 * project has a folder whose program asks Node where the package lies.
 */
const plugin = (): Files =>
  Object.fromEntries(["", ".cmd"].map((ending) => [`${PLUGIN}${ending}`, template(`yaml/${PLUGIN}${ending}`)]));

const PLUGIN = "plugin/pulumi-resource-agent-platform";

/** The pipelines' Re-assert sets the config value `reassert`. If the program did not read it, Re-assert would send nothing. */
const YAML_REASSERT = `config:
  # A new value sends every routing again. The pipeline's Re-assert sets it.
  reassert:
    type: string
    default: ""
`;

export const TRIGGERS = `      triggers:
        reassert: \${reassert}
`;

export const yamlProject = ({ name, resources, outputs = "", config = "" }: YamlProject): string =>
  `name: ${name}
runtime: yaml
description: The agents of our phone numbers
${PACKAGES}${YAML_REASSERT}${config}
resources:
${resources}${outputs === "" ? "" : `\noutputs:\n${outputs}`}`;

export const firstYaml = (name: string): string =>
  yamlProject({
    name,
    // Each stack has numbers of its own. Two stacks with the same number would overwrite each other.
    config: "  numbers:\n    type: object\n",
    resources: `  # Who answers is in the stack's config, under agent-platform:rollouts.
  support:
    type: agent-platform:NumberGroup
    properties:
      numbers: \${numbers}
      rollout: front
${TRIGGERS}`,
    outputs: `  split: \${support.inboundAgents}\n`,
  });

// --- what to do next

/** What to type next, in a project that was just written. */
export function nextCommands(
  { stacks, baseUrl }: Pick<ProjectOptions, "stacks" | "baseUrl">,
  folder: string,
  hasPipelines: boolean,
  io: Io,
): string {
  const path = relative(io.cwd, folder);
  const first = stacks.length === 1 ? "" : ` --stack ${stacks[0]}`;
  return `Next:

  ${path === "" ? "" : `cd ${shellText(path)} && `}npm install
${stacks.map((stack) => `  pulumi stack init ${stack}\n`).join("")}  pulumi preview${first}

A preview sends nothing. Without an account for state, \`pulumi login --local\` keeps it on this machine.
${baseUrl === EMULATOR_URL ? `To apply it, run \`npm run emulator\` in a second terminal, then \`AGENT_PLATFORM_ACCESS_TOKEN=${EMULATOR_TOKEN} pulumi up${first}\`.\n` : ""}${hasPipelines ? `What the pipelines need from you: ${docs("docs/guides/pipelines.md")}\n` : ""}`;
}
