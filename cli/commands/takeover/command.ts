import { join, relative, resolve, sep } from "node:path";
import { printable } from "../../../provider/core/common/redact";
import { parseApproved, readSettings } from "../../../provider/core/config/readSettings";
import { NAMESPACE, type Settings } from "../../../provider/core/config/settings";
import { counted } from "../../../provider/core/messages";
import { agentKey } from "../../../provider/core/routing/split";
import { CALLED, defineCommand, type ValuesOf } from "../../command";
import { UsageError } from "../../errors";
import { columns, exists, type Files, type Io, nowOf, readText, writeNew } from "../../io";
import { requirePulumi } from "../../pulumi/cli";
import { readConfig, type StackConfig } from "../../pulumi/config";
import { type ProjectFile, programFolder, projectFileIn, readProject } from "../../pulumi/projectFile";
import { pipelinesIn } from "../init/pipelines";
import {
  nextCommands,
  PROJECT_OPTIONS,
  type ProjectOptions,
  projectFiles,
  readProjectOptions,
  type StackOptions,
  stackFiles,
  yamlProject,
} from "../init/projectFiles";
import { blockedText } from "./blocked";
import { grouped, type PlannedResource } from "./grouped";
import { importText, programText, yamlOutputs, yamlResources } from "./program";
import { COLUMNS, EXAMPLES, type Numbers, outboundOf, type Row, readNumbers } from "./rows";

const options = {
  import: {
    type: "boolean",
    help: "write the file for `pulumi import --file` as well, which records the numbers and sends nothing",
  },
  program: {
    type: "string",
    default: "index.ts",
    value: "<file>",
    help: "the file of a program in TypeScript; default index.ts",
  },
  "weight-total": {
    type: "string",
    default: "100",
    value: "<n>",
    help: "what the weights of each number sum to; default 100",
  },
  ...PROJECT_OPTIONS,
} as const;

export const takeoverCommand = defineCommand({
  name: "takeover",
  group: "Start",
  summary: "Write the program for numbers that have agents already, from a table of them",
  usage: ["<numbers.csv> [folder] [options]"],
  examples: [
    `${CALLED} takeover numbers.csv phones --stack prod --base-url https://platform.example`,
    `${CALLED} takeover numbers.csv phones --import`,
  ],
  about: `It writes a program whose first \`pulumi up\` sends the routings that the numbers have already. Numbers with equal
routings become one group. If the folder has no Pulumi project, it writes one, as init does. In a project, --stack and --base-url
write the settings of a stack that has none. It overwrites nothing.

With --import it writes import.json as well. \`pulumi import --file import.json\` then records the numbers without a
request, and the next \`pulumi up\` sends nothing. It trusts the table, so compare the table with the platform first.
It needs Pulumi 3.254 or newer.

The columns are ${COLUMNS.join(",")}. Fill every cell; - means none.

${columns(EXAMPLES)}`,
  options,
  takes: { least: 1, most: 2, rule: "Name one file, and at most one folder." },
  exitCodes: "0 done, 1 rows to fix, 2 wrong arguments",
  page: "docs/guides/existing-numbers.md",
  async run({ values, positionals: [file = "", folder = "."] }, io) {
    const weightTotal = readTotal(values["weight-total"]);
    const numbers = readNumbers(await readText(file, io), weightTotal);
    for (const warning of numbers.warnings) {
      io.stderr.write(`warning: ${printable(warning)}\n`);
    }
    if (numbers.problems.length > 0) {
      return refuse(file, numbers, io);
    }
    return write({ ...values, folder: resolve(io.cwd, folder), weightTotal }, numbers.rows, io);
  },
});

function readTotal(text: string): number {
  const total = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (!(total > 0)) {
    throw new UsageError("--weight-total takes a number above 0.");
  }
  return total;
}

