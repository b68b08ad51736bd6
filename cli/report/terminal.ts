import { printableLines } from "../../provider/core/common/redact";
import { columns, wrapped, wrappedColumns } from "../io";
import { capped } from "../lists";
import { type Card, fieldChangeText } from "./card";
import { type Extra, frameOf, type Report } from "./report";
import type { Review } from "./stacks";
import { ids, joined, type Text, toPlain, words } from "./text";

/** The report for a person at a terminal: the same facts as in the comment, without its markup. */

const MOST_LISTED = 50;

export const toTerminal = (report: Report, extra: Extra = {}): string =>
  written(sectionOf(report.stack, report, extra));

export function reviewToTerminal({ headline, crossings, notes, stacks }: Review, { gates = [] }: Extra): string {
  const between = crossings.flatMap((one) => [
    crossings.length > 1 && line(one.title),
    items(one.notes),
    one.numbers.length > 1 && line(inList(ids(one.numbers))),
  ]);
  const sections = stacks.flatMap(({ stack, report }) => sectionOf(stack, report, { gates }));
  return written([line(headline), ...between, items(notes), ...sections]);
}

type Block = string | false;

const written = (blocks: readonly Block[]): string => `${printableLines(together(blocks, "\n\n"))}\n`;
const together = (blocks: readonly Block[], separator = "\n"): string => blocks.filter(Boolean).join(separator);
const line = (text: Text): string => wrapped(toPlain(text));
const items = (texts: readonly Text[]): string => texts.map((text) => line(words`- ${text}`)).join("\n");
const inList = (texts: readonly Text[]): Text =>
  joined(
    capped(texts, MOST_LISTED, (more) => [`… and ${more.toLocaleString("en")} more`]),
    ", ",
  );

function sectionOf(stack: string, report: Report, extra: Extra): Block[] {
  const { head, alerts, stop, isTitled, last } = frameOf({ ...report, stack }, extra);
  return [
    line(head),
    ...alerts.map(({ title, quote, note }) =>
      together([line(title), wrappedColumns(quote.map((text) => ["", text])), note !== undefined && line(note)]),
    ),
    stop,
    ...report.cards.map((card) => together([isTitled && line(card.title), ...cardLines(card)])),
    items(report.warnings.map((text): Text => [`The provider warns: ${text}`])),
    last.map(line).join("\n"),
  ];
}

const cardLines = ({ agents = [], rows = [], notes = [], list = [] }: Card): Block[] => [
  agents.length > 0 && columns(agents.map(([agent, before, after]) => [agent, `${before} → ${after}`])),
  rows.length > 0 && line(words`With ${joined(rows.map(fieldChangeText), " · ")}`),
  items(notes),
  list.length > 0 && line(words`On ${inList(list)}`),
];
