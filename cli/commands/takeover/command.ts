import { basename, relative, resolve } from "node:path";
import { counted } from "../../../provider/core/messages";
import { readSettings } from "../../../provider/core/readSettings";
import { printable } from "../../../provider/core/redact";
import { NAMESPACE, type Settings } from "../../../provider/core/settings";
import { CALLED, defineCommand, type ValuesOf } from "../../command";
import { UsageError } from "../../errors";
import { type Files, type Io, readText, writeNew } from "../../io";
import { requirePulumi } from "../../pulumi/cli";
import { readConfig, type StackConfig } from "../../pulumi/config";
import { projectFileIn } from "../../pulumi/projectFile";
import { pipelineFiles } from "../init/pipelines";
import { nextCommands, PROJECT_OPTIONS, projectFiles, readProject, yamlProject } from "../init/projectFiles";
import { grouped, type Holder } from "./grouped";
import { importText, programText, yamlResources } from "./program";
import { COLUMNS, type Numbers, type Row, readNumbers } from "./rows";

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
routings become one group. If the folder has no Pulumi project, it writes one, as init does. It overwrites nothing.

With --import it writes import.json as well. \`pulumi import --file import.json\` then records the numbers without a
request, and the next \`pulumi up\` sends nothing. It trusts the table, so compare the table with the platform first.
It needs Pulumi 3.254 or newer.

The columns are ${COLUMNS.join(",")}. Fill every cell; - means none.

  agents        agent_front@12:90 agent_front@13:10
  outbound      agent_front@12
  time routing  on or off`,
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
  const named = readProject(wanted, folder);
  const { stack, baseUrl, language } = named;
  const projectFile = projectFileIn(folder);
  const program = language === "yaml" ? basename(projectFile ?? "Pulumi.yaml") : wanted.program;
  if (!/^[\w-]+\.ts$/.test(wanted.program)) {
    throw new UsageError("--program takes the name of a file, such as numbers.ts.");
  }
  const holders = grouped(rows);
  const isNew = projectFile === undefined;
  const approved = [...new Set(rows.flatMap(({ agents }) => Object.keys(agents)))].sort();
  const project = { ...named, approved, weightTotal, program };
  const programOptions = { weightTotal, hasPipelines: isNew };
  const settings = wanted.import && (await settingsOf(isNew ? undefined : stack, baseUrl, folder, io));
  const files: Files = {
    [program]:
      language === "yaml"
        ? yamlProject({ ...project, ...programOptions, resources: yamlResources(holders, programOptions) })
        : programText(holders, programOptions),
    ...(settings && { [IMPORT_FILE]: importText(holders, { ...programOptions, language, settings }) }),
    ...(isNew && { ...projectFiles(project), ...pipelineFiles("all", stack) }),
  };
  writeNew(folder, files, "choose another folder, or another name with --program");
  io.stdout.write(outcomeText({ ...wanted, baseUrl, program, isNew, paths: Object.keys(files), holders }, io));
  return 0;
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

interface Written extends Wanted {
  readonly baseUrl: string;
  /** Was the project written too? */
  readonly isNew: boolean;
  readonly paths: readonly string[];
  readonly holders: readonly Holder[];
}

/** What was written, and what to do with it. */
function outcomeText(written: Written, io: Io): string {
  const { folder, program, isNew, paths, holders } = written;
  const imported = `Import it where your program begins: import "./${program.replace(/\.ts$/, "")}";\n`;
  return `${summary(holders)}
Written to ${printable(relative(io.cwd, folder) || ".")}: ${paths.join(", ")}.
${isNew || program === "index.ts" ? "" : imported}Resource names are permanent: change them now, or use \`aliases\` later.

${isNew ? `${nextCommands({ ...written, hasPipelines: true }, io)}\n` : ""}Then compare the report with the platform's web application:

  pulumi preview --json > preview.json
  ${CALLED} report preview.json
${written.import ? `\n${IMPORT}` : ""}`;
}

function summary(holders: readonly Holder[]): string {
  const groups = holders.filter(({ kind }) => kind === "NumberGroup");
  const inGroups = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  const single = holders.length - groups.length;
  const own = single === 1 ? "its own routing" : "their own routings";
  return `${counted(inGroups + single, "number")}: ${inGroups} in ${counted(groups.length, "group")} with the same routing, ${single} with ${own}.`;
}
