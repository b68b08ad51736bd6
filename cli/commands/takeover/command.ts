import { relative, resolve, sep } from "node:path";
import { printable } from "../../../provider/core/common/redact";
import { readSettings } from "../../../provider/core/config/readSettings";
import { NAMESPACE, type Settings } from "../../../provider/core/config/settings";
import { counted } from "../../../provider/core/messages";
import { agentKey } from "../../../provider/core/routing/split";
import { CALLED, defineCommand, type ValuesOf } from "../../command";
import { UsageError } from "../../errors";
import { columns, type Files, type Io, nowOf, readText, writeNew } from "../../io";
import { requirePulumi } from "../../pulumi/cli";
import { readConfig, type StackConfig } from "../../pulumi/config";
import type { ProjectFile } from "../../pulumi/projectFile";
import { stackOf } from "../../pulumi/stackNames";
import { pipelinesIn } from "../init/pipelines";
import {
  nextCommands,
  PROJECT_OPTIONS,
  type ProjectOptions,
  projectFiles,
  readProjectOptions,
  yamlProject,
} from "../init/projectFiles";
import { grouped, type PlannedResource } from "./grouped";
import { ELSEWHERE, programFile, projectOf } from "./place";
import { importText, programText, yamlOutputs, yamlResources } from "./program";
import { COLUMNS, EXAMPLES, type Numbers, outboundOf, type Row, readNumbers } from "./rows";

const options = {
  import: {
    type: "boolean",
    help: "write the file for `pulumi import --file` as well, which records the numbers and sends nothing",
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
routings become one group. In a folder without a Pulumi project it writes one, as init does; in a project, the TypeScript file that
it runs, if that is not there yet. Otherwise it writes nothing, and says why.

With --import it writes import.json as well. \`pulumi import --file import.json\` then records the numbers without a
request, and the next \`pulumi up\` sends nothing. It trusts the table, so compare the table with the platform first.
It needs Pulumi 3.254 or newer.

The columns are ${COLUMNS.join(",")}; - means none, and so does a missing column.
Numbers start with + and the country code. Longer extensions than six digits are written as ext:5551234.

${columns(EXAMPLES)}`,
  options,
  takes: { least: 1, most: 2, rule: "Name one file, and at most one folder." },
  exitCodes: "0 done, 1 rows to fix, 2 wrong arguments",
  page: "docs/guides/existing-numbers.md",
  async run({ values, positionals: [file = "", folder = "."] }, io) {
    const weightTotal = readTotal(values["weight-total"]);
    const numbers = readNumbers(await readText(file, io), weightTotal);
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
  const { folder, weightTotal, stack } = wanted;
  const holders = grouped(rows);
  const project = projectOf(folder);
  const named = readProjectOptions(wanted, folder);
  const { files, note, isNew } =
    project === undefined
      ? newProject({ ...named, weightTotal, size: rows.length, approved: agentsOf(rows) }, holders, folder)
      : inProject(project, wanted, holders);
  const { baseUrl, language } = named;
  const settings =
    wanted.import && (await settingsOf(isNew ? undefined : await stackOf(wanted, io), baseUrl, folder, io));
  const imported = settings && {
    [IMPORT_FILE]: importText(holders, { language, settings, now: nowOf(io) }),
  };
  const all = { ...files, ...imported };
  writeNew(folder, all, ELSEWHERE);
  const next = isNew ? `${nextCommands(named, folder, true, io)}\n` : "";
  const ofStack = isNew || stack === undefined ? "" : ` --stack ${stack}`;
  io.stdout.write(`${summary(holders)}
Written to ${printable(relative(io.cwd, folder) || ".")}: ${Object.keys(all).join(", ")}.
${note}Resource names are permanent: change them now, or use \`aliases\` later.

${next}Then compare the report with the platform's web application:

  pulumi preview${ofStack} --json > preview.json
  ${CALLED} report preview.json
${imported ? `\n${importAdvice(ofStack)}` : ""}`);
  return 0;
}

function newProject(options: ProjectOptions, holders: readonly PlannedResource[], folder: string) {
  const isYaml = options.language === "yaml";
  const pipelines = pipelinesIn(folder, "all", { project: options.name, stacks: options.stacks });
  const text = isYaml
    ? yamlProject({ ...options, resources: yamlResources(holders), outputs: yamlOutputs(holders) })
    : programText(holders);
  const files: Files = { ...projectFiles(options, text), ...pipelines.files };
  return { files, note: pipelines.note, isNew: true };
}

/** The program of a project that has none. Its settings belong to their owner. */
function inProject(project: ProjectFile, wanted: Wanted, holders: readonly PlannedResource[]) {
  const { folder, language, "base-url": baseUrl } = wanted;
  if (language !== "typescript") {
    throw new UsageError(`${project.shown} exists already. Nothing was written; ${ELSEWHERE}.`);
  }
  if (baseUrl !== undefined) {
    throw new UsageError(`--base-url is for a new project. This one has settings: leave out --base-url.`);
  }
  const path = relative(folder, programFile(project)).replaceAll(sep, "/");
  return { files: { [path]: programText(holders) }, note: "", isNew: false };
}

/** The agents that get calls today, and those that make calls: the guards judge both. */
const agentsOf = (rows: readonly Row[]): string[] => {
  const keys = rows.flatMap((row) => {
    const outbound = outboundOf(row);
    return [...Object.keys(row.routing.inboundAgents), ...(outbound ? [agentKey(outbound)] : [])];
  });
  return [...new Set(keys)].sort();
};

/** The settings of the stack, or of the project that is being written. Guards are not judged, because callers have these splits already. */
async function settingsOf(stack: string | undefined, baseUrl: string, folder: string, io: Io): Promise<Settings> {
  const config: StackConfig =
    stack === undefined
      ? { [`${NAMESPACE}:baseUrl`]: { value: baseUrl, secret: false } }
      : await readConfig(requirePulumi(io.env, "--import"), stack, { ...io, cwd: folder });
  const get = (key: string) => config[`${NAMESPACE}:${key}`]?.value;
  const read = readSettings({ get, env: {}, readApproved: () => "" });
  if ("problems" in read) {
    throw new UsageError(read.problems.map(({ text }) => text).join("\n"));
  }
  return read.settings;
}

// --- what is said of it

const IMPORT_FILE = "import.json";

const importAdvice = (
  ofStack: string,
): string => `To record the numbers as the table lists them, without sending a request:

  pulumi import --file ${IMPORT_FILE} --generate-code=false --protect=false${ofStack}

The import does not read the platform: it records what the table says. Compare the table first, because the next change of a number
starts from it.

`;

function summary(holders: readonly PlannedResource[]): string {
  const groups = holders.filter(({ rows }) => rows.length > 1);
  const inGroups = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  const single = holders.length - groups.length;
  const own = single === 1 ? "its own routing" : "their own routings";
  return `${counted(inGroups + single, "number")}: ${inGroups} in ${counted(groups.length, "group")} with the same routing, ${single} with ${own}.`;
}