function refuse(file: string, { problems }: Numbers, io: Io): number {
  const lines = problems.map((problem) => `  ${printable(problem)}\n`).join("");
  const what = `${counted(problems.length, "thing")} to fix in ${printable(file)}`;
  io.stderr.write(`agent-platform takeover: ${what}. Nothing was written.\n\n${lines}`);
  return 1;
}

interface Wanted extends ValuesOf<typeof options> {
  readonly folder: string;
  readonly weightTotal: number;
}

async function write(wanted: Wanted, rows: readonly Row[], io: Io): Promise<number> {
  const { folder, weightTotal } = wanted;
  const named = readProjectOptions(wanted, folder);
  const { stack, baseUrl, language } = named;
  const there = projectFileIn(folder) === undefined ? undefined : await readProject({ ...io, cwd: folder });
  const program = language === "yaml" ? (there?.shown ?? "Pulumi.yaml") : wanted.program;
  if (!/^[\w-]+\.ts$/.test(wanted.program)) {
    throw new UsageError("--program takes the name of a file, such as numbers.ts.");
  }
  const holders = grouped(rows);
  const isNew = there === undefined;
  const project = { ...named, approved: agentsOf(rows), weightTotal, program };
  const ofStack = there && (await stackBeside(there, project, wanted, io));
  const pipelines = isNew ? pipelinesIn(folder, "all", { project: project.name, stacks: [stack] }) : NO_PIPELINES;
  const settings = wanted.import && (await settingsOf(ofStack?.isThere ? stack : undefined, baseUrl, folder, io));
  const files: Files = {
    [program]:
      language === "yaml"
        ? yamlProject({ ...project, resources: yamlResources(holders, project), outputs: yamlOutputs(holders) })
        : programText(holders, project),
    ...(settings && { [IMPORT_FILE]: importText(holders, { weightTotal, language, settings, now: nowOf(io) }) }),
    ...(isNew && projectFiles(project)),
    ...pipelines.files,
    ...ofStack?.files,
  };
  // The program in YAML is the project's file, whatever --program says.
  writeNew(folder, files, `choose another folder${language === "yaml" ? "" : ", or another name with --program"}`);
  const paths = Object.keys(files);
  const isJudged = there !== undefined && ofStack?.isNew !== true;
  const blocked = isJudged ? blockedText(folder, there, wanted.stack, holders, { weightTotal }) : "";
  const note = [ofStack?.note ?? "", pipelines.note, blocked].filter(Boolean).join("\n");
  io.stdout.write(outcomeText(wanted, { ...project, isNew, paths, holders, note }, io));
  return 0;
}

const NO_PIPELINES: ReturnType<typeof pipelinesIn> = { files: {}, note: "" };

/** The agents that get calls today, and those that make calls: the guards judge both. */
const agentsOf = (rows: readonly Row[]): string[] => {
  const keys = rows.flatMap((row) => {
    const outbound = outboundOf(row);
    return [...Object.keys(row.routing.inboundAgents), ...(outbound ? [agentKey(outbound)] : [])];
  });
  return [...new Set(keys)].sort();
};

/** In a project that is there: the settings of the stack, if the command names it and it has none. */
async function stackBeside(there: ProjectFile, project: StackOptions, wanted: Wanted, io: Io) {
  const { folder, stack, "base-url": baseUrl } = wanted;
  const name = `Pulumi.${project.stack}${there.ending}`;
  const file = pathFrom(folder, there.folder, name);
  const isThere = exists(join(folder, file));
  if (isThere && baseUrl !== undefined) {
    throw new UsageError(`${file} exists already, and keeps its base URL. Leave out --base-url, or edit the file.`);
  }
  if (isThere || (stack === undefined && baseUrl === undefined)) {
    return {
      isThere,
      isNew: false,
      files: {},
      note: isThere && stack !== undefined ? `${file} exists already and was not changed.\n` : "",
    };
  }
  const [approvedFile, isListed] = await approvedBeside(project, folder, io);
  const { [name]: settings = "", [approvedFile]: list = "" } = stackFiles({ ...project, approvedFile }, there.ending);
  const listed = isListed ? {} : { [pathFrom(folder, programFolder(folder), approvedFile)]: list };
  return { isThere, isNew: true, files: { [file]: settings, ...listed }, note: "" };
}

