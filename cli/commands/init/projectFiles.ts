import { basename, relative } from "node:path";
import { parseBaseUrl } from "../../../provider/core/platform/endpoint";
import { LANGUAGE_OPTION, type Language, readLanguage, type ValuesOf } from "../../command";
import { UsageError } from "../../errors";
import { type Files, type Io, jsonText, shellText } from "../../io";
import { manifest, packageVersion } from "../../links";
import { agentsFile } from "./agentsFile";
import { PIPELINES_README } from "./pipelines";

/** What a new project is made from. */
export interface ProjectOptions {
  readonly name: string;
  readonly stack: string;
  readonly baseUrl: string;
  /** The agents that the numbers have today. */
  readonly approved: readonly string[];
  /** The file that lists them. */
  readonly approvedFile: string;
  readonly weightTotal: number;
  /** The file that Pulumi runs. A project in YAML does not have it: its Pulumi.yaml is the program. */
  readonly program: string;
  readonly language: Language;
  /** Where npm finds this package: see `packageVersion`. */
  readonly packageVersion: string;
}

/** The list of approved agents of a new project. */
export const APPROVED_FILE = "agents.yaml";

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

/** A project without its program and its pipelines. */
export function projectFiles(options: ProjectOptions): Files {
  const isYaml = options.language === "yaml";
  return {
    ...(isYaml ? {} : { "Pulumi.yaml": pulumiYaml(options) }),
    ...stackFiles(options),
    "AGENTS.md": agentsFile(isYaml ? "Pulumi.yaml" : options.program, options.stack),
    "package.json": packageJson(options),
    ...(isYaml ? {} : { "tsconfig.json": TSCONFIG }),
    ".gitignore": GITIGNORE,
  };
}

export interface StackOptions
  extends Pick<ProjectOptions, "stack" | "baseUrl" | "approved" | "approvedFile" | "weightTotal"> {
  /** The lines of its rollouts: see `firstRollout`. A program without rollouts has none. */
  readonly rollouts?: string;
}

/** The settings of a stack with their guards. */
export const stackFiles = (options: StackOptions, ending = ".yaml"): Files => ({
  [`Pulumi.${options.stack}${ending}`]: stackYaml(options),
  [options.approvedFile]: agentsYaml(options),
});

/** The pipelines' Re-assert sets the config value `reassert`. If the program did not read it, Re-assert would send nothing. */
export const REASSERT = `// A new value sends every routing again. The pipeline's Re-assert sets it.
const triggers = { reassert: new Config().get("reassert") ?? "" };
`;

export const firstProgram = `import { Config } from "@pulumi/pulumi";
import { NumberGroup } from "pulumi-agent-platform";

${REASSERT}
// Who answers is in the stack's config, under agent-platform:rollouts.
const support = new NumberGroup("support", {
  numbers: {
    "+15551230001": "London support",
    "+15551230002": "Berlin support",
  },
  rollout: "front",
  triggers,
});

export const split = support.inboundAgents;
`;

/** The folder's name as a name that Pulumi and npm accept. */
export function projectName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return name === "" ? "agents" : name.slice(0, 100);
}

/** The options of a project, from the command line and from the name of the folder. */
export function readProjectOptions(values: ValuesOf<typeof PROJECT_OPTIONS>, folder: string) {
  return {
    name: projectName(basename(folder)),
    stack: readStackName(values.stack ?? "dev"),
    baseUrl: readBaseUrl(values["base-url"] ?? EMULATOR_URL),
    language: readLanguage(values.language),
    approvedFile: APPROVED_FILE,
    packageVersion: packageVersion(folder),
  };
}

function readStackName(text: string, option = "--stack"): string {
  if (/^[A-Za-z0-9_.-]{1,100}$/.test(text)) {
    return text;
  }
  const what = option === "--stack" ? "a name" : "names with commas between them, each";
  throw new UsageError(`${option} takes ${what} of letters, digits, \`-\`, \`_\` and \`.\`.`);
}

const MOST_STACKS = 20;

