import { resolve } from "node:path";
import { printable } from "../../provider/core/common/redact";
import { readSettings } from "../../provider/core/config/readSettings";
import type { Settings } from "../../provider/core/config/settings";
import { counted } from "../../provider/core/messages";
import { agentKey, sumsTo } from "../../provider/core/routing/split";
import { CALLED, defineCommand, type ValuesOf } from "../command";
import { UsageError } from "../errors";
import { PROJECT_OPTIONS, type ProjectOptions, readProjectOptions, writeProject } from "../init/projectFiles";
import { type Io, jsonText, readText, sayRefusal, wrapped } from "../io";
import { grouped, type PlannedResource } from "../takeover/grouped";
import { importEntry, programText } from "../takeover/program";
import { readColumnNames, readNumbers, TABLE_COLUMNS, type TableRow } from "../takeover/rows";

const IMPORT_FILE = "import.json";

const TAKEOVER_OPTIONS = {
  import: {
    type: "boolean",
    help: "write the file for `pulumi import --file` as well, which records the numbers and sends nothing",
  },
  columns: {
    type: "string",
    value: "<map>",
    help: 'names of your columns, as in "Phone Number=number,Description=-"',
  },
  ...PROJECT_OPTIONS,
} as const;

export const takeoverCommand = defineCommand({
  name: "takeover",
  group: "Start",
  summary: "Write the program for numbers that have agents already, from a table of them",
  usage: ["<numbers.csv> [folder] [options]"],
  examples: [`${CALLED} takeover numbers.csv phones --stack prod`, `${CALLED} takeover numbers.csv phones --import`],
  about: `It writes a program whose first \`pulumi up\` sends the routings that the numbers have already. Numbers with equal
routings become one group. It writes a project as init does, and overwrites nothing. For a project that you have,
name an empty folder, and copy the program and ${IMPORT_FILE} from there.

With --import it writes ${IMPORT_FILE} as well. \`pulumi import --file ${IMPORT_FILE}\` then records the numbers without a
request, and the next \`pulumi up\` sends nothing. It trusts the table, so compare the table with the platform first.
It needs Pulumi 3.254 or newer.

The columns are ${TABLE_COLUMNS.join(",")}; - means none, and so does a missing column.
Numbers start with + and the country code. Longer extensions than six digits are written as ext:5551234.
agents are written as agent_front@12:90 agent_front@13:10, outbound as agent_front@12, time routing as on or off.`,
  options: TAKEOVER_OPTIONS,
  takes: { least: 1, most: 2, rule: "Name one file, and at most one folder." },
  exitCodes: "0 done, 1 rows to fix, 2 wrong arguments, or a file that is no such table",
  page: "existing-numbers",
  async run({ values, positionals: [file = "", folder = "."] }, io) {
    const { rows, problems } = await readTable(file, values.columns, io);
    if (problems.length > 0) {
      const what = `${counted(problems.length, "thing")} to fix in ${printable(file)}`;
      const lines = problems.map((problem) => `  ${printable(problem)}`).join("\n");
      sayRefusal("takeover", `${what}. Nothing was written.\n\n${lines}`, io);
      return 1;
    }
    return writeNumbers(values, resolve(io.cwd, folder), rows, io);
  },
});

async function readTable(file: string, columns: string | undefined, io: Io) {
  const names = readColumnNames(columns);
  const text = await readText(file, io);
  try {
    return readNumbers(text, names);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${file}: ${error.message}`) : error;
  }
}

function writeNumbers(
  values: ValuesOf<typeof TAKEOVER_OPTIONS>,
  folder: string,
  rows: readonly TableRow[],
  io: Io,
): number {
  const { stack: [, another] = [], "base-url": baseUrl } = values;
  if (another !== undefined) {
    throw new UsageError("Two stacks with the same number would overwrite each other. Name one with --stack.");
  }
  if (values.import && baseUrl === undefined) {
    throw new UsageError("Name the platform that has the numbers: --base-url <url>. The import records it with them.");
  }
  const resources = grouped(rows);
  const project = readProjectOptions(values, folder);
  const written = writeProject(project, folder, "all", io, {
    program: (first) => programText(first, resources),
    approved: agentsOf(rows),
    weightTotal: rows.some(({ routing: { inboundAgents } }) => sumsTo(inboundAgents, 1)) ? 1 : 100,
    files: values.import ? { [IMPORT_FILE]: importFile(resources, project, io.now()) } : {},
    importing: values.import ? `pulumi import --file ${IMPORT_FILE} --generate-code=false --protect=false` : undefined,
  });
  const groups = counted(resources.filter(({ kind }) => kind === "NumberGroup").length, "group");
  io.stdout.write(`${counted(rows.length, "number")} in ${counted(resources.length, "resource")}, of which ${groups} with the same routing.
${written}
${wrapped(`Before the ${values.import ? "import" : "first `pulumi up`"}, compare the program with the platform's web application.`)}
${values.import ? IMPORTS : ""}`);
  return 0;
}

/** The agents that get calls today, and those that make calls: the guards judge both. */
const agentsOf = (rows: readonly TableRow[]): string[] => {
  const keys = rows.flatMap(({ routing: { inboundAgents, outboundAgentId: agentId, outboundAgentVersion } }) => [
    ...Object.keys(inboundAgents),
    ...(agentId === undefined ? [] : [agentKey({ agentId, agentVersion: outboundAgentVersion })]),
  ]);
  return [...new Set(keys)].sort();
};

/** Guards are not judged, because callers have these splits already. */
function importFile(resources: readonly PlannedResource[], { baseUrl }: ProjectOptions, now: Date): string {
  const read = readSettings({
    get: (key) => (key === "baseUrl" ? baseUrl : undefined),
    env: {},
  });
  const { settings } = read as { settings: Settings };
  return jsonText({ resources: resources.map((one) => importEntry(one, settings, now.toISOString())) });
}

const IMPORTS = `The import sends nothing, and does not read the platform: it records what the
table says, and the next change of a number starts from that. The preview after
it must show no change.
`;