const pathFrom = (folder: string, ...path: readonly string[]): string =>
  relative(folder, join(...path)).replaceAll(sep, "/");

/**
 * The list of approved agents that the new settings name, and if it lists all agents of the numbers already. Another list stays as it is.
 */
async function approvedBeside({ approved, approvedFile, stack }: StackOptions, folder: string, io: Io) {
  const path = join(programFolder(folder), approvedFile);
  if (!exists(path)) {
    return [approvedFile, false] as const;
  }
  const listed = parseApproved(await readText(path, io));
  return approved.every((agent) => listed.includes(agent))
    ? ([approvedFile, true] as const)
    : ([`agents.${stack}.yaml`, false] as const);
}

/** The settings of the stack, or of the project that is being written. Guards are not judged, because callers have these splits already. */
async function settingsOf(stack: string | undefined, baseUrl: string, folder: string, io: Io): Promise<Settings> {
  const config: StackConfig =
    stack === undefined ? {} : await readConfig(requirePulumi(io.env, "--import"), stack, { ...io, cwd: folder });
  const read = readSettings({
    get: (key) => config[`${NAMESPACE}:${key}`]?.value ?? (key === "baseUrl" ? baseUrl : undefined),
    env: {},
    readApproved: () => "",
  });
  if ("problems" in read) {
    throw new UsageError(read.problems.map(({ text }) => text).join("\n"));
  }
  return read.settings;
}

// --- what is said of it

const IMPORT_FILE = "import.json";

const IMPORT = `To record the numbers as the table lists them, without sending a request:

  pulumi import --file ${IMPORT_FILE} --generate-code=false --protect=false

The import does not read the platform: it records what the table says. Compare the table first, because the next change of a number
starts from it.

`;

interface Written extends Pick<ProjectOptions, "stack" | "baseUrl" | "program"> {
  /** Was the project written too? */
  readonly isNew: boolean;
  /** What was not written. */
  readonly note: string;
  readonly paths: readonly string[];
  readonly holders: readonly PlannedResource[];
}

/** What was written, and what to do with it. */
function outcomeText(wanted: Wanted, written: Written, io: Io): string {
  const { folder } = wanted;
  const { program, isNew, paths, holders, note } = written;
  const imported = `${loading(program.replace(/\.ts$/, ""), wanted)}\n`;
  return `${summary(holders)}
Written to ${printable(relative(io.cwd, folder) || ".")}: ${paths.join(", ")}.
${note}${isNew || program === "index.ts" ? "" : imported}Resource names are permanent: change them now, or use \`aliases\` later.

${isNew ? `${nextCommands({ ...written, folder, stacks: [written.stack], hasPipelines: true }, io)}\n` : ""}Then compare the report with the platform's web application:

  pulumi preview --json > preview.json
  ${CALLED} report preview.json
${wanted.import ? `\n${IMPORT}` : ""}`;
}

/** Stacks have numbers of their own: a program that loads those of another one would assign them in both. */
const loading = (module: string, { stack }: Wanted): string =>
  stack === undefined
    ? `Import it where your program begins: import "./${module}";`
    : `These are numbers of the stack ${stack}. Load them for it alone, where your program begins: if (getStack() === "${stack}") require("./${module}");`;

function summary(holders: readonly PlannedResource[]): string {
  const groups = holders.filter(({ rows }) => rows.length > 1);
  const inGroups = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  const single = holders.length - groups.length;
  const own = single === 1 ? "its own routing" : "their own routings";
  return `${counted(inGroups + single, "number")}: ${inGroups} in ${counted(groups.length, "group")} with the same routing, ${single} with ${own}.`;
}
