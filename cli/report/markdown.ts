import { CALLED } from "../command";
import { capped, present } from "../lists";
import { type AgentTable, affectedText, type Card, type FieldRow } from "./card";
import type { Alert } from "./diagnostics";
import {
  type AgentLine,
  agentLines,
  type Extra,
  footLines,
  headlineWithStack,
  isAllNew,
  isPartText,
  NO_EXTRA,
} from "./lines";
import type { Model } from "./model";
import { counted, type Text } from "./text";

/** The report as a comment on a pull request. */

/** GitHub takes 65,536 characters. */
export const LIMIT = 65_000;
/** Room for the lines that the other limits do not count. */
const RESERVED = 1500;
/** If less room is left, a card is only its title. */
const LEAST_ROOM = 300;
const MOST_INLINE = 6;
const MOST_LISTED = 150;
const MOST_WARNINGS = 15;

export function toMarkdown(model: Model, extra: Extra = NO_EXTRA): string {
  const { title, project, stack, hasFailed } = model;
  const head = [
    marker(`${project}/${stack}`),
    ...titleOf(title),
    `### ${hasFailed ? "❌ " : ""}${markdown(headlineWithStack(model))}`,
  ].join("\n\n");
  return `${head}\n\n${bodyOf(model, extra, LIMIT - head.length)}\n`;
}

/**
 * What a report says below its headline.
 * @param room how many characters it may have
 * @param stack whose digest it is; undefined if the report is of one stack
 */
export function bodyOf(model: Model, extra: Extra, room: number, stack?: string): string {
  const head = present([...[...extra.alerts, ...model.alerts].map(alertBlock), isPartText(model)]);
  const foot = footOf(model, extra.lines, stack);
  const { blocks, leftOut, brief } = cardsWithin(model, room - RESERVED - head.join("\n\n").length - foot.length);
  const details = brief === 0 ? "" : `, and the details of ${brief} more`;
  const omitted =
    leftOut + brief > 0 &&
    `**Left out**, because a comment holds ${LIMIT.toLocaleString("en")} characters: ${counted(leftOut, "change")}${details}. \`${CALLED} report --json\` has them all.`;
  return present([...head, ...blocks, omitted, foot]).join("\n\n");
}

/** The marker by which a pipeline finds its own comment again. */
export const marker = (whose: string): string => `<!-- agent-platform-report ${whose.replace(/[^\w./-]|--/g, "_")} -->`;

export const titleOf = (title: string | undefined): string[] =>
  title === undefined ? [] : [`## ${escapeText(oneLine(title.slice(0, 200)))}`];

const alertBlock = ({ title, quote }: Alert): string =>
  [`> **${markdown(title)}**`, ...quote.map((line) => `> ${code(line)}`)].join("\n>\n");

function cardsWithin({ cards, hasFailed }: Model, budget: number) {
  const blocks: string[] = [];
  let left = budget;
  let [leftOut, brief] = [0, 0];
  for (const one of cards) {
    // The title of an only card is the headline already, unless the headline says why the preview failed.
    const heading = cards.length === 1 && !hasFailed ? "" : `#### ${markdown(one.title)}`;
    const whole = left > LEAST_ROOM ? [heading, ...cardBlocks(one)].filter(Boolean).join("\n\n") : "";
    const fitting = [whole, heading].find((text) => text !== "" && text.length + 2 <= left);
    if (fitting !== undefined) {
      blocks.push(fitting);
      left -= fitting.length + 2;
      brief += fitting === whole ? 0 : 1;
    } else if (whole !== "" || left <= LEAST_ROOM) {
      leftOut += 1;
    }
  }
  return { blocks, leftOut, brief };
}

function cardBlocks({ affected, agents, fields, notes, listed }: Card): string[] {
  // A long list comes after what the card says.
  const isFolded = affected.length > MOST_INLINE;
  const where = affected.length > 1 && listBlock("Where", "On ", affected.map(affectedText));
  return present([
    !isFolded && where,
    agents && agentsTable(agents),
    fields.length > 0 && fieldsBlock(fields),
    notes.length > 0 && notes.map((note) => `- ${markdown(note)}`).join("\n"),
    isFolded && where,
    ...listed.map(({ title, items }) => items.length > 0 && listBlock(title, `${escapeText(oneLine(title))}: `, items)),
  ]);
}

/** A list in one line, or folded if it is long. */
export const listBlock = (title: string, start: string, items: readonly Text[]): string =>
  items.length > MOST_INLINE
    ? folded(title, items.map(markdown), MOST_LISTED, ", not listed")
    : `${start}${items.map(markdown).join(" · ")}`;

function folded(title: string, items: readonly string[], most: number, unlisted = ""): string {
  const lines = capped(items, most, (more) => `… and ${more.toLocaleString("en")} more${unlisted}`);
  const summary = `${html(title)} (${items.length.toLocaleString("en")})`;
  return `<details><summary>${summary}</summary>\n\n${lines.map((line) => `- ${line}`).join("\n")}\n\n</details>`;
}

function agentsTable(table: AgentTable): string {
  const { heads, rows, more } = agentLines(table);
  const lines = rows.map(({ agent, cells, isChanged }) => {
    const cellText = ({ text, share }: AgentLine["cells"][number]) =>
      share !== undefined && isChanged ? `**${text}**` : text;
    return [code(agent), ...cells.map(cellText)];
  });
  const last = more > 0 ? [heads.map((_, column) => (column === 0 ? `… and ${counted(more, "more agent")}` : ""))] : [];
  return tableOf(heads, [...lines, ...last]);
}

function fieldsBlock(fields: readonly FieldRow[]): string {
  if (isAllNew(fields)) {
    return `With ${fields.map(({ field, after }) => `${name(field)} ${markdown(after)}`).join(" · ")}`;
  }
  const lines = fields.map(({ field, before, after }) => [name(field), markdown(before), markdown(after)]);
  return tableOf(["field", "before", "after"], lines);
}

/** The key of a provider's setting may be any text. */
const name = (field: string): string => escapeText(oneLine(field));

function footOf(model: Model, extra: readonly Text[], stack?: string): string {
  const lines = footLines(model, extra, stack).map(markdown).join("<br>\n");
  const warned = model.warnings.map((text) => code(text.slice(0, 300)));
  return warned.length === 0 ? lines : `${folded("The provider warns", warned, MOST_WARNINGS)}\n\n${lines}`;
}

export const tableOf = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [titles, titles.map(() => ":--"), ...rows].map((cells) => `| ${cells.map(escapeCell).join(" | ")} |`).join("\n");

/** A table ends a cell at every \`|\`, inside code as well. */
const escapeCell = (text: string): string => text.replaceAll("\\|", "\\\u200b|").replaceAll("|", "\\|");

export const markdown = (text: Text): string => text.map(partOf).join("");

function partOf(part: Text[number]): string {
  if (typeof part === "string") {
    return escapeText(part);
  }
  return "id" in part ? code(part.id) : `**${escapeText(part.strong)}**`;
}

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

export const html = (text: string): string =>
  oneLine(text).replace(/[&<>"'`*_[\]@]/g, (character) => `&#${character.codePointAt(0)};`);
