import { relative, resolve } from "node:path";
import { printable } from "../../../provider/core/common/redact";
import { readSettings } from "../../../provider/core/config/readSettings";
import { NAMESPACE, type Settings } from "../../../provider/core/config/settings";
import { counted } from "../../../provider/core/messages";
import { agentKey, sumsTo } from "../../../provider/core/routing/split";
import { CALLED, defineCommand, type ValuesOf } from "../../command";
import { UsageError } from "../../errors";
import { type Io, jsonText, nowOf, readText, refuse, writeNew } from "../../io";
import { readConfig, type StackConfig } from "../../pulumi/config";
import { stackOf } from "../../pulumi/stacks";
import { pipelinesIn } from "../init/pipelines";
import { nextCommands, PROJECT_OPTIONS, projectFiles, readProjectOptions, yamlProject } from "../init/projectFiles";
import { grouped, type PlannedResource } from "./grouped";
import { ELSEWHERE, hasProject, PROGRAM } from "./place";
import { importEntry, programText, yamlOutputs, yamlResources } from "./program";
import { COLUMNS, type Row, readNumbers } from "./rows";

const IMPORT_FILE = "import.json";

const options = {
  import: {
    type: "boolean",
    help: "write the file for `pulumi import --file` as well, which records the numbers and sends nothing",
  },
  ...PROJECT_OPTIONS,
} as const;

export const takeoverCommand = defineCommand({
  name: "takeover",
  group: "Start",
  summary: "Write the program for numbers that have agents already, from a table of them",
  usage: ["<numbers.csv> [folder] [options]"],
  examples: [`${CALLED} takeover numbers.csv phones --stack prod`, `${CALLED} takeover numbers.csv --import`],
  about: `It writes a program whose first \`pulumi up\` sends the routings that the numbers have already. Numbers with equal
routings become one group. In a folder without a Pulumi project it writes one, as init does; in a project that
runs index.ts, that file, if it is not there yet. Otherwise it writes nothing, and says why.

With --import it writes ${IMPORT_FILE} as well. \`pulumi import --file ${IMPORT_FILE}\` then records the numbers without a
request, and the next \`pulumi up\` sends nothing. It trusts the table, so compare the table with the platform first.
It needs Pulumi 3.254 or newer.

The columns are ${COLUMNS.join(",")}; - means none, and so does a missing column.
Numbers start with + and the country code. Longer extensions than six digits are written as ext:5551234.
agents are written as agent_front@12:90 agent_front@13:10, outbound as agent_front@12, time routing as on or off.`,
  options,
  takes: { least: 1, most: 2, rule: "Name one file, and at most one folder." },
  exitCodes: "0 done, 1 rows to fix, 2 wrong arguments, or a file that is no such table",
  page: "docs/guides/existing-numbers.md",
  async run({ values, positionals: [file = "", folder = "."] }, io) {
    const { rows, problems } = readNumbers(await readText(file, io));
    if (problems.length > 0) {
      const what = `${counted(problems.length, "thing")} to fix in ${printable(file)}`;
      const lines = problems.map((problem) => `  ${printable(problem)}`).join("\n");
      refuse("takeover", `${what}. Nothing was written.\n\n${lines}`, io);
      return 1;
    }
    return write(values, resolve(io.cwd, folder), rows, io);
  },
});

async function write(values: ValuesOf<typeof options>, folder: string, rows: readonly Row[], io: Io): Promise<number> {
  const { stack, language, "base-url": baseUrl } = values;
  const holders = grouped(rows);
  const isThere = hasProject(folder);
  if (!isThere && values.import && baseUrl === undefined) {
    throw new UsageError("Name the platform that has the numbers: --base-url <url>. The import records it with them.");
  }
  if (isThere && (language !== "typescript" || baseUrl !== undefined)) {
    throw new UsageError("This folder has a project with settings of its own. Leave out --language and --base-url.");
  }
  const named = readProjectOptions(values, folder);
  const project = isThere
    ? { files: { [PROGRAM]: programText(holders) }, note: "", next: "" }
    : newProject(named, rows, holders, folder, io);
  const settings =
    values.import && (await settingsOf(isThere ? await stackOf(stack, io) : undefined, named.baseUrl, folder, io));
  const recordedAt = nowOf(io).toISOString();
  const entries = settings && holders.map((one) => importEntry(one, named.language, settings, recordedAt));
  const imported = entries && { [IMPORT_FILE]: jsonText({ resources: entries }) };
  const files = { ...project.files, ...imported };
  writeNew(folder, files, ELSEWHERE);
  const ofStack = stack === undefined ? "" : ` --stack ${stack}`;
  const groups = counted(holders.filter(({ kind }) => kind === "NumberGroup").length, "group");
  io.stdout.write(`${counted(rows.length, "number")} in ${counted(holders.length, "resource")}, of which ${groups} with the same routing.
Written to ${printable(relative(io.cwd, folder) || ".")}: ${Object.keys(files).join(", ")}.
${project.note}Resource names are permanent: change them now, or use \`aliases\` later.

${project.next}Then compare the report with the platform's web application:

  pulumi preview${ofStack} --json > preview.json
  ${CALLED} report preview.json
${imported ? importAdvice(ofStack) : ""}`);
  return 0;
}

function newProject(
  named: ReturnType<typeof readProjectOptions>,
  rows: readonly Row[],
  holders: readonly PlannedResource[],
  folder: string,
  io: Io,
) {
  const weightTotal = rows.some(({ routing: { inboundAgents } }) => sumsTo(inboundAgents, 1)) ? 1 : 100;
  const options = { ...named, weightTotal, size: rows.length, approved: agentsOf(rows) };
  const pipelines = pipelinesIn(folder, "all", { project: named.name, stacks: named.stacks });
  const text =
    named.language === "yaml"
      ? yamlProject({ ...named, resources: yamlResources(holders), outputs: yamlOutputs(holders) })
      : programText(holders);
  return {
    files: { ...projectFiles(options, text), ...pipelines.files },
    note: pipelines.note,
    next: `${nextCommands(named, folder, true, io)}\n`,
  };
}

/** The agents that get calls today, and those that make calls: the guards judge both. */
const agentsOf = (rows: readonly Row[]): string[] => {
  const keys = rows.flatMap(({ routing: { inboundAgents, outboundAgentId: agentId, outboundAgentVersion } }) => [
    ...Object.keys(inboundAgents),
    ...(agentId === undefined ? [] : [agentKey({ agentId, agentVersion: outboundAgentVersion })]),
  ]);
  return [...new Set(keys)].sort();
};

/** The settings of the stack, or of the project that is being written. Guards are not judged, because callers have these splits already. */
async function settingsOf(stack: string | undefined, baseUrl: string, folder: string, io: Io): Promise<Settings> {
  const config: StackConfig =
    stack === undefined
      ? { [`${NAMESPACE}:baseUrl`]: { value: baseUrl, secret: false } }
      : await readConfig(stack, { ...io, cwd: folder });
  const get = (key: string) => config[`${NAMESPACE}:${key}`]?.value;
  const read = readSettings({ get, env: {}, readApproved: () => "" });
  if ("problems" in read) {
    throw new UsageError(read.problems.map(({ text }) => text).join("\n"));
  }
  return read.settings;
}

const importAdvice = (ofStack: string): string => `
To record the numbers as the table lists them, without sending a request:

  pulumi import --file ${IMPORT_FILE} --generate-code=false --protect=false${ofStack}

The import does not read the platform: it records what the table says. Compare the table first, because the next change of a number
starts from it.
`;
