import type { Alert, Card, Listed, Model, Place } from "./model";
import { placeText } from "./model";
import { agentLines, bar } from "./splits";
import { counted, sentences, type Text } from "./text";

/** The report as a comment on a pull request. */

/** GitHub takes 65,536 characters. */
export const LIMIT = 65_000;
/** What the lines before and after the cards may need at most. */
const RESERVED = 1500;
const MOST_INLINE = 6;
const MOST_LISTED = 150;
const MOST_WARNINGS = 15;
const MOST_UNDO = 5;

/** Lines that the command adds: gates, and whether this is what was reviewed. */
export interface Extra {
  readonly alerts: readonly Alert[];
  readonly lines: readonly Text[];
}

export function toMarkdown(model: Model, extra: Extra = { alerts: [], lines: [] }): string {
  const head = headOf(model, extra.alerts);
  const foot = footOf(model, extra.lines);
  const { blocks, leftOut, brief } = cardsWithin(model.cards, LIMIT - RESERVED - head.length - foot.length);
  const omitted =
    leftOut + brief === 0
      ? []
      : [
          `**Left out**, because a comment holds ${LIMIT.toLocaleString("en")} characters: ${counted(leftOut, "change")}${brief === 0 ? "" : `, and the details of ${brief} more`}. \`npx pulumi-agent-platform report --format json\` has them all.`,
        ];
  return `${[head, ...blocks, ...omitted, foot].join("\n\n")}\n`;
}

/** The marker by which a pipeline finds its own comment again. */
const marker = ({ project, stack }: Model): string =>
  `<!-- agent-platform-report ${`${project}/${stack}`.replace(/[^\w./-]|--/g, "_")} -->`;

function headOf(model: Model, extra: readonly Alert[]): string {
  const { title, headline, alerts, hasFailed, cards } = model;
  const sign = hasFailed ? "❌ " : "";
  return [
    marker(model),
    ...(title === undefined ? [] : [`## ${escapeText(oneLine(title.slice(0, 200)))}`]),
    `### ${sign}${markdown(headline)}`,
    ...[...extra, ...alerts].map(alertBlock),
    ...(hasFailed && cards.length > 0
      ? ["The preview stopped there, so this is not everything that the change would do."]
      : []),
  ].join("\n\n");
}

function alertBlock({ title, quote }: Alert): string {
  return [`> **${markdown(title)}**`, ...quote.map((line) => `> ${code(line)}`)].join("\n>\n");
}

function cardsWithin(cards: readonly Card[], budget: number): { blocks: string[]; leftOut: number; brief: number } {
  const isAlone = cards.length === 1;
  const blocks: string[] = [];
  let left = budget;
  let [leftOut, brief] = [0, 0];
  for (const one of cards) {
    const heading = isAlone ? [] : [`#### ${markdown(one.title)}`];
    const block = left > 300 ? [...heading, ...cardBlocks(one)].join("\n\n") : "";
    const short = heading.join("");
    if (block !== "" && block.length + 2 <= left) {
      blocks.push(block);
      left -= block.length + 2;
    } else if (short !== "" && short.length + 2 <= left) {
      blocks.push(short);
      left -= short.length + 2;
      brief += 1;
    } else if (block !== "" || left <= 300) {
      leftOut += 1;
    }
  }
  return { blocks: blocks.filter((block) => block !== ""), leftOut, brief };
}

function cardBlocks(one: Card): string[] {
  return [
    ...(isFolded(one.places) ? [] : placesBlock(one.places)),
    ...(one.agents === undefined ? [] : [agentsTable(one.agents)]),
    ...fieldsBlock(one),
    ...(one.notes.length === 0 ? [] : [one.notes.map((note) => `- ${markdown(note)}`).join("\n")]),
    ...(isFolded(one.places) ? placesBlock(one.places) : []),
    ...one.listed.flatMap(listedBlock),
  ];
}

/** A long list comes behind what happens on it. */
const isFolded = (places: readonly Place[]): boolean => places.length > MOST_INLINE;

function placesBlock(places: readonly Place[]): string[] {
  if (places.length < 2) {
    return [];
  }
  const items = places.map(placeText);
  return isFolded(places) ? folded("Where", items) : [`On ${items.map(markdown).join(" · ")}`];
}

function listedBlock({ title, items }: Listed): string[] {
  if (items.length > MOST_INLINE) {
    return folded(title, items);
  }
  return items.length === 0 ? [] : [`${escapeText(oneLine(title))}: ${items.map(markdown).join(" · ")}`];
}

