import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Command, type Io, printable, processIo, readAll, UsageError, withUsage } from "./io";
import { buildModel } from "./report/build";
import { FORMS, gateLines, gateText, readGates, type Tripped, trippedBy } from "./report/gate";
import { toJson } from "./report/json";
import { type Extra, toMarkdown } from "./report/markdown";
import type { Alert, Model } from "./report/model";
import { type Preview, readPreview, UnreadablePreview } from "./report/preview";
import { toSvg } from "./report/svg";
import { id, plain, say } from "./report/text";

const usage = `Usage: agent-platform report [options] [preview.json]

Reads what \`pulumi preview --json\` wrote, from the file or from standard input, and says what it means for the
numbers, voices and chats: a comment for a pull request. It reads nothing else and sends nothing.

  --format <form>      markdown (default), svg or json
  --output <file>      write there; default: standard output
  --title <text>       a title above the report
  --fail-on <list>     exit 1 where one of these is in the change: ${FORMS}
  --digest             print only the digest of what is to be reviewed
  --expect <digest>    exit 3 where the change is not the reviewed one
  --help               this text

Exit codes: 0 fine, 1 a gate is tripped or the preview itself failed, 2 wrong arguments or no preview,
3 not what was reviewed. The report is written in all but the second case.

Example: pulumi preview --json | agent-platform report --fail-on replace,delete,'shift>25' > comment.md
`;

const options = {
  format: { type: "string", default: "markdown" },
  output: { type: "string" },
  title: { type: "string" },
  "fail-on": { type: "string", default: "" },
  digest: { type: "boolean" },
  expect: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

const EXIT = { fine: 0, tripped: 1, mismatch: 3 } as const;

export async function runReport(argv: readonly string[], io: Io): Promise<number> {
  return withUsage("report", io, async () => {
    const { values, positionals } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: true });
    if (!values.help) return report(values, positionals, io);
    io.stdout.write(usage);
    return EXIT.fine;
  });
}

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

async function report(values: Values, files: readonly string[], io: Io): Promise<number> {
  const gates = values["fail-on"] === "" ? [] : gatesIn(values["fail-on"]);
  const draw = drawerOf(values.format);
  const expected = values.expect === undefined ? undefined : digestIn(values.expect);
  const model = buildModel(await readInput(files, io), values.title);
  const tripped = trippedBy(gates, model);
  const isOther = expected !== undefined && model.digest !== expected;
  const alerts = isOther ? [mismatch(expected, model.digest)] : [];
  const text = values.digest ? digestText(model) : draw(model, { alerts, lines: gateLines(gates, tripped) }, tripped);
  write(text, values.output, io);
  for (const line of [...alerts.map(({ title }) => plain(title)), ...exitLines(model, tripped)])
    io.stderr.write(`agent-platform report: ${printable(line)}\n`);
  if (isOther) return EXIT.mismatch;
  return tripped.length > 0 || model.hasFailed ? EXIT.tripped : EXIT.fine;
}

export const reportCommand: Command = {
  name: "report",
  summary: "Say what a preview means, as a comment for a pull request, and stop what must not be merged",
  run: (argv) => runReport(argv, processIo()),
};

function gatesIn(text: string) {
  const gates = readGates(text);
  if (Array.isArray(gates)) return gates;
  throw new UsageError(`--fail-on: "${gates.unknown}" is no condition. They are: ${FORMS}.`);
}

type Draw = (model: Model, extra: Extra, tripped: readonly Tripped[]) => string;

const DRAWERS: Readonly<Record<string, Draw>> = {
  markdown: toMarkdown,
  svg: toSvg,
  json: (model, _, tripped) =>
    toJson(
      model,
      tripped.map(({ gate, facts }) => ({ gate: gateText(gate), facts: facts.map(({ text }) => text) })),
    ),
};

function drawerOf(format: string): Draw {
  const draw = Object.hasOwn(DRAWERS, format) ? DRAWERS[format] : undefined;
  if (draw === undefined) throw new UsageError(`--format takes markdown, svg or json, not "${format}".`);
  return draw;
}

function digestIn(text: string): string {
  if (/^[\da-f]{12}$/.test(text.trim())) return text.trim();
  throw new UsageError("--expect takes the 12 characters behind `reviewed-digest` in the report.");
}

async function readInput(files: readonly string[], io: Io): Promise<Preview> {
  const [file = "-", ...more] = files;
  if (more.length > 0) throw new UsageError("Name one preview at most.");
  if (files.length === 0 && io.stdin.isTTY) {
    throw new UsageError("Name a preview, or pipe one in: `pulumi preview --json | agent-platform report`.");
  }
  try {
    return readPreview(file === "-" ? await readAll(io.stdin) : readFileSync(resolve(io.cwd, file), "utf8"));
  } catch (error) {
    if (error instanceof UnreadablePreview) throw new UsageError(error.message);
    throw isSystemError(error) ? new UsageError(`${file} cannot be read (${error.code}).`) : error;
  }
}

function write(text: string, output: string | undefined, io: Io): void {
  if (output === undefined) return void io.stdout.write(text);
  try {
    writeFileSync(resolve(io.cwd, output), text);
  } catch (error) {
    throw isSystemError(error) ? new UsageError(`--output: ${output} cannot be written (${error.code}).`) : error;
  }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).code === "string" && "syscall" in error;

const digestText = ({ digest }: Model): string => (digest === undefined ? "" : `${digest}\n`);

const mismatch = (expected: string, found: string | undefined): Alert => ({
  tone: "danger",
  title:
    found === undefined
      ? say`This is not what was reviewed: ${id(expected)} was, and this preview failed`
      : say`This is not what was reviewed: ${id(expected)} was, and this is ${id(found)}. Review it again`,
  quote: [],
});

function exitLines(model: Model, tripped: readonly Tripped[]): string[] {
  return [
    ...(model.hasFailed ? [plain(model.headline)] : []),
    ...tripped.map(
      ({ gate, facts }) =>
        `${gateText(gate)}: ${facts
          .slice(0, 5)
          .map(({ text }) => plain(text))
          .join("; ")}${facts.length > 5 ? ` and ${facts.length - 5} more` : ""}`,
    ),
  ];
}
