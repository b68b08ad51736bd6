import { printable } from "../../provider/base/text";
import { CALLED, defineCommand, JSON_OPTION } from "../command";
import { UsageError } from "../errors";
import { readText, writeText } from "../files";
import type { Io } from "../io";
import { jsonText, sayRefusal } from "../print";
import { type Preview, readPreview } from "../pulumi/preview";
import { buildReview, type NamedPreview, type Review } from "../report/between";
import type { Alert } from "../report/diagnostics";
import {
  type BlockingGate,
  blockingGates,
  CONDITION_FORMS,
  factsText,
  type Gate,
  gateText,
  readGates,
} from "../report/gates";
import { reviewToMarkdown, toMarkdown } from "../report/markdown";
import type { Report } from "../report/report";
import { quoted, toPlain, words } from "../report/text";

const EXIT = { fine: 0, blocked: 1, mismatch: 3 } as const;

const REPORT_OPTIONS = {
  output: { type: "string", value: "<file>", help: "write there; default standard output" },
  "fail-on": {
    type: "string",
    value: "<list>",
    help: `end with 1 if the change has one of these: ${CONDITION_FORMS}`,
  },
  expect: {
    type: "string",
    value: "<digest>",
    help: "end with 3 unless the change has this digest",
  },
  json: JSON_OPTION,
} as const;

export const reportCommand = defineCommand({
  name: "report",
  group: "Review a change",
  summary: "Explain a preview in a comment for a pull request, and block what must not be merged",
  usage: ["[preview.json] [options]", "<preview.json>… [options]"],
  examples: [
    `pulumi preview --json | ${CALLED} report > comment.md`,
    `${CALLED} report preview.json --fail-on delete,shift=25,sms`,
    `${CALLED} report preview.json --expect 1f0c9a526d1e`,
    `${CALLED} report dev.json prod.json --output comment.md`,
  ],
  about: `It reads what \`pulumi preview --json\` printed, from the file or from standard input, and explains what it means for the
numbers, voices and chats. It sends nothing.
It prints Markdown: the comment.

Conditions on numbers: create (a number is assigned for the first time), delete (a number loses its agents, or the stack
forgets it), replace (a resource gets another number, or is made again) and shift=25 (one change moves more than 25 percentage
points of a number's traffic).

Conditions on voices and chats: sms (an SMS is sent, for a new chat or for one that is sent again), voice (a voice is added,
which the API cannot delete) and end (a chat is ended, or the stack forgets a voice or a chat). On both: unresolved (an earlier
run left something open).

The digest stands for the change: the same change has the same digest in the pull request and in the merge job.

Several previews, one of each stack of a project, make one comment with a report for each. It also blocks what no preview
of one stack shows: a number that leaves one stack and joins another, and a number that two stacks declare.

Two options of \`pulumi preview --json\` show more: with --show-sames numbers that stay as they are can be compared too, and
--show-replacement-steps shows the originals whose delete an earlier run has left, which lose their agents.`,
  options: REPORT_OPTIONS,
  takes: { least: 0, most: 20, rule: "Name at most 20 previews." },
  exitCodes: "0 fine, 1 a CI gate blocks or a preview failed, 2 wrong arguments or no preview, 3 not what was reviewed",
  page: "pipelines",
  async run({ values, positionals: files }, io) {
    const gates = values["fail-on"] === undefined ? [] : readGates(values["fail-on"]);
    const expected = values.expect === undefined ? undefined : digestIn(values.expect, files);
    const previews: NamedPreview[] = [];
    for (const file of files.length === 0 ? [STANDARD_INPUT] : files) {
      previews.push({ file, preview: await readPreviewOf(file, io, files.length > 1) });
    }
    const review = buildReview(previews, gates);
    const only = files.length > 1 ? undefined : review.stacks[0]?.report;
    const isOther = expected !== undefined && only?.digest !== expected;
    const alerts = isOther ? [mismatch(expected, only?.digest)] : [];
    const markdown = () => (only === undefined ? reviewToMarkdown(review, gates) : toMarkdown(only, { alerts, gates }));
    const json = () => jsonText(only === undefined ? reviewJson(review, gates) : reportJson(only, gates));
    writeText(values.json ? json() : markdown(), values.output, io);
    const problems = [
      ...review.crossings.filter(({ isBlocking }) => isBlocking).map(({ title }) => toPlain(title)),
      ...review.stacks.flatMap(({ stack, report, blocking }) =>
        problemsOf(report, blocking).map((problem) => (only === undefined ? `${stack}: ${problem}` : problem)),
      ),
    ];
    for (const problem of [...alerts.map((alert) => toPlain(alert.title)), ...problems]) {
      sayRefusal("report", printable(problem), io);
    }
    if (isOther) {
      return EXIT.mismatch;
    }
    return problems.length > 0 ? EXIT.blocked : EXIT.fine;
  },
});

const STANDARD_INPUT = "-";

/** Why the command ends with 1: the preview itself failed, or gates block. */
const problemsOf = (report: Report, blocking: readonly BlockingGate[]): string[] => [
  ...(report.hasFailed ? [toPlain(report.headline)] : []),
  ...blocking.map((blocked) => `${gateText(blocked.gate)}: ${toPlain(factsText(blocked, 5))}`),
];

/** With several previews, an error names the file. */
async function readPreviewOf(file: string, io: Io, isOfSeveral: boolean): Promise<Preview> {
  if (file === STANDARD_INPUT && io.stdin.isTTY) {
    throw new UsageError(`Name a preview, or pipe one in: \`pulumi preview --json | ${CALLED} report\`.`);
  }
  return readPreview(await readText(file, io), isOfSeveral ? `${file}: ` : "");
}

function digestIn(text: string, files: readonly string[]): string {
  if (files.length > 1) {
    throw new UsageError("--expect compares the preview of one stack. Name one preview.");
  }
  if (/^[\da-f]{12}$/.test(text.trim())) {
    return text.trim();
  }
  throw new UsageError("--expect takes the 12 characters behind `reviewed-digest` in the report.");
}

const mismatch = (expected: string, found: string | undefined): Alert => ({
  title: words`This is not what was reviewed: expected ${quoted(expected)}, ${found === undefined ? "but this preview failed" : words`found ${quoted(found)}. Review it again`}`,
  quote: [],
});

/** The report for other programs: what gates judge, and what is sent. */
function reportJson(report: Report, gates: readonly Gate[]) {
  const { project, stack, headline, hasFailed, areBypassed, isUnchanged, facts, requests, digest } = report;
  const blocking = blockingGates(gates, report).map((blocked) => ({
    gate: gateText(blocked.gate),
    facts: blocked.facts.map(({ text }) => toPlain(text)),
  }));
  const plainFacts = facts.map(({ text, ...fact }) => ({ ...fact, text: toPlain(text) }));
  const summary = { project, stack, headline: toPlain(headline), hasFailed, areBypassed, isUnchanged };
  return { ...summary, facts: plainFacts, blocking, requests, digest };
}

const reviewJson = ({ project, crossings, notCompared, stacks }: Review, gates: readonly Gate[]) => ({
  project,
  crossings: crossings.map(({ title, notes, ...crossing }) => ({
    ...crossing,
    title: toPlain(title),
    notes: notes.map(toPlain),
  })),
  notCompared,
  stacks: stacks.map(({ stack, report }) => ({ ...reportJson(report, gates), stack })),
});
