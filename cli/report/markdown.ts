import { CALLED } from "../command";
import { capped, present } from "../lists";
import { type Card, type Row, requestsText } from "./card";
import type { Alert } from "./diagnostics";
import { type Gate, gateLines, gateText } from "./guards";
import type { Report } from "./report";
import { type Crossing, moreCrossings, type Review, type StackReview } from "./stacks";
import { counted, id, ids, joined, plain, say, type Text } from "./text";

/** The report as a comment on a pull request. */

/** GitHub takes 65,536 characters. */
export const LIMIT = 65_000;
/** Room for the lines that the other limits do not count. */
const RESERVED = 1500;
const MOST_INLINE = 6;
const MOST_LISTED = 150;

/** What the command adds to a report. */
export interface Extra {
  readonly title?: string | undefined;
  readonly alerts?: readonly Alert[];
  readonly gates?: readonly Gate[];
}

export function toMarkdown(report: Report, extra: Extra = {}): string {
  const { project, stack, hasFailed } = report;
  const head = [
    marker(`${project}/${stack}`),
    ...titleOf(extra.title),
    `### ${hasFailed ? "❌ " : ""}${markdown(headlineWithStack(report))}`,
  ].join("\n\n");
  return `${head}\n\n${bodyOf(report, extra, LIMIT - head.length)}\n`;
}

/** The headline with its stack, and the sign of a warning or of a block before both. */
function headlineWithStack({ stack, headline }: Report): Text {
  const [first = "", ...rest] = headline;
  const sign = typeof first === "string" ? (/^[⚠⛔] /u.exec(first)?.[0] ?? "") : "";
  const text = typeof first === "string" ? [first.slice(sign.length), ...rest] : headline;
  return stack === "" ? headline : say`${sign}${id(stack)}: ${text}`;
}

/**
 * What a report says below its headline.
 * @param room how many characters it may have
 * @param stack whose digest it is; undefined if the report is of one stack
 */
function bodyOf(report: Report, { alerts = [], gates = [] }: Extra, room: number, stack?: string): string {
  const isPart = report.hasFailed && report.cards.length > 0;
  const head = present([
    ...[...alerts, ...report.alerts].map(alertBlock),
    isPart && "The preview stopped there, so this is not everything that the change would do.",
  ]);
  const foot = footOf(report, gateLines(gates, report), stack);
  const cards = cardsWithin(report, room - RESERVED - head.join("\n\n").length - foot.length);
  return [...head, cards, foot].filter(Boolean).join("\n\n");
}

/** The marker by which a pipeline finds its own comment again. */
const marker = (whose: string): string => `<!-- agent-platform-report ${whose.replace(/[^\w./-]|--/g, "_")} -->`;

const titleOf = (title: string | undefined): string[] =>
  title === undefined ? [] : [`## ${escapeText(oneLine(title.slice(0, 200)))}`];

const alertBlock = ({ title, quote, note }: Alert): string =>
  present([`> **${markdown(title)}**`, ...quote.map((line) => `> ${code(line)}`), note && `> ${markdown(note)}`]).join(
    "\n>\n",
  );

/** The cards that fit. If little room is left, a card is only its title. */
function cardsWithin({ cards, hasFailed }: Report, room: number): string {
  let left = room;
  let leftOut = 0;
  const blocks = cards.flatMap((one): string[] => {
    // The title of an only card is the headline already, unless the headline says why the preview failed.
    const heading = cards.length === 1 && !hasFailed ? [] : [`#### ${markdown(one.title)}`];
    const [whole = "", brief = ""] = [[...heading, ...cardBlocks(one)], heading].map((parts) => parts.join("\n\n"));
    const text = [whole, brief].find((candidate) => candidate.length + 2 <= left) ?? "";
    left -= text.length + 2;
    leftOut += text === whole ? 0 : 1;
    return text === "" ? [] : [text];
  });
  const omitted = `**Left out**, because a comment holds ${LIMIT.toLocaleString("en")} characters: all or the details of ${counted(leftOut, "change")}. \`${CALLED} report --json\` has what gates judge of all.`;
  return [...blocks, ...(leftOut > 0 ? [omitted] : [])].join("\n\n");
}

const cardBlocks = ({ agents = [], rows = [], notes = [], list = [] }: Card): string[] =>
  present([
    agents.length > 0 &&
      tableOf(
        ["agent", "before", "after"],
        agents.map(([agent, ...cells]) => [code(agent), ...cells]),
      ),
    rows.length > 0 && rowsBlock(rows),
    notes.length > 0 && notes.map((note) => `- ${markdown(note)}`).join("\n"),
    list.length > 0 && listBlock(list),
  ]);

/** A list in one line, or folded if it is long. */
function listBlock(items: readonly Text[]): string {
  const all = items.map(markdown);
  return all.length > MOST_INLINE ? folded("Where", all) : `On ${all.join(" · ")}`;
}

function folded(title: string, items: readonly string[]): string {
  const lines = capped(items, MOST_LISTED, (more) => `… and ${more.toLocaleString("en")} more, not listed`);
  const summary = `${title} (${items.length.toLocaleString("en")})`;
  return `<details><summary>${summary}</summary>\n\n${lines.map((line) => `- ${line}`).join("\n")}\n\n</details>`;
}