function folded(title: string, items: readonly Text[]): string[] {
  const more = items.length - MOST_LISTED;
  const list = items.slice(0, MOST_LISTED).map((item) => `- ${markdown(item)}`);
  const rest = more > 0 ? [`- … and ${more.toLocaleString("en")} more, not listed`] : [];
  const summary = `${html(title)} (${items.length.toLocaleString("en")})`;
  return [`<details><summary>${summary}</summary>\n\n${[...list, ...rest].join("\n")}\n\n</details>`];
}

function agentsTable(table: NonNullable<Card["agents"]>): string {
  const { rows, hidden } = agentLines(table);
  const isBoth = table.sides === "both";
  const lines = rows.map(({ agent, before, after, isChanged }) => {
    const cell = (side: { text: string; share: number | undefined }) =>
      side.share === undefined ? side.text : `${code(bar(side.share))} ${isChanged ? `**${side.text}**` : side.text}`;
    const sides = isBoth ? [before, after] : [table.sides === "before" ? before : after];
    return row([code(agent), ...sides.map(cell)]);
  });
  const titles = isBoth ? ["agent", "before", "after"] : ["agent", table.sides === "before" ? "now" : "share"];
  const more = hidden > 0 ? [row([`… and ${hidden} more agents`, ...titles.slice(1).map(() => "")])] : [];
  return [row(titles), row(titles.map(() => ":--")), ...lines, ...more].join("\n");
}

function fieldsBlock({ fields }: Card): string[] {
  if (fields.length === 0) {
    return [];
  }
  if (fields.every(({ before }) => before.length === 0)) {
    return [`With ${fields.map(({ field, after }) => `${name(field)} ${markdown(after)}`).join(" · ")}`];
  }
  const lines = fields.map(({ field, before, after }) => row([name(field), markdown(before), markdown(after)]));
  return [[row(["field", "before", "after"]), row([":--", ":--", ":--"]), ...lines].join("\n")];
}

/** Of an argument it is our own word, and of an account the key that somebody wrote. */
const name = (field: string): string => escapeText(oneLine(field));

function footOf({ onMerge, undo, rest, warnings, digest, hasFailed, cards }: Model, lines: readonly Text[]): string {
  return [
    ...warningsBlock(warnings),
    [
      ...lines.map(markdown),
      markdown(onMerge),
      ...(cards.length === 0 || undo.length === 0 || hasFailed
        ? []
        : [`Undo: ${markdown(sentences(undo, MOST_UNDO))}`]),
      ...rest.map(markdown),
      ...(digest === undefined ? [] : [`reviewed-digest ${code(digest)}`]),
    ].join("<br>\n"),
  ].join("\n\n");
}

function warningsBlock(warnings: readonly string[]): string[] {
  if (warnings.length === 0) {
    return [];
  }
  const items = warnings.slice(0, MOST_WARNINGS).map((text) => `- ${code(text.slice(0, 300).replaceAll("\n", " "))}`);
  const more = warnings.length > MOST_WARNINGS ? [`- … and ${warnings.length - MOST_WARNINGS} more`] : [];
  return [
    `<details><summary>The provider warns (${warnings.length})</summary>\n\n${[...items, ...more].join("\n")}\n\n</details>`,
  ];
}

const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;

/** A table ends a cell at every \`|\`, inside code as well. */
const cell = (text: string): string => text.replaceAll("\\|", "\\\u200b|").replaceAll("|", "\\|");

const markdown = (text: Text): string => text.map(partOf).join("");

function partOf(part: Text[number]): string {
  if (typeof part === "string") {
    return escapeText(part);
  }
  return "id" in part ? code(part.id) : `**${escapeText(part.strong)}**`;
}

/** As code nothing in it is markup, a mention or a link; the fence is longer than any run of backticks inside. */
function code(text: string): string {
  const line = oneLine(text) || " ";
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A pipeline looks for the digest by its name: what others wrote must not pass for it. */
const oneLine = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/(reviewed)-(digest)/gi, "$1 $2")
    .trim();

/** Our own words need it for a star or a bracket; a title comes from a command line. */
const escapeText = (text: string): string =>
  text.replace(/[\\`*_[\]<>~&#|]/g, (character) => `\\${character}`).replace(/(^|\W)@/g, "$1@\u200b");

const html = (text: string): string =>
  oneLine(text).replace(/[&<>"'`*_[\]@]/g, (character) => `&#${character.codePointAt(0)};`);
