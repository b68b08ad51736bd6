import { printable } from "../../provider/base/text";
import { counted } from "../../provider/words/message";
import { CLI } from "../command";
import { capped, present } from "../lists";
import type { Crossing, Review } from "./between";
import { type Card, fieldChangeText } from "./card";
import type { Alert } from "./diagnostics";
import { type Gate, gateLines } from "./gates";
import type { Report } from "./report";
import { few, quoted, quotedEach, type Text, words } from "./text";

/** Renders the report as a pull request comment. */

/** The maximum length of a report. GitHub accepts comments of up to 65,536 characters. */
export const LIMIT = 65_000;

/** The maximum number of cards in a report, and of items in each list. */
interface Size {
  readonly cards: number;
  readonly items: number;
}

/** The possible sizes of a report, largest first. The first one that keeps the report within `LIMIT` is used. */
const SIZES: readonly [Size, ...Size[]] = [
  { cards: Number.POSITIVE_INFINITY, items: 150 },
  { cards: 30, items: 6 },
  { cards: 0, items: 0 },
];
const MOST_INLINE = 6;
/** A report never cuts the lines of an alert, or the problems that involve several stacks, to fewer than this. */
const LEAST = 3;

/** Alerts and gates that the command adds to the report. */
interface Extra {
  readonly alerts?: readonly Alert[];
  readonly gates?: readonly Gate[];
}

export const toMarkdown = (report: Report, extra: Extra = {}): string =>
  fitting((size) => reportBlocks(report, extra, size));

/** Renders a review: first the problems that involve several stacks, then a report for each stack. */
export const reviewToMarkdown = ({ crossings, notCompared, stacks }: Review, gates: readonly Gate[]): string =>
  fitting((size) => {
    const most = Math.max(LEAST, size.cards);
    return [
      ...crossings.slice(0, most).flatMap((crossing) => crossingBlocks(crossing, size)),
      ...leftOut(crossings.length - most, "problem"),
      ...(notCompared.length === 0
        ? []
        : [
            // The previews of these stacks don't show every number: they failed, leave out unchanged resources, or
            // contain values that aren't known before the run.
            markdown(
              words`Some numbers in ${few(quotedEach(notCompared), 20)} could not be compared with the other stacks, because a preview failed, does not know the numbers yet, or was not written with ${quoted("pulumi preview --json --show-sames")}.`,
            ),
          ]),
      ...stacks.flatMap(({ stack, report }) => reportBlocks({ ...report, stack }, { gates }, size, stack)),
    ];
  });

function fitting(write: (size: Size) => readonly string[]): string {
  const textOf = (size: Size) => `${write(size).join("\n\n")}\n`;
  const [largest, ...smaller] = SIZES;
  return smaller.reduce((text, size) => (text.length <= LIMIT ? text : textOf(size)), textOf(largest));
}

/** @param digestOf the stack to name beside the digest, if there are several stacks */
function reportBlocks(report: Report, { alerts = [], gates = [] }: Extra, size: Size, digestOf?: string): string[] {
  const { stack, cards, warnings, hasFailed, headline, foot, digest } = report;
  const owner = digestOf === undefined ? "" : `${markdown([quoted(digestOf)])} `;
  const last = [
    ...[...gateLines(gates, report), ...foot].map(markdown),
    // Pipelines find the digest by searching for a line that starts with `reviewed-digest`.
    ...(digest === undefined ? [] : [`reviewed-digest ${owner}${code(digest)}`]),
  ];
  return present([
    `### ${hasFailed ? "❌ " : ""}${stack === "" ? "" : `${markdown([quoted(stack)])}: `}${markdown(headline)}`,
    ...[...alerts, ...report.alerts].map((alert) => alertBlock(alert, size)),
    hasFailed && "The preview stopped at this error, so this report may not show every change.",
    ...cards.slice(0, size.cards).flatMap((card) => [
      // Leave out the title of a single card, because the headline already shows it. But if the preview failed, the
      // headline shows the reason for that instead.
      (cards.length > 1 || hasFailed) && `#### ${markdown(card.title)}`,
      ...cardBlocks(card, size),
    ]),
    ...leftOut(cards.length - size.cards, "change"),
    warnings.length > 0 &&
      folded(
        "Provider warnings",
        warnings.map((warning) => code(warning.slice(0, 300))),
        size,
      ),
    last.join("<br>\n"),
  ]);
}

