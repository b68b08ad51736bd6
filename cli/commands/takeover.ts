import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { printable } from "../../provider/base/text";
import { NAMESPACE } from "../../provider/config/keys";
import { readSettings } from "../../provider/config/settings";
import { agentKey, sumsTo } from "../../provider/routing/split";
import { counted } from "../../provider/words/message";
import { CALLED, defineCommand, type ValuesOf } from "../command";
import { UsageError } from "../errors";
import { type Io, readText, sayRefusal, shellText, wrapped, writeNew } from "../io";
import { present } from "../lists";
import { projectFileIn } from "../pulumi/cli";
import { readConfig, valuesOf } from "../pulumi/config";
import { stackOf } from "../pulumi/stacks";
import type { Properties } from "../pulumi/values";
import { grouped, importText, programText, type Recorded } from "../start/program";
import { projectFiles, readBaseUrl, readProjectOptions } from "../start/project";
import { readNumbers, TABLE_COLUMNS, type TableRow } from "../start/table";

const PROGRAM = "numbers.ts";
const IMPORT_FILE = "import.json";

const OPTIONS = {
  import: {
    type: "boolean",
    help: "also write the file for `pulumi import --file`",
  },
  "base-url": {
    type: "string",
    value: "<url>",
    help: "the platform; default that of the stack's config",
  },
  stack: {
    type: "string",
    value: "<name>",
    help: "the stack whose config is read; default the selected one, or dev in a new project",
  },
} as const;

export const takeoverCommand = defineCommand({
  name: "takeover",
  group: "Start",
  summary: "Write the program for numbers that have agents already, from a table of them",
  usage: ["<numbers.csv> [folder] [options]"],
  examples: [`${CALLED} takeover numbers.csv --import`, `${CALLED} takeover numbers.csv phones --base-url <url>`],
  about: `It writes ${PROGRAM} into the folder of a project: a program whose first \`pulumi up\` sends the routings that the
numbers have already. Numbers with equal routings become one group. It overwrites nothing, and writes nowhere else. If the
folder has no project, it writes one, without pipelines.

With --import it writes ${IMPORT_FILE} as well. \`pulumi import --file ${IMPORT_FILE}\` then records the numbers without a
request, and the next \`pulumi up\` sends nothing. It trusts the table, so compare the table with the platform first.
It needs Pulumi 3.254 or newer.

The columns are ${TABLE_COLUMNS.join(",")}; - means none, and so does a missing column.
Numbers start with + and the country code. Extensions that are not one to six digits are written as ext:front-desk.
agents are written as agent_front@12:90 agent_front@13:10, outbound as agent_front@12, time routing as on or off.`,
  options: OPTIONS,
  takes: { least: 1, most: 2, rule: "Name one file, and at most one folder." },
  exitCodes: "0 done, 1 rows to fix, 2 wrong arguments, or a file that is no such table",
  page: "existing-numbers",
  async run({ values, positionals: [file = "", folder = "."] }, io) {
    const { rows, problems } = await readTable(file, io);
    if (problems.length > 0) {
      const what = `${counted(problems.length, "thing")} to fix in ${printable(file)}`;
      const lines = problems.map((problem) => `  ${printable(problem)}`).join("\n");
      sayRefusal("takeover", `${what}. Nothing was written.\n\n${lines}`, io);
      return 1;
    }
    io.stdout.write(await writeNumbers(values, resolve(io.cwd, folder), rows, io));
    return 0;
  },
});

