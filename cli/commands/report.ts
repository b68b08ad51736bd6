import { printable } from "../../provider/core/common/redact";
import { CALLED, defineCommand, type ValuesOf } from "../command";
import { UsageError } from "../errors";
import { type Io, jsonText, readText, sayRefusal, writeText } from "../io";
import { type Preview, readPreview } from "../pulumi/preview";
import { leftOutIn, readApprovedIn } from "../pulumi/projectFile";
import type { Alert } from "../report/diagnostics";
import { type BlockingGate, blockingGates, FORMS, factsText, type Gate, gateText, readGates } from "../report/gates";
import { reviewToMarkdown, toMarkdown } from "../report/markdown";
import { buildReport, type Report } from "../report/report";
import { buildReview, type NamedPreview, type Review } from "../report/stacks";
import { reviewToTerminal, toTerminal } from "../report/terminal";
import { id, toPlain, words } from "../report/text";

const EXIT = { fine: 0, blocked: 1, mismatch: 3 } as const;

const options = {
  output: { type: "string", value: "<file>", help: "write there; default standard output" },
  "fail-on": {
    type: "string",
    value: "<list>",
    help: `exit with 1 if one of these is in the change: ${FORMS}`,
  },
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
  usage: ["[preview.json] [options]", "<preview.json>… [options]"],
  examples: [
    `pulumi preview --json | ${CALLED} report > comment.md`,
    `${CALLED} report preview.json --fail-on delete,shift=25`,
    `${CALLED} report preview.json --expect 1f0c9a526d1e`,
    `${CALLED} report dev.json prod.json --output comment.md`,
  ],
  about: `It reads what \`pulumi preview --json\` printed, from the file or from standard input, and explains what it means for the
numbers, voices and chats. Beside it, it reads only the project's file, and the file that approvedAgents names. It sends nothing.
At a terminal it is plain text; piped, or with --output, it is the comment.

The condition shift=25 is met if one change moves more than 25 percentage points of a number's traffic. The digest stands for the
change: the same change has the same digest in the pull request and in the merge job.

Several previews, one of each stack of a project, make one comment, in the order of promote.after. It also blocks what no preview
of one stack shows: a number that leaves one stack and joins another, and a number that two stacks declare. Preview with
\`pulumi preview --json --show-sames\`, so that numbers that stay as they are can be compared too.`,
  options,
  takes: { least: 0, most: 20, rule: "Name at most 20 previews." },
  exitCodes: `0 fine, 1 a CI gate blocks or a preview itself failed, 2 wrong arguments or no preview,
3 not what was reviewed. The report is written in every case but 2.`,
  page: "pipelines",
  async run({ values, positionals: files }, io) {
    const gates = values["fail-on"] === undefined ? [] : readGates(values["fail-on"]);
    const expected = values.expect === undefined ? undefined : digestIn(values.expect);
    if (files.length > 1) {
      return reportStacks(files, gates, values, io);
    }
    const report = buildReport(await readInput(files, io), readApprovedIn(io), leftOutIn(io));
    const blocking = blockingGates(gates, report);
    const isOther = expected !== undefined && report.digest !== expected;
    const alerts = isOther ? [mismatch(expected, report.digest)] : [];
    const form = isForEyes(values, io) ? toTerminal : toMarkdown;
    writeText(values.json ? jsonText(reportJson(report, gates)) : form(report, { alerts, gates }), values.output, io);
    tell([...alerts.map((alert) => toPlain(alert.title)), ...problemsOf(report, blocking)], io);
    if (isOther) {
      return EXIT.mismatch;
    }
    return blocking.length > 0 || report.hasFailed ? EXIT.blocked : EXIT.fine;
  },
});

async function reportStacks(files: readonly string[], gates: readonly Gate[], values: Values, io: Io): Promise<number> {
  if (values.expect !== undefined) {
    throw new UsageError("--expect compares the preview of one stack. Name one preview.");
  }
  const previews: NamedPreview[] = [];
  for (const file of files) {
    previews.push({ file, preview: await readNamed(file, io) });
  }
  const review = buildReview(previews, gates, readApprovedIn(io), leftOutIn(io));
  const form = isForEyes(values, io) ? reviewToTerminal : reviewToMarkdown;
  writeText(values.json ? jsonText(reviewJson(review, gates)) : form(review, { gates }), values.output, io);
  const problems = [
    ...review.crossings.filter(({ isBlocking }) => isBlocking).map((one) => toPlain(one.title)),
    ...review.stacks.flatMap(({ stack, report, blocking }) =>
      problemsOf(report, blocking).map((line) => `${stack}: ${line}`),
    ),
  ];
  tell(problems, io);
  return problems.length > 0 ? EXIT.blocked : EXIT.fine;
}

/** What is piped or written into a file is the comment. */
const isForEyes = ({ output }: Values, { stdout }: Io): boolean => output === undefined && stdout.isTTY === true;

/** Why the command ends with 1: the preview itself failed, or gates block. */
const problemsOf = (report: Report, blocking: readonly BlockingGate[]): string[] => [
  ...(report.hasFailed ? [toPlain(report.headline)] : []),
  ...blocking.map((one) => `${gateText(one.gate)}: ${toPlain(factsText(one, 5))}`),
];

function tell(lines: readonly string[], io: Io): void {
  for (const line of lines) {
    sayRefusal("report", printable(line), io);
  }
}

/** With several previews, an error names the file. */
async function readNamed(file: string, io: Io): Promise<Preview> {
  const text = await readText(file, io);
  try {
    return readPreview(text);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${file}: ${error.message}`) : error;
  }
}

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
  title: words`This is not what was reviewed: expected ${id(expected)}, ${found === undefined ? "but this preview failed" : words`found ${id(found)}. Review it again`}`,
  quote: [],
});

/** The report for other programs: what gates judge, and what is sent. */
function reportJson(report: Report, gates: readonly Gate[]) {
  const { project, stack, headline, hasFailed, areBypassed, isUnchanged, facts, requests, digest } = report;
  const blocking = blockingGates(gates, report).map((one) => ({
    gate: gateText(one.gate),
    facts: one.facts.map(({ text }) => toPlain(text)),
  }));
  const told = facts.map(({ text, ...fact }) => ({ ...fact, text: toPlain(text) }));
  const said = { project, stack, headline: toPlain(headline), hasFailed, areBypassed, isUnchanged };
  return { ...said, facts: told, blocking, requests, digest };
}

const reviewJson = ({ project, headline, crossings, notes, stacks }: Review, gates: readonly Gate[]) => ({
  project,
  headline: toPlain(headline),
  crossings: crossings.map((one) => ({ ...one, title: toPlain(one.title), notes: one.notes.map(toPlain) })),
  notes: notes.map(toPlain),
  stacks: stacks.map(({ stack, report }) => ({ ...reportJson(report, gates), stack })),
});