function rowsBlock(rows: readonly Row[]): string {
  if (rows.every(({ before }) => before === undefined)) {
    return `With ${rows.map(({ field, after }) => `${field} ${markdown(after)}`).join(" · ")}`;
  }
  const lines = rows.map(({ field, before = [], after }) => [field, markdown(before), markdown(after)]);
  return tableOf(["field", "before", "after"], lines);
}

function footOf({ foot, digest, warnings }: Report, gates: readonly Text[], stack?: string): string {
  const lines = [...gates, ...foot, ...(digest === undefined ? [] : [digestLine(stack, digest)])];
  const text = lines.map(markdown).join("<br>\n");
  const warned = warnings.map((warning) => code(warning.slice(0, 300)));
  return warned.length === 0 ? text : `${folded("The provider warns", warned)}\n\n${text}`;
}

/** A pipeline finds the digest by this line. */
const digestLine = (stack: string | undefined, digest: string): Text =>
  say`reviewed-digest ${stack === undefined ? "" : say`${id(stack)} `}${id(digest)}`;

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

const html = (text: string): string =>
  oneLine(text).replace(/[&<>"'`*_[\]@]/g, (character) => `&#${character.codePointAt(0)};`);

// --- several stacks: a table, what concerns two stacks, and a section for each stack that changes

/** Room for the lines around the sections. */
const AROUND = 500;
/** A section has at least its headline and its digest. */
const LEAST_SECTION = 1500;
const MOST_CROSSINGS = 10;

export function reviewToMarkdown(review: Review, { title, gates = [] }: Extra): string {
  const { project, headline, crossings, notes, stacks } = review;
  const changed = stacks.filter(({ report }) => !report.isUnchanged);
  const unchanged = stacks.filter(({ report }) => report.isUnchanged);
  const quiet = say`No change: ${joined(ids(unchanged.map(({ stack }) => stack)), ", ")}.`;
  const head = present([
    marker(project),
    ...titleOf(title),
    `### ${markdown(headline)}`,
    ...crossingBlocks(crossings),
    changed.length > 0 && tableOf(["stack", "what changes", "on merge", "guards"], changed.map(rowOf)),
    [...(unchanged.length > 0 ? [quiet] : []), ...notes].map(markdown).join("<br>\n"),
    ...unchanged.map(({ stack, report }) => digestComment(stack, report.digest)),
  ])
    .filter(Boolean)
    .join("\n\n");
  return `${[head, ...sections(changed, gates, LIMIT - AROUND - head.length)].join("\n\n")}\n`;
}

/** The first ones with what to do, and how many more there are. */
function crossingBlocks(crossings: readonly Crossing[]): string[] {
  const more = crossings.length - MOST_CROSSINGS;
  const blocks = crossings
    .slice(0, MOST_CROSSINGS)
    .map(({ title, notes, numbers, isBlocking }) =>
      present([
        crossings.length > 1 && `#### ${isBlocking ? "❌" : "⚠"} ${markdown(title)}`,
        notes.map((note) => `- ${markdown(note)}`).join("\n"),
        numbers.length > 1 && listBlock(ids(numbers)),
      ]).join("\n\n"),
    );
  return more > 0 ? [...blocks, `… and ${moreCrossings(more)}: \`${CALLED} report --json\` has them all.`] : blocks;
}

function rowOf({ stack, report, blocking }: StackReview): string[] {
  const { headline, hasFailed, requests } = report;
  return [
    markdown([id(stack)]),
    `${hasFailed ? "❌ " : ""}${markdown(headline)}`,
    hasFailed ? "nothing, while the preview fails" : requestsText(requests),
    guardsWord(report, blocking.map(({ gate }) => gateText(gate)).join(", ")),
  ];
}

function guardsWord({ hasFailed, areBypassed, hasGuards }: Report, blocking: string): string {
  if (hasFailed) {
    return "❌";
  }
  if (blocking !== "") {
    return `⛔ ${markdown([blocking])}`;
  }
  const set = hasGuards ? "ok" : "none set";
  return areBypassed ? "⚠ bypassed" : set;
}

/** A merge job also compares the digest of a stack that does not change. No reader needs it, so it is in a comment of the Markdown. */
const digestComment = (stack: string, digest: string | undefined): string | false =>
  digest !== undefined && `<!-- reviewed-digest \`${stack.replace(/[^\w.-]/g, "_")}\` \`${digest}\` -->`;

/** Each section gets the room that the sections before it leave. */
function sections(changed: readonly StackReview[], gates: readonly Gate[], room: number): string[] {
  let left = room;
  return changed.map((one, index) => {
    const share = Math.floor(left / (changed.length - index));
    const text = share < LEAST_SECTION ? shortSection(one) : section(one, gates, share);
    left -= text.length + 2;
    return text;
  });
}

/** There is no room for more: the table above has what changes. */
const shortSection = ({ stack, report: { digest } }: StackReview): string =>
  markdown(digest === undefined ? say`${id(stack)}: left out` : digestLine(stack, digest));

function section({ stack, report, blocking }: StackReview, gates: readonly Gate[], room: number): string {
  const isOpen = report.isUrgent || blocking.length > 0;
  const summary = `<b>${html(stack)}</b>: ${report.hasFailed ? "❌ " : ""}${html(plain(report.headline))}`;
  const open = `<details${isOpen ? " open" : ""}><summary>${summary}</summary>`;
  return `${open}\n\n${bodyOf(report, { gates }, room - open.length, stack)}\n\n</details>`;
}