async function readTable(file: string, io: Io) {
  const text = await readText(file, io);
  try {
    return readNumbers(text);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${file}: ${error.message}`) : error;
  }
}

/** Returns what was written, and what to do next. */
async function writeNumbers(
  values: ValuesOf<typeof OPTIONS>,
  folder: string,
  rows: readonly TableRow[],
  io: Io,
): Promise<string> {
  const { import: isImported = false, "base-url": baseUrl, stack } = values;
  const resources = grouped(rows);
  const approved = agentsOf(rows);
  const isNew = projectFileIn(folder) === undefined;
  const named = {
    ...(baseUrl !== undefined && { "base-url": baseUrl }),
    ...(stack !== undefined && { stack: [stack] }),
  };
  const files = {
    ...(isNew &&
      projectFiles(readProjectOptions(named, folder), {
        program: PROGRAM,
        approved,
        // Callers have these splits already.
        weightTotal: rows.some(({ routing: { inboundAgents } }) => sumsTo(inboundAgents, 1)) ? 1 : 100,
      })),
    [PROGRAM]: programText(resources),
    ...(isImported && {
      [IMPORT_FILE]: importText(resources, await recordedFor(baseUrl, isNew, stack, { ...io, cwd: folder }), io.now()),
    }),
  };
  const isSecond = [PROGRAM, IMPORT_FILE].some((name) => existsSync(join(folder, name)));
  writeNew(folder, files, isSecond ? "rename or remove what an earlier takeover has written" : undefined);

  const groups = counted(resources.filter(({ kind }) => kind === "NumberGroup").length, "group");
  const list = Object.keys(files).map((name) => `  ${name}\n`);
  const inProject = `Add this line to the program: import "./numbers";`;
  const guard = `If the stack has agent-platform:approvedAgents, it must name ${approved.join(", ")}.`;
  const path = relative(io.cwd, folder);
  const steps = nextSteps(values, path, isNew);
  return `${counted(rows.length, "number")} in ${counted(resources.length, "resource")}, of which ${groups} with the same routing.
Written to ${printable(path || ".")}:

${list.join("")}
${wrapped(`Before the ${isImported ? "import" : "first `pulumi up`"}, compare ${PROGRAM} with the platform's web application.`)}
${isNew ? "" : `${wrapped(inProject)}\n${wrapped(guard)}\n`}
Next:

${steps.map((step) => `  ${step}\n`).join("")}
${wrapped(isImported ? IMPORTS : OVERWRITES)}
`;
}

/** The commands that the user types next, in the folder from which the command was called. */
function nextSteps(
  { import: isImported, stack }: ValuesOf<typeof OPTIONS>,
  path: string,
  isNew: boolean,
): readonly string[] {
  const ofStack = stack === undefined ? "" : ` --stack ${shellText(stack)}`;
  return present([
    path !== "" && `cd ${shellText(path)}`,
    isNew && "npm install",
    isNew && `pulumi stack init ${shellText(stack ?? "dev")}`,
    isImported && `pulumi import --file ${IMPORT_FILE} --generate-code=false --protect=false${ofStack}`,
    `pulumi preview${ofStack}`,
  ]);
}

const IMPORTS =
  "The import sends nothing, and does not read the platform: it records what the table says, and the next change of a number starts from that. The preview after it must show no change.";
const OVERWRITES =
  "A preview sends nothing. The first `pulumi up` overwrites what the numbers have, and nothing can read it back.";

/** The agents that get calls today, and those that make calls: the guards judge both. */
const agentsOf = (rows: readonly TableRow[]): string[] => {
  const keys = rows.flatMap(({ routing: { inboundAgents, outboundAgentId: agentId, outboundAgentVersion } }) => [
    ...Object.keys(inboundAgents),
    ...(agentId === undefined ? [] : [agentKey({ agentId, agentVersion: outboundAgentVersion })]),
  ]);
  return [...new Set(keys)].sort();
};

/** The settings of the stack, with the platform that is named. A new project has none yet. */
async function recordedFor(
  baseUrl: string | undefined,
  isNew: boolean,
  stack: string | undefined,
  io: Io,
): Promise<Recorded> {
  if (baseUrl === undefined && isNew) {
    throw new UsageError("Name the platform that has the numbers: --base-url <url>. The import records it with them.");
  }
  const named = baseUrl === undefined ? {} : { [`${NAMESPACE}:baseUrl`]: readBaseUrl(baseUrl) };
  const ofStack = isNew ? {} : valuesOf(await readConfig({ stack: await stackOf(stack, io) }, io));
  const config: Properties = { ...ofStack, ...named };
  const result = readSettings({ get: (key) => config[`${NAMESPACE}:${key}`], env: {} });
  if ("problems" in result) {
    throw new UsageError(result.problems.map(({ text }) => text).join("\n"));
  }
  const [, reassert] = Object.entries(config).find(([key]) => key.endsWith(":reassert")) ?? [];
  return { settings: result.settings, reassert: String(reassert ?? "") };
}