const leftOut = (count: number, noun: string): string[] =>
  count > 0
    ? [
        `**Left out**: ${counted(count, noun)}, because a comment is limited to ${LIMIT.toLocaleString("en")} characters. \`${CLI} report --json\` lists the facts that gates check for every change.`,
      ]
    : [];

const alertBlock = ({ title, quote, note }: Alert, { items }: Size): string =>
  present([
    `> **${markdown(title)}**`,
    ...quote.slice(0, Math.max(LEAST, items)).map((line) => `> ${code(line)}`),
    note && `> ${markdown(note)}`,
  ]).join("\n>\n");

const cardBlocks = ({ agents = [], rows = [], notes = [], list = [] }: Card, size: Size): (string | false)[] => [
  agents.length > 0 &&
    tableOf(
      ["agent", "before", "after"],
      agents.map(([agent, ...cells]) => [code(agent), ...cells]),
    ),
  rows.length > 0 && `With ${rows.map((row) => markdown(fieldChangeText(row))).join(" · ")}`,
  notesBlock(notes),
  listBlock(list, size),
];

const notesBlock = (notes: readonly Text[]): string | false =>
  notes.length > 0 && notes.map((note) => `- ${markdown(note)}`).join("\n");

/** Renders a list on one line, or as a collapsed section if the list is long. */
function listBlock(list: readonly Text[], size: Size): string | false {
  const items = list.map(markdown);
  const line = `On ${items.join(" · ")}`;
  return items.length > 0 && size.items > 0 && (items.length > MOST_INLINE ? folded("Where", items, size) : line);
}

function folded(title: string, items: readonly string[], size: Size): string {
  const lines = capped(items, size.items, (more) => `… and ${more.toLocaleString("en")} more, not listed`);
  const summary = `${title} (${items.length.toLocaleString("en")})`;
  return `<details><summary>${summary}</summary>\n\n${lines.map((line) => `- ${line}`).join("\n")}\n\n</details>`;
}

const tableOf = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => ":--"), ...rows]
    // `|` ends a table cell, even inside code.
    .map((cells) => cells.map((text) => text.replaceAll("\\|", "\\\u200b|").replaceAll("|", "\\|")))
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");

const markdown = (text: Text): string =>
  text.map((part) => (typeof part === "string" ? escapeText(part) : code(part.quoted))).join("");

/**
 * Renders text as a code span, which disables markup, mentions and links. The fence must be longer than any run of
 * backticks in the text.
 */
function code(text: string): string {
  const line = oneLine(text).trim() || " ";
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/**
 * Returns the text on one line. Breaks up "reviewed-digest", because pipelines search for this word and must find only
 * the digest itself.
 */
const oneLine = (text: string): string =>
  printable(text.replace(/\s+/g, " ")).replace(/(reviewed)-(digest)/gi, "$1 $2");

const escapeText = (text: string): string =>
  oneLine(text)
    .replace(/[\\`*_[\]<>~&#|]/g, (character) => `\\${character}`)
    .replace(/(^|\W)@/g, "$1@\u200b");

// --- several stacks

const crossingBlocks = ({ title, notes, numbers, isBlocking }: Crossing, size: Size): string[] =>
  present([
    `### ${isBlocking ? "❌" : "⚠"} ${markdown(title)}`,
    notesBlock(notes),
    numbers.length > 1 && listBlock(quotedEach(numbers), size),
  ]);
