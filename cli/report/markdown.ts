import { counted } from "../../provider/core/messages";
import { CALLED } from "../command";
import { capped, present } from "../lists";
import { type Card, fieldChangeText, requestsText } from "./card";
import type { Alert } from "./diagnostics";
import { type Gate, gateText } from "./gates";
import { type Extra, frameOf, type Report } from "./report";
import { type Crossing, moreCrossings, type Review, type StackReview } from "./stacks";
import { id, ids, joined, type Text, toPlain, words } from "./text";

/** The report as a comment on a pull request. */

/** GitHub takes 65,536 characters. */
export const LIMIT = 65_000;
/** How many cards a report shows, and how many numbers two stacks are about: the most with which it fits. */
const MOST = [Number.POSITIVE_INFINITY, 300, 100, 30, 10, 3, 1, 0];
const MOST_INLINE = 6;
const MOST_FOLDED = 150;

export function toMarkdown(report: Report, extra: Extra = {}): string {
  const { project, stack } = report;
  const head = `### ${markdown(frameOf(report, extra).head)}`;
  return fitting((most) => [marker(`${project}/${stack}`), head, ...bodyBlocks(report, extra, most)]);
}

/** The blocks that `write` makes, with the most cards that fit. */
function fitting(write: (most: number) => readonly string[]): string {
  const [all = 0, ...fewer] = MOST;
  const textWith = (most: number) => `${write(most).join("\n\n")}\n`;
  return fewer.reduce((text, most) => (text.length <= LIMIT ? text : textWith(most)), textWith(all));
}

/**
 * What a report says below its headline.
 * @param most how many cards it may have
 * @param stack whose digest it is; undefined if the report is of one stack
 */
function bodyBlocks(report: Report, extra: Extra, most: number, stack?: string): string[] {
  const { cards, warnings } = report;
  const { alerts, stop, isTitled, last } = frameOf(report, extra, stack);
  const left = counted(cards.length - most, "change");
  const warned = warnings.map((warning) => code(warning.slice(0, 300)));
  return present([
    ...alerts.map(alertBlock),
    stop,
    ...cards.slice(0, most).flatMap((one) => [isTitled && `#### ${markdown(one.title)}`, ...cardBlocks(one)]),
    cards.length > most &&
      `**Left out**, because a comment holds ${LIMIT.toLocaleString("en")} characters: ${left}. \`${CALLED} report --json\` has what gates judge of all.`,
    warned.length > 0 && folded("The provider warns", warned),
    last.map(markdown).join("<br>\n"),
  ]);
}

/** The marker by which a pipeline finds its own comment again. */
const marker = (whose: string): string => `<!-- agent-platform-report ${whose.replace(/[^\w./-]|--/g, "_")} -->`;

const alertBlock = ({ title, quote, note }: Alert): string =>
  present([`> **${markdown(title)}**`, ...quote.map((line) => `> ${code(line)}`), note && `> ${markdown(note)}`]).join(
    "\n>\n",
  );

const cardBlocks = ({ agents = [], rows = [], notes = [], list = [] }: Card): string[] =>
  present([
    agents.length > 0 &&
      tableOf(
        ["agent", "before", "after"],
        agents.map(([agent, ...cells]) => [code(agent), ...cells]),
      ),
    rows.length > 0 && `With ${rows.map((row) => markdown(fieldChangeText(row))).join(" · ")}`,
    notes.length > 0 && notes.map((note) => `- ${markdown(note)}`).join("\n"),
    list.length > 0 && listBlock(list),
  ]);

/** A list in one line, or folded if it is long. */
function listBlock(items: readonly Text[]): string {
  const all = items.map(markdown);
  return all.length > MOST_INLINE ? folded("Where", all) : `On ${all.join(" · ")}`;
}

function folded(title: string, items: readonly string[]): string {
  const lines = capped(items, MOST_FOLDED, (more) => `… and ${more.toLocaleString("en")} more, not listed`);
  const summary = `${title} (${items.length.toLocaleString("en")})`;
  return `<details><summary>${summary}</summary>\n\n${lines.map((line) => `- ${line}`).join("\n")}\n\n</details>`;
}

const tableOf = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => ":--"), ...rows].map((cells) => `| ${cells.map(escapeCell).join(" | ")} |`).join("\n");

