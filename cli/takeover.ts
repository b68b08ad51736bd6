import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { exists, type Files, writeNew } from "./init/newFiles";
import { pipelineFiles } from "./init/pipelines";
import { EMULATOR_URL, projectFiles, projectName, readBaseUrl, readStackName } from "./init/projectFiles";
import { type Command, type Io, printable, processIo, readAll, UsageError, withUsage } from "./io";
import { grouped } from "./takeover/grouped";
import { outcomeText } from "./takeover/outcome";
import { compare, plannedBy } from "./takeover/preview";
import { programText } from "./takeover/program";
import { COLUMNS, type Numbers, type Row, readNumbers } from "./takeover/rows";

const usage = `Usage: agent-platform takeover <numbers.csv> [dir] [options]
       agent-platform takeover <numbers.csv> --preview <file>

Writes the program whose first \`pulumi up\` sends what the numbers do already; numbers with equal routings become one group.
In a folder without a Pulumi project it writes one, as init does. It overwrites nothing.

The columns: ${COLUMNS.join(",")}
Every cell is filled; - means none.

  agents        agent_front@12:90 agent_front@13:10
  outbound      agent_front@12
  time routing  on or off

  --preview <file>       compare the output of \`pulumi preview --json\` with the file, in one table; \`-\` is standard input
  --program <file>       the program's name; default index.ts
  --weight-total <n>     what the shares of a number sum to; default 100
  --stack <name>         the stack whose settings are written; default dev
  --base-url <url>       where the platform answers; default ${EMULATOR_URL}, the emulator
  --help                 this text

Exit code: 0 done, 1 rows to mend or, with --preview, a difference or a preview that failed; 2 wrong arguments.
`;

const options = {
  preview: { type: "string" },
  program: { type: "string", default: "index.ts" },
  "weight-total": { type: "string", default: "100" },
  stack: { type: "string", default: "dev" },
  "base-url": { type: "string", default: EMULATOR_URL },
  help: { type: "boolean", short: "h" },
} as const;

export async function runTakeover(argv: readonly string[], io: Io): Promise<number> {
  return withUsage("takeover", io, async () => {
    const { values, positionals } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: true });
    if (values.help) {
      io.stdout.write(usage);
      return 0;
    }
    const [file, folder = ".", ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError("Name one file, and at most one folder.");
    const weightTotal = readTotal(values["weight-total"]);
    const numbers = readNumbers(await readText(file, io), weightTotal);
    for (const warning of numbers.warnings) io.stderr.write(`warning: ${printable(warning)}\n`);
    if (numbers.problems.length > 0) return refuse(file, numbers, io);
    if (values.preview !== undefined) return compareWith(values.preview, numbers.rows, io);
    return write({ ...values, file, folder: resolve(io.cwd, folder), weightTotal }, numbers.rows, io);
  });
}

export const takeoverCommand: Command = {
  name: "takeover",
  summary: "Write the program for numbers that have agents already, from a table of them",
  run: (argv) => runTakeover(argv, processIo()),
};

function readTotal(text: string): number {
  const total = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (!(total > 0)) throw new UsageError("--weight-total takes a number above 0.");
  return total;
}

async function readText(file: string, io: Io): Promise<string> {
  if (file === "-") return readAll(io.stdin);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(resolve(io.cwd, file)));
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const isEncoding = code === "ERR_ENCODING_INVALID_ENCODED_DATA";
    throw new UsageError(isEncoding ? `${file} is not UTF-8; save it as that.` : `${file} cannot be read (${code}).`);
  }
}

function refuse(file: string, { problems }: Numbers, io: Io): number {
  const lines = problems.map((problem) => `  ${printable(problem)}\n`).join("");
  const count = problems.length === 1 ? "1 thing" : `${problems.length} things`;
  io.stderr.write(`agent-platform takeover: ${count} to mend in ${printable(file)}. Nothing was written.\n\n${lines}`);
  return 1;
}

async function compareWith(source: string, rows: readonly Row[], io: Io): Promise<number> {
  const planned = plannedBy(await readText(source, io));
  if ("failure" in planned) {
    const advice = "A preview that failed shows a part only: mend it, and preview again.";
    io.stderr.write(`agent-platform takeover: ${printable(planned.failure)}. ${advice}\n`);
    return 1;
  }
  const { table, differing } = compare(rows, planned);
  const verdict =
    differing === 0
      ? `All ${rows.length} numbers: the preview says what the file says.`
      : `${differing} ${differing === 1 ? "row differs" : "rows differ"}: what the file says → what the preview says.`;
  const advice =
    "Compare this table with the dashboard: the first `pulumi up` sends it, and what the numbers had before cannot be read back.";
  io.stdout.write(`${verdict} ${advice}\n\n${printableLines(table)}\n`);
  return differing === 0 ? 0 : 1;
}

const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");

interface Wanted {
  readonly file: string;
  readonly folder: string;
  readonly program: string;
  readonly stack: string;
  readonly "base-url": string;
  readonly weightTotal: number;
}

function write(wanted: Wanted, rows: readonly Row[], io: Io): number {
  const { file, folder, program, weightTotal } = wanted;
  const stack = readStackName(wanted.stack);
  const baseUrl = readBaseUrl(wanted["base-url"]);
  if (!/^[\w-]+\.ts$/.test(program)) throw new UsageError("--program takes the name of a file, such as numbers.ts.");
  const holders = grouped(rows);
  const isNew = !exists(join(folder, "Pulumi.yaml"));
  const approved = [...new Set(rows.flatMap(({ agents }) => Object.keys(agents)))].sort();
  const project = { name: projectName(basename(folder)), stack, baseUrl, approved, weightTotal, program };
  const files: Files = {
    [program]: programText(holders, { weightTotal, hasPipelines: isNew }),
    ...(isNew && { ...projectFiles(project), ...pipelineFiles("all", stack) }),
  };
  writeNew(folder, files, "choose another folder, or another name with --program");
  const paths = Object.keys(files);
  io.stdout.write(outcomeText({ file, folder, stack, baseUrl, program, isNew, paths, holders }, io));
  return 0;
}