/** The stacks of a new project, in the order in which a change is deployed. */
export function readStackNames(given: { readonly stack?: string; readonly stacks?: string }): readonly string[] {
  if (given.stacks === undefined) {
    return [readStackName(given.stack ?? "dev")];
  }
  if (given.stack !== undefined) {
    throw new UsageError("Give --stack or --stacks, not both.");
  }
  const stacks = given.stacks.split(",").map((name) => readStackName(name.trim(), "--stacks"));
  // GitHub compares names without regard to case, and "all" stands for every stack.
  const small = stacks.map((name) => name.toLowerCase());
  const twice = stacks.find((_, index) => small.indexOf(small[index] ?? "") !== index);
  if (twice !== undefined || small.includes("all")) {
    throw new UsageError(`--stacks cannot have ${twice === undefined ? 'a stack "all"' : `"${twice}" twice`}.`);
  }
  if (stacks.length > MOST_STACKS) {
    throw new UsageError(`--stacks takes at most ${MOST_STACKS} names.`);
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

/**
 * The rollout of the first program, in the config of a stack. The first stack has a candidate; each later one may start it once the stack
 * before it has given it all calls.
 */
export const firstRollout = (before?: string): string => `
  # The rollouts that the program names, and the percentages that each goes through. \`promote\` and \`abort\` edit them.
  agent-platform:rollouts:
    front:
      stable: agent_front@12
${before === undefined ? "      candidate: agent_front@13\n      percent: 10\n" : `      promote: { after: ${JSON.stringify(before)} }\n`}  agent-platform:steps: "[1, 10, 50, 100]"
`;

function stackYaml({ baseUrl, approved, approvedFile, weightTotal, rollouts = "" }: StackOptions): string {
  const about =
    baseUrl === EMULATOR_URL ? "This is the emulator: `npm run emulator` starts it." : "The platform's address.";
  const needsVersions = approved.every((agent) => agent.includes("@"));
  return `config:
  # ${about}
  agent-platform:baseUrl: ${baseUrl}
  # The token is in no file: AGENT_PLATFORM_ACCESS_TOKEN. A preview needs none.
${rollouts}
  # Guards. What breaks one is refused at preview, before anything is sent.
  # What the weights of every split sum to.
  agent-platform:weightTotal: ${weightTotal}
  # Percentage points of the traffic that one change may move.
  agent-platform:maxShift: 25
${needsVersions ? "  # Every agent names its version.\n  agent-platform:requireVersions: true\n" : ""}  # The agents that may receive any percentage of the traffic, and the percentage that all others together may receive.
  agent-platform:approvedAgents: ${approvedFile}
  agent-platform:maxUnapproved: 10
  # Numbers that may leave a group in one run.
  agent-platform:maxRemove: 5
`;
}

const agentsYaml = ({
  approved,
}: StackOptions): string => `# The agents that may receive any percentage of the traffic. Whoever is responsible for the calls approves changes of this file.
${approved.map((agent) => `- ${agent}\n`).join("")}`;

/**
 * The first version that works with `--continue-on-error` as the pipelines need it: a program does not wait for a failed resource. From a
 * wider range, npm on Node 20 would choose 3.248.
 */
const SDK = "^3.252.0";

/** The package.json, with the versions that this package is built and tested with. */
function packageJson({ name, baseUrl, program, language, packageVersion }: ProjectOptions): string {
  const own = manifest();
  const isCompiled = language !== "yaml";
  const versions = ["@types/node", "typescript"].map((tool) => [tool, `^${own.devDependencies[tool]}`]);
  const emulator = `agent-platform emulator --port ${EMULATOR_PORT} --token ${EMULATOR_TOKEN}`;
  const content = {
    name,
    private: true,
    ...(isCompiled && { main: program }),
    scripts: { ...(isCompiled && { check: "tsc --noEmit" }), ...(baseUrl === EMULATOR_URL && { emulator }) },
    dependencies: {
      "@pulumi/pulumi": SDK,
      "pulumi-agent-platform": packageVersion,
    },
    ...(isCompiled && { devDependencies: Object.fromEntries(versions) }),
  };
  return jsonText(content);
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2022",
    "module": "nodenext",
    "moduleResolution": "nodenext",
    "strict": true,
    "noEmit": true,
    "types": ["node"],
    "skipLibCheck": true
  },
  "include": ["*.ts"]
}
`;

const GITIGNORE = `node_modules/
*.log
# Plans and reports of the pipeline.
*.plan.json
preview*.json
promote.json
abort.json
applied.json
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
}

/** What `pulumi package add` writes for this folder. With a version in place of the folder, the engine would need an installed plugin. */
const PACKAGES = `packages:
  # The plugin comes with the npm package, in the version of package.json.
  agent-platform: ./node_modules/pulumi-agent-platform/plugin
`;

/** What `REASSERT` is in TypeScript. */
const YAML_REASSERT = `config:
  # A new value sends every routing again. The pipeline's Re-assert sets it.
  reassert:
    type: string
    default: ""
`;

export const TRIGGERS = `      triggers:
        reassert: \${reassert}
`;

export const yamlProject = ({ name, resources, outputs = "" }: YamlProject): string =>
  `name: ${name}
runtime: yaml
description: The agents of our phone numbers
${PACKAGES}${YAML_REASSERT}
resources:
${resources}${outputs === "" ? "" : `\noutputs:\n${outputs}`}`;

export const firstYaml = (name: string): string =>
  yamlProject({
    name,
    resources: `  # Who answers is in the stack's config, under agent-platform:rollouts.
  support:
    type: agent-platform:NumberGroup
    properties:
      numbers:
        "+15551230001": London support
        "+15551230002": Berlin support
      rollout: front
${TRIGGERS}`,
    outputs: `  split: \${support.inboundAgents}\n`,
  });

// --- what to do next

interface NewProject {
  readonly folder: string;
  readonly stacks: readonly string[];
  readonly baseUrl: string;
  readonly hasPipelines: boolean;
}

/** What to type next, in a project that was just written. */
export function nextCommands({ folder, stacks, baseUrl, hasPipelines }: NewProject, io: Io): string {
  const path = relative(io.cwd, folder);
  return `Next:

  ${path === "" ? "" : `cd ${shellText(path)} && `}npm install
${stacks.map((stack) => `  pulumi stack init ${stack}\n`).join("")}  pulumi preview${stacks.length === 1 ? "" : ` --stack ${stacks[0]}`}

A preview sends nothing. Without an account for state, \`pulumi login --local\` keeps it on this machine.
${baseUrl === EMULATOR_URL ? APPLY_ON_EMULATOR : ""}${hasPipelines ? SET_UP_PIPELINES : ""}`;
}

const APPLY_ON_EMULATOR = `To apply it, run \`npm run emulator\` in a second terminal, then \`AGENT_PLATFORM_ACCESS_TOKEN=${EMULATOR_TOKEN} pulumi up\`.
`;

const SET_UP_PIPELINES = `What the pipelines need from you: ${PIPELINES_README}.
`;