/** A table ends a cell at every `|`, inside code as well. */
const escapeCell = (text: string): string => text.replaceAll("\\|", "\\\u200b|").replaceAll("|", "\\|");

const markdown = (text: Text): string =>
  text.map((part) => (typeof part === "string" ? escapeText(part) : code(part.id))).join("");

/** In code nothing is markup, a mention or a link. The fence is longer than any run of backticks inside. */
function code(text: string): string {
  const line = oneLine(text) || " ";
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** The text on one line. A pipeline finds the digest by the words "reviewed-digest", so no other text may have them. */
const oneLine = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/(reviewed)-(digest)/gi, "$1 $2")
    .trim();

const escapeText = (text: string): string =>
  text.replace(/[\\`*_[\]<>~&#|]/g, (character) => `\\${character}`).replace(/(^|\W)@/g, "$1@\u200b");

const inSummary = (text: string): string =>
  oneLine(text).replace(/[&<>"'`*_[\]@]/g, (character) => `&#${character.codePointAt(0)};`);

// --- several stacks: a table, what concerns two stacks, and a section for each stack that changes

export function reviewToMarkdown(review: Review, { gates = [] }: Extra): string {
  const { project, headline, crossings, notes, stacks } = review;
  const changed = stacks.filter(({ report }) => !report.isUnchanged);
  const unchanged = stacks.filter(({ report }) => report.isUnchanged);
  const quiet = words`No change: ${joined(ids(unchanged.map(({ stack }) => stack)), ", ")}.`;
  const lines = [...(unchanged.length > 0 ? [quiet] : []), ...notes];
  return fitting((most) =>
    present([
      marker(project),
      `### ${markdown(headline)}`,
      ...crossings.slice(0, most).flatMap((one) => crossingBlocks(one, crossings.length === 1)),
      crossings.length > most &&
        `… and ${moreCrossings(crossings.length - most)}: \`${CALLED} report --json\` has them all.`,
      changed.length > 0 && tableOf(["stack", "what changes", "on merge", "guards"], changed.map(stackRow)),
      lines.length > 0 && lines.map(markdown).join("<br>\n"),
      ...unchanged.map(({ stack, report }) => digestComment(stack, report.digest)),
      ...changed.flatMap((one) => section(one, gates, most)),
    ]),
  );
}

const crossingBlocks = ({ title, notes, numbers, isBlocking }: Crossing, isOnly: boolean): (string | false)[] => [
  !isOnly && `#### ${isBlocking ? "❌" : "⚠"} ${markdown(title)}`,
  notes.map((note) => `- ${markdown(note)}`).join("\n"),
  numbers.length > 1 && listBlock(ids(numbers)),
];

function stackRow({ stack, report, blocking }: StackReview): string[] {
  const { headline, hasFailed, requests } = report;
  return [
    markdown([id(stack)]),
    `${hasFailed ? "❌ " : ""}${markdown(headline)}`,
    hasFailed ? "nothing, while the preview fails" : requestsText(requests),
    guardsWord(report, blocking.map(({ gate }) => gateText(gate)).join(", ")),
  ];
}

function guardsWord({ hasFailed, areBypassed, hasGuards }: Report, blocking: string): string {
  const [word = "ok"] = present([
    hasFailed && "❌",
    blocking !== "" && `⛔ ${markdown([blocking])}`,
    areBypassed && "⚠ bypassed",
    !hasGuards && "none set",
  ]);
  return word;
}

/** A merge job also compares the digest of a stack that does not change. No reader needs it, so it is in a comment of the Markdown. */
const digestComment = (stack: string, digest: string | undefined): string | false =>
  digest !== undefined && `<!-- reviewed-digest \`${stack.replace(/[^\w.-]/g, "_")}\` \`${digest}\` -->`;

function section({ stack, report, blocking }: StackReview, gates: readonly Gate[], most: number): string[] {
  const isOpen = report.isUrgent || blocking.length > 0;
  const summary = `<b>${inSummary(stack)}</b>: ${report.hasFailed ? "❌ " : ""}${inSummary(toPlain(report.headline))}`;
  return [
    `<details${isOpen ? " open" : ""}><summary>${summary}</summary>`,
    ...bodyBlocks(report, { gates }, most, stack),
    "</details>",
  ];
}
