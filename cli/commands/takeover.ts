import { existsSync, readdirSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { printable } from "../../provider/base/text";
import { NAMESPACE } from "../../provider/config/keys";
import { BASE_URL_ENV, readSettings, type Settings } from "../../provider/config/settings";
import { agentKey } from "../../provider/routing/split";
import { guardCode, violationRemedy, violationText } from "../../provider/run/violation";
import { remedyOf } from "../../provider/words/codes";
import { counted } from "../../provider/words/message";
import { CLI, defineCommand, type ValuesOf } from "../command";
import { UsageError } from "../errors";
import { manifestIn, parentsOf, readText, writeNew } from "../files";
import type { Io } from "../io";
import { wrap } from "../layout";
import { groupBy, present } from "../lists";
import { printError } from "../print";
import { projectFileIn, tryPulumi } from "../pulumi/cli";
import { readConfig, valuesOf } from "../pulumi/config";
import { stackOf } from "../pulumi/stacks";
import { readState } from "../pulumi/state";
import { numbersIn } from "../pulumi/values";
import { shellText } from "../shell";
import {
  checkedArguments,
  groupRows,
  type ImportConfig,
  importText,
  type PlannedResource,
  programText,
} from "../start/program";
import { readNumbers, TABLE_COLUMNS, type TableRow } from "../start/table";
import { resourcesOfNumbers } from "../state/resources";

const PROGRAM = "numbers.ts";
const IMPORT_FILE = "import.json";

const OPTIONS = {
  import: {
    type: "boolean",
    help: "also write the file for `pulumi import --file`",
  },
  stack: {
    type: "string",
    value: "<name>",
    help: "the stack that will own the numbers; default the selected one",
  },
} as const;

export const takeoverCommand = defineCommand({
  name: "takeover",
  group: "Start",
  summary: "Turn a table of numbers that already have agents into a program",
  usage: ["<numbers.csv> [folder] [options]"],
  examples: [`${CLI} takeover numbers.csv --import`, `${CLI} takeover numbers.csv phones --stack prod`],
  about: `The command writes ${PROGRAM} into a project's folder. The first \`pulumi up\` of that program sends the
routings that the numbers already have. Numbers with equal routings become one group. The command overwrites no file and
writes nothing outside that folder. It also tells you which parts of the table the stack's guards would refuse.

With --import it also writes ${IMPORT_FILE}. \`pulumi import --file ${IMPORT_FILE}\` then records the numbers without
sending a request, and the next \`pulumi up\` sends nothing. The import cannot check the table, so compare it with the
platform first.

The columns are ${TABLE_COLUMNS.join(",")}. A dash means none, and so does a missing column.
Numbers start with + and the country code; extensions are written as they are.
Write agents as agent_front@12:90 agent_front@13:10, outbound as agent_front@12, and time routing as on or off.`,
  options: OPTIONS,
  positionals: { min: 1, max: 2, error: "Pass one file and at most one folder." },
  exitCodes: "0 done; 1 the table has rows to fix; 2 wrong arguments, no project, or not a valid table",
  page: "existing-numbers",
  async run({ values, positionals: [file = "", folder = "."] }, io) {
    const { rows, problems } = await readTable(file, io);
    if (problems.length > 0) {
      const title = `${counted(problems.length, "problem")} in ${printable(file)}`;
      const lines = problems.map((problem) => `  ${printable(problem)}`).join("\n");
      printError("takeover", `${title}. Nothing was written.\n\n${lines}`, io);
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

/**
 * What to do about the files of an earlier takeover. If the program no longer loads its numbers, the next `pulumi up`
 * unassigns them.
 */
const EARLIER_FILES = `rename \`${PROGRAM}\`, use the new name in the program too, and delete \`${IMPORT_FILE}\`. Do not delete \`${PROGRAM}\` itself, because \`pulumi up\` would unassign the agents of its numbers`;

/** Writes the program and, with --import, the import file. Returns a summary with the commands to run next. */
async function writeNumbers(
  { import: isImported = false, stack: named }: ValuesOf<typeof OPTIONS>,
  folder: string,
  rows: readonly TableRow[],
  io: Io,
): Promise<string> {
  const path = relative(io.cwd, folder);
  if (projectFileIn(folder) === undefined) {
    const init = `${CLI} init${path === "" ? "" : ` ${shellText(path)}`}`;
    throw new UsageError(
      `${path === "" ? "This folder" : `The folder ${path}`} has no Pulumi project. Nothing was written. Create one first: ${init}`,
    );
  }
  const stack = await stackOf(named, { ...io, cwd: folder });
  const config = await readImportConfig(stack, { ...io, cwd: folder });
  const state = await readState({ stack }, { ...io, cwd: folder });
  const saved = resourcesOfNumbers(state).map(({ name, outputs }) => [name, new Set(numbersIn(outputs))] as const);
  const resources = groupRows(rows, new Map(saved));
  const files = {
    [PROGRAM]: programText(resources),
    ...(isImported && { [IMPORT_FILE]: importText(resources, config, io.now()) }),
  };
  writeNew(folder, files, EARLIER_FILES);

  const count = resources.filter(({ kind }) => kind === "NumberGroup").length;
  const groups = count === 0 ? "" : `, including ${counted(count, "group")} of numbers with the same routing`;
  const list = Object.keys(files).map((name) => `  ${name}\n`);
  const refused = refusedByGuards(resources, config.settings);
  const option = named === undefined ? "" : ` --stack ${shellText(named)}`;
  const importStatement = importLines(folder, stack);
  const onlyStack = importStatement.length === 1 ? "" : `, so that only stack ${stack} declares the numbers`;
  const steps = present([
    path !== "" && `cd ${shellText(path)}`,
    isImported && `pulumi import --file ${IMPORT_FILE} --generate-code=false${option}`,
    `pulumi preview${option}`,
  ]);
  return `${counted(rows.length, "number")} in ${counted(resources.length, "resource")}${groups}.
Written to ${path === "" ? "this folder" : printable(path)}:

${list.join("")}
${wrap(`Before the ${isImported ? "import" : "first `pulumi up`"}, compare ${PROGRAM} with the platform's web application, and add this to your program${onlyStack}. In a project that init has just written, it replaces the example:`)}

${indented(importStatement)}
${refused.length === 0 ? "" : `\nThe guards of stack ${printable(stack)} refuse this table:\n\n${refused.map((line) => `${wrap(line)}\n`).join("")}`}
Next:

${indented(steps)}

${wrap(isImported ? IMPORTS : OVERWRITES)}
`;
}

const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}`.trimEnd()).join("\n");

const IMPORTS =
  "The import sends nothing, and it cannot check the table against the platform. It records the table's routings in the state as if they had been applied, and guards compare later changes with them. The preview after the import must show no changes to these numbers. The import also protects the resources from being deleted, and the first `pulumi up` removes that protection. If `pulumi up` says that it cannot delete a protected resource, the program does not load the generated file yet. Do not unprotect the resource, because `pulumi up` would then unassign its agents.";
const OVERWRITES =
  "A preview sends nothing. The first `pulumi up` overwrites the current routing of these numbers with the table's. The API cannot return the old routing afterwards.";

/** Returns the code with which the user's program loads the generated file. */
function importLines(folder: string, stack: string): readonly string[] {
  const name = basename(PROGRAM, ".ts");
  const shortName = stack.split("/").at(-1) ?? stack;
  const stacks = readdirSync(folder).flatMap((file) => /^Pulumi\.(.+)\.ya?ml$/.exec(file)?.[1] ?? []);
  const isModule = packageTypeOf(folder) === "module";
  if (stacks.every((other) => other === shortName)) {
    return [`import "./${name}${isModule ? ".js" : ""}";`];
  }
  // Load the file in this stack only. Stacks that declare the same numbers would overwrite each other's routing.
  return [
    `import { getStack } from "@pulumi/pulumi";`,
    "",
    `if (getStack() === ${JSON.stringify(shortName)}) {`,
    isModule ? `  await import("./${name}.js");` : `  require("./${name}");`,
    "}",
  ];
}

/**
 * Returns the `type` field of the nearest package.json. Node uses this field to decide whether a file is an ES module.
 */
function packageTypeOf(folder: string): unknown {
  const nearest = parentsOf(folder).find((path) => existsSync(join(path, "package.json")));
  return nearest && manifestIn(nearest).type;
}

/** Returns a line with a remedy for each guard that the table violates. */
function refusedByGuards(resources: readonly PlannedResource[], settings: Settings): string[] {
  const refused = resources.flatMap((resource) =>
    checkedArguments(resource, settings).violations.map((violation) => ({ name: resource.name, violation })),
  );
  return groupBy(refused, ({ violation: { guard } }) => guard).map(([{ name, violation }, ...others]) => {
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    const missing = agentsOf(resources).filter((agent) => !settings.guards.approvedAgents?.includes(agent));
    const remedy =
      violation.guard === "maxUnapproved"
        ? `Add these agents to agent-platform:approvedAgents: ${missing.join(", ")}.`
        : violationRemedy(violation);
    return `${guardCode(violation)} "${name}"${more}: ${violationText(violation)} ${remedy}`;
  });
}

/** Returns all inbound and outbound agents of the resources, because the guards check both. */
const agentsOf = (resources: readonly PlannedResource[]): string[] => {
  const keys = resources.flatMap(({ rows: [{ routing }] }) => [
    ...Object.keys(routing.inboundAgents),
    ...(routing.outboundAgentId === undefined
      ? []
      : [agentKey({ agentId: routing.outboundAgentId, agentVersion: routing.outboundAgentVersion })]),
  ]);
  return [...new Set(keys)].sort();
};

/** Reads the settings that `pulumi up` would use for this stack, and the value of its config key `reassert`. */
async function readImportConfig(stack: string, io: Io): Promise<ImportConfig> {
  const config = valuesOf(await readConfig({ stack }, io));
  const result = readSettings({
    get: (key) => config[`${NAMESPACE}:${key}`],
    env: { [BASE_URL_ENV]: io.env[BASE_URL_ENV] },
  });
  if ("problems" in result) {
    throw new UsageError(result.problems.map(({ code, text }) => `${text} ${remedyOf(code)}`).join("\n"));
  }
  // Let Pulumi look up the key, because it knows the project's namespace. Without a value, the command fails.
  const { stdout, failed } = await tryPulumi(["config", "get", "reassert", "--stack", stack], io);
  return { settings: result.settings, reassert: failed === undefined ? stdout.trimEnd() : "" };
}
