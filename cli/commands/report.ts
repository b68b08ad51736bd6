import { printable } from "../../provider/core/common/redact";
import { postedNouns } from "../../provider/core/platform/posted";
import { CALLED, defineCommand, type ValuesOf } from "../command";
import { UsageError } from "../errors";
import { type Io, readExactly, readText, writeText } from "../io";
import { type Preview, readPreview } from "../pulumi/preview";
import { programFolder } from "../pulumi/projectFile";
import type { Alert } from "../report/diagnostics";
import {
  type BlockingGate,
  blockingGates,
  FORMS,
  factsText,
  type Gate,
  gateLines,
  gateText,
  readGates,
} from "../report/gates";
import { reviewToJson, toJson } from "../report/json";
import { toMarkdown } from "../report/markdown";
import { buildModel, type Model } from "../report/model";
import { reviewToMarkdown } from "../report/stacks/markdown";
import { buildReview, type NamedPreview, type Review } from "../report/stacks/review";
import { id, plain, say } from "../report/text";

const EXIT = { fine: 0, blocked: 1, mismatch: 3 } as const;

const options = {
  output: { type: "string", value: "<file>", help: "write there; default standard output" },
  title: { type: "string", value: "<text>", help: "a title above the report" },
  "fail-on": {
    type: "string",
    value: "<list>",
    help: `exit with 1 if one of these is in the change: ${FORMS}`,
  },
  digest: { type: "boolean", help: "print only the digest of the change; of several stacks, a line for each" },
  expect: {
    type: "string",
    value: "<digest>",
    help: "exit with 3 unless the change of one stack is the reviewed one",
  },
  json: { type: "boolean", help: "print it for other programs" },
} as const;

type Values = ValuesOf<typeof options>;

export const reportCommand = defineCommand({
  name: "report",
  group: "Review a change",
  summary: "Explain a preview in a comment for a pull request, and block what must not be merged",
  usage: ["[preview.json] [options]", "<preview.json> <preview.json>… [options]"],
  examples: [
    `pulumi preview --json | ${CALLED} report > comment.md`,
    `${CALLED} report preview.json --fail-on replace,delete,shift=25 --output comment.md`,
    `${CALLED} report preview.json --expect 1f0c9a526d1e`,
    `${CALLED} report dev.json canary.json prod.json --output comment.md`,
  ],
  about: `It reads what \`pulumi preview --json\` printed, from the file or from standard input, and explains what it means for the
numbers, ${postedNouns("and")}. Beside it, it reads only the project's file, and the file that approvedAgents names. It sends nothing.

The condition shift=25 is met if one change moves more than 25 percentage points of a number's traffic. The digest stands for the
change: the same change has the same digest in the pull request and in the merge job.

Several previews, one of each stack of a project, make one comment, in the order of promote.after. It also blocks what no preview
of one stack shows: a number that leaves one stack and joins another, and a number that two stacks declare. Preview with
\`pulumi preview --json --show-sames\`, so that numbers that stay as they are can be compared too.`,
  options,
  takes: { least: 0, most: 100, rule: "Name at most 100 previews." },
  exitCodes: `0 fine, 1 a CI gate blocks or a preview itself failed, 2 wrong arguments or no preview,
3 not what was reviewed. The report is written in every case but 2.`,
  page: "docs/guides/pipelines.md",
  async run({ values, positionals: files }, io) {
    const gates = values["fail-on"] === undefined ? [] : readGates(values["fail-on"]);
    const expected = values.expect === undefined ? undefined : digestIn(values.expect);
    if (files.length > 1) {
      return reportStacks(files, gates, values, io);
    }
    const model = buildModel(await readInput(files, io), values.title, io.now?.(), approvedReader(io));
    const blocking = blockingGates(gates, model);
    const isOther = expected !== undefined && model.digest !== expected;
    const alerts = isOther ? [mismatch(expected, model.digest)] : [];
    const extra = { alerts, lines: gateLines(gates, blocking, model) };
    const digest = model.digest === undefined ? "" : `${model.digest}\n`;
    const report = values.json ? toJson(model, blocking) : toMarkdown(model, extra);
    writeText(values.digest ? digest : report, values.output, io);
    tell([...alerts.map(({ title }) => plain(title)), ...problemsOf(model, blocking)], io);
    if (isOther) {
      return EXIT.mismatch;
    }
    return blocking.length > 0 || model.hasFailed ? EXIT.blocked : EXIT.fine;
  },
});

async function reportStacks(
  files: readonly string[],
  gates: readonly Gate[],
  { json, output, title, digest, expect }: Values,
  io: Io,
): Promise<number> {
  if (expect !== undefined) {
    throw new UsageError("--expect compares the preview of one stack. Name one preview.");
  }
  const previews: NamedPreview[] = [];
  for (const file of files) {
    previews.push({ file, preview: await readNamed(file, io) });
  }
  const review = buildReview(previews, { title, gates, now: io.now?.(), readApproved: approvedReader(io) });
  const report = json ? reviewToJson(review) : reviewToMarkdown(review, gates);
  writeText(digest ? digestsOf(review) : report, output, io);
  const problems = [
    ...review.crossings.filter(({ isBlocking }) => isBlocking).map((one) => plain(one.title)),
    ...review.stacks.flatMap(({ stack, model, blocking }) =>
      problemsOf(model, blocking).map((line) => `${stack}: ${line}`),
    ),
  ];
  tell(problems, io);
  return problems.length > 0 ? EXIT.blocked : EXIT.fine;
}

/** Why the command ends with 1: the preview itself failed, or gates block. */
const problemsOf = (model: Model, blocking: readonly BlockingGate[]): string[] => [
  ...(model.hasFailed ? [plain(model.headline)] : []),
  ...blocking.map((one) => `${gateText(one.gate)}: ${plain(factsText(one, 5))}`),
];

function tell(lines: readonly string[], io: Io): void {
  for (const line of lines) {
    io.stderr.write(`agent-platform report: ${printable(line)}\n`);
  }
}

/** The file of approvedAgents lies in the program's folder, as the provider reads it. The preview was made in the project's. */
const approvedReader =
  (io: Io) =>
  (file: string): string | undefined => {
    try {
      return readExactly(file, { ...io, cwd: programFolder(io.cwd) });
    } catch {
      return undefined;
    }
  };

/** With several previews, an error names the file. */
async function readNamed(file: string, io: Io): Promise<Preview> {
  const text = await readText(file, io);
  try {
    return readPreview(text);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${file}: ${error.message}`) : error;
  }
}

const digestsOf = ({ stacks }: Review): string =>
  stacks.flatMap(({ stack, model: { digest } }) => (digest === undefined ? [] : `${stack} ${digest}\n`)).join("");

function digestIn(text: string): string {
  if (/^[\da-f]{12}$/.test(text.trim())) {
    return text.trim();
  }
  throw new UsageError("--expect takes the 12 characters behind `reviewed-digest` in the report.");
}

async function readInput(files: readonly string[], io: Io): Promise<Preview> {
  const [file = "-"] = files;
  if (files.length === 0 && io.stdin.isTTY) {
    throw new UsageError(`Name a preview, or pipe one in: \`pulumi preview --json | ${CALLED} report\`.`);
  }
  return readPreview(await readText(file, io));
}

const mismatch = (expected: string, found: string | undefined): Alert => ({
  tone: "danger",
  title: say`This is not what was reviewed: expected ${id(expected)}, ${found === undefined ? "but this preview failed" : say`found ${id(found)}. Review it again`}`,
  quote: [],
});
