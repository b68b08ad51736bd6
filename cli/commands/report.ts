import { printable } from "../../provider/base/text";
import { CLI, defineCommand, JSON_OPTION } from "../command";
import { UsageError } from "../errors";
import { readText, writeText } from "../files";
import type { Io } from "../io";
import { jsonText, printError } from "../print";
import { type Preview, readPreview } from "../pulumi/preview";
import { buildReview, type NamedPreview, type Review } from "../report/between";
import type { Alert } from "../report/diagnostics";
import { CONDITION_FORMS, factsText, gateText, readGates } from "../report/gates";
import { reviewToMarkdown, toMarkdown } from "../report/markdown";
import { quoted, toPlain, words } from "../report/text";

const EXIT = { fine: 0, blocked: 1, mismatch: 3 } as const;

const REPORT_OPTIONS = {
  output: { type: "string", value: "<file>", help: "write to this file instead of standard output" },
  "fail-on": {
    type: "string",
    value: "<list>",
    help: `exit with 1 if the change meets any of these: ${CONDITION_FORMS}`,
  },
  expect: {
    type: "string",
    value: "<digest>",
    help: "exit with 3 unless the change has this digest",
  },
  json: JSON_OPTION,
} as const;

export const reportCommand = defineCommand({
  name: "report",
  group: "Review a change",
  summary: "Explain a preview in a pull request comment, and block changes that must not be merged",
  usage: ["[preview.json] [options]", "<preview.json>… [options]"],
  examples: [
    `pulumi preview --json | ${CLI} report > comment.md`,
    `${CLI} report preview.json --fail-on delete,shift=25,sms`,
    `${CLI} report preview.json --expect 1f0c9a526d1e`,
    `${CLI} report dev.json prod.json --output comment.md`,
  ],
  about: `The command reads the output of \`pulumi preview --json\` from a file or from standard input, and explains what the change does
to numbers, voices and chats. It prints the comment as Markdown. It sends nothing.

Conditions on numbers: create (a number is assigned for the first time), delete (a number loses its agents, or the stack
forgets it), replace (a resource gets a different number, or is replaced) and shift=25 (a change moves more than 25 percentage
points of a number's traffic).

Conditions on voices and chats: sms (an SMS is sent, for a new chat or for one that is sent again), voice (a voice is added,
which the API cannot delete) and end (a chat ends, or the stack forgets a voice or a chat). The condition unresolved applies to
all of them: an earlier run left a request unresolved.

The digest identifies the change: the same change has the same digest in the pull request and in the merge job.

Given several previews, one for each stack of a project, it writes one comment with a report on each stack. It then also
blocks problems that no single preview shows: a number that leaves one stack and joins another, and a number that two stacks
declare.

Two options of \`pulumi preview --json\` add detail. With --show-sames, unchanged numbers can be compared too. With
--show-replacement-steps, the report includes replaced resources that an earlier run has not deleted yet, whose numbers lose
their agents.`,
  options: REPORT_OPTIONS,
  positionals: { min: 0, max: 20, error: "Give at most 20 previews." },
  exitCodes:
    "0 fine, 1 a CI gate blocks or a preview failed, 2 wrong arguments or no preview, 3 not the reviewed change",
  page: "pipelines",
  async run({ values, positionals: files }, io) {
    const gates = values["fail-on"] === undefined ? [] : readGates(values["fail-on"]);
    const expected = values.expect === undefined ? undefined : digestIn(values.expect, files);
    const previews: NamedPreview[] = [];
    for (const file of files.length === 0 ? [STANDARD_INPUT] : files) {
      previews.push({ file, preview: await readPreviewOf(file, io, files.length > 1) });
    }
    const review = buildReview(previews, gates);
    const single = files.length > 1 ? undefined : review.stacks[0];
    const digest = single?.report.digest;
    const isMismatch = expected !== undefined && digest !== expected;
    const alerts = isMismatch ? [mismatchAlert(expected, digest)] : [];
    const markdown = () =>
      single === undefined ? reviewToMarkdown(review, gates) : toMarkdown(single.report, { alerts, gates });
    const json = () => jsonText(single === undefined ? reviewJson(review) : reportJson(single));
    writeText(values.json ? json() : markdown(), values.output, io);
    const problems = [
      ...review.crossings.filter(({ isBlocking }) => isBlocking).map(({ title }) => toPlain(title)),
      ...review.stacks.flatMap((reviewed) =>
        problemsOf(reviewed).map((problem) => (single === undefined ? `${reviewed.stack}: ${problem}` : problem)),
      ),
    ];
    for (const problem of [...alerts.map((alert) => toPlain(alert.title)), ...problems]) {
      printError("report", printable(problem), io);
    }
    if (isMismatch) {
      return EXIT.mismatch;
    }
    return problems.length > 0 ? EXIT.blocked : EXIT.fine;
  },
});

const STANDARD_INPUT = "-";

type ReviewedStack = Review["stacks"][number];

/** Returns the reasons to exit with 1, such as a failed preview or gates that block the change. */
const problemsOf = ({ report, blocking }: ReviewedStack): string[] => [
  ...(report.hasFailed ? [toPlain(report.headline)] : []),
  ...blocking.map((blocked) => `${gateText(blocked.gate)}: ${toPlain(factsText(blocked, 5))}`),
];

/** @param namesFile whether error messages start with the file's name, because there are several previews */
async function readPreviewOf(file: string, io: Io, namesFile: boolean): Promise<Preview> {
  if (file === STANDARD_INPUT && io.stdin.isTTY) {
    throw new UsageError(`Name a preview file, or pipe a preview in: \`pulumi preview --json | ${CLI} report\`.`);
  }
  return readPreview(await readText(file, io), namesFile ? `${file}: ` : "");
}

function digestIn(text: string, files: readonly string[]): string {
  if (files.length > 1) {
    throw new UsageError("--expect works with the preview of one stack only. Name one preview file.");
  }
  if (/^[\da-f]{12}$/.test(text.trim())) {
    return text.trim();
  }
  throw new UsageError("--expect takes the 12 characters after `reviewed-digest` in the report.");
}

const mismatchAlert = (expected: string, found: string | undefined): Alert => ({
  title: words`This is not the change that was reviewed: expected ${quoted(expected)}, ${found === undefined ? "but this preview failed" : words`found ${quoted(found)}. Review the change again`}`,
  quote: [],
});

/**
 * Returns the report as JSON for other programs: the facts that CI gates check, and which requests the change sends.
 */
function reportJson({ report, blocking }: ReviewedStack) {
  const { project, stack, headline, hasFailed, areBypassed, isUnchanged, facts, requests, sentNumbers, digest } =
    report;
  const plainGates = blocking.map((blocked) => ({
    gate: gateText(blocked.gate),
    facts: blocked.facts.map(({ text }) => toPlain(text)),
  }));
  const plainFacts = facts.map(({ text, ...fact }) => ({ ...fact, text: toPlain(text) }));
  const summary = { project, stack, headline: toPlain(headline), hasFailed, areBypassed, isUnchanged };
  return { ...summary, facts: plainFacts, blocking: plainGates, requests, sentNumbers, digest };
}

const reviewJson = ({ project, crossings, notCompared, stacks }: Review) => ({
  project,
  crossings: crossings.map(({ title, notes, ...crossing }) => ({
    ...crossing,
    title: toPlain(title),
    notes: notes.map(toPlain),
  })),
  notCompared,
  stacks: stacks.map((reviewed) => ({ ...reportJson(reviewed), stack: reviewed.stack })),
});
