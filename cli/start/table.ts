import { CsvError, parse } from "csv-parse/sync";
import { nameText, numberId, webhookUrl } from "../../provider/base/schemas";
import { cut } from "../../provider/base/text";
import { inboundAgents, isAgentKey } from "../../provider/routing/inboundAgents";
import { type AssignedField, COLUMNS, type Column, type Routing } from "../../provider/routing/routing";
import { parseAgentKey, type Split, sumsTo, total } from "../../provider/routing/split";
import type { Weighted } from "../../provider/routing/types";
import { counted } from "../../provider/words/message";
import { UsageError } from "../errors";

/** One record of the file, and the line on which it ends: a quoted field may have line breaks. */
interface CsvRecord {
  readonly record: readonly string[];
  readonly line: number;
}

/** Blank lines are left out. A file that is almost CSV is refused, because a wrong guess would change what callers hear. */
export function parseCsv(text: string): readonly CsvRecord[] {
  const records: CsvRecord[] = [];
  try {
    // csv-parse counts a line break of Windows inside quotes as two lines.
    parse(text.replace(/\r\n?/g, "\n"), {
      delimiter: separatorOf(text),
      relaxColumnCount: true,
      skipEmptyLines: true,
      onRecord(record: readonly string[], { lines }) {
        records.push({ record, line: lines });
        return null;
      },
    });
  } catch (error) {
    if (error instanceof CsvError) {
      // A quote that isn't closed is noticed at the end of the file, and begins in the row after the last whole one.
      const line = error.code === "CSV_QUOTE_NOT_CLOSED" ? (records.at(-1)?.line ?? 0) + 1 : error.lines;
      // The field isn't shown, because it may hold the key of a webhook.
      throw new UsageError(
        `line ${line}: a quote is not closed, or not at both ends of its field. Put the field in quotes, and double those inside it.`,
      );
    }
    throw error;
  }
  return records;
}

/** A spreadsheet takes the separator of its country: the one that the first line has most. */
function separatorOf(text: string): string {
  const [header = ""] = text.split(/[\r\n]/, 1);
  const countOf = (separator: string) => header.split(separator).length;
  return [",", ";", "\t"].reduce((best, other) => (countOf(other) > countOf(best) ? other : best));
}

// --- its rows

/** What a number does today, as the web application shows it. */
export interface TableRow {
  readonly number: string;
  readonly label: string | undefined;
  /** As arguments, each of them read. Without inbound agents no agent answers calls to it. */
  readonly routing: Required<Pick<Routing, AssignedField>> & { readonly inboundAgents: Split };
}

type TableColumn = "number" | "label" | Column;

export const TABLE_COLUMNS: readonly TableColumn[] = ["number", "label", ...COLUMNS];

/** Reads the whole file before it reports: the operator can then fix all bad rows at once. If there is a problem, `rows` is empty. */
export function readNumbers(text: string) {
  const [first, ...records] = parseCsv(text);
  const header = (first?.record ?? []).map((name) => name.trim());
  judgeHeader(header);
  if (records.length === 0) {
    throw new UsageError("The file has a header and no number.");
  }
  const columns = header.map((name) => name.toLowerCase());
  const lineOf = new Map<string, number>();
  const results = records.map((record) => readRow(record, columns, lineOf));
  const problems = results.flatMap((row) => row.problems);
  return { rows: problems.length > 0 ? [] : results.flatMap(({ row }) => row ?? []), problems };
}

/** A table without agents would say that no agents answer. Any other column may be left out, so an older table stays one. */
function judgeHeader(header: readonly string[]): void {
  const columns = header.map((name) => name.toLowerCase());
  const isKnown = (name: string) => TABLE_COLUMNS.some((column) => column === name.toLowerCase());
  const unknown = header.filter((name) => !isKnown(name));
  if (unknown.length > 0) {
    const quoted = unknown.map(cellText).join(", ");
    throw new UsageError(
      `line 1: ${quoted} is no column. Rename or remove it. The columns are ${TABLE_COLUMNS.join(", ")}; number and agents are needed.`,
    );
  }
  const repeated = TABLE_COLUMNS.filter((name) => columns.indexOf(name) !== columns.lastIndexOf(name));
  if (repeated.length > 0) {
    throw new UsageError(`line 1: ${repeated.join(" and ")} must be there only once.`);
  }
  const missing = ["number", "agents"].filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    throw new UsageError(`line 1: there is no column ${missing.join(" and no column ")}.`);
  }
}

/** @param lineOf the line of each number above this row */
function readRow(
  { record, line }: CsvRecord,
  columns: readonly string[],
  lineOf: Map<string, number>,
): { row?: TableRow; problems: readonly string[] } {
  if (record.length !== columns.length) {
    return { problems: [`line ${line}: ${counted(record.length, "column")}, and the header has ${columns.length}.`] };
  }
  const problems: string[] = [];
  function cell<Value>(name: TableColumn, read: (text: string) => Value): Value | undefined {
    // A column that is not there says the same as a dash.
    const text = (record[columns.indexOf(name)] ?? "-").trim();
    try {
      if (text === "-") {
        return name === "number" ? unreadable("a number must be given") : undefined;
      }
      return read(text || unreadable("blank; write - for none"));
    } catch (error) {
      if (!(error instanceof Unreadable)) {
        throw error;
      }
      problems.push(`line ${line}, ${name}: ${error.message}.`);
      return undefined;
    }
  }
  const number = cell("number", (text) => demandUnique(readNumber(text), line, lineOf)) ?? "";
  const label = cell("label", (text) => readWith(nameText, text));
  const split = cell("agents", readSplit) ?? {};
  const outbound = cell("outbound", readAgent);
  const routing = {
    inboundAgents: split,
    outboundAgentId: outbound?.agentId,
    outboundAgentVersion: outbound?.agentVersion,
    inboundWebhookUrl: cell("webhook", (text) => readWith(webhookUrl, text)),
    isTimeRoutingEnabled: cell("time routing", readOnOff),
  };
  return { row: { number, label, routing }, problems };
}

/** The rule that a cell breaks, with what to write into it. */
class Unreadable extends Error {}

const cellText = (text: string): string => JSON.stringify(cut(text, 80));

function unreadable(rule: string): never {
  throw new Unreadable(rule);
}

function demandUnique(number: string, line: number, lineOf: Map<string, number>): string {
  const before = lineOf.get(number);
  lineOf.set(number, before ?? line);
  return before === undefined ? number : unreadable(`the same number as line ${before}`);
}

/** Reads a cell by the rule of its argument. The text is not shown, because a webhook's URL may hold a key. */
function readWith({ safeParse }: typeof nameText | typeof webhookUrl, text: string): string {
  const parsed = safeParse(text);
  return parsed.success ? parsed.data : unreadable(parsed.error.issues[0]?.message ?? "is not valid");
}

const ON_OFF = new Map(Object.entries({ on: true, true: true, off: false, false: false }));

const readOnOff = (text: string): boolean =>
  ON_OFF.get(text.toLowerCase()) ?? unreadable(`${cellText(text)} is neither on, off nor -`);

/** Not `+442079460101` but `4.42E+11`, not `4001` but `4001,00`. The provider would take it for an extension. */
const SPREADSHEET_NUMBER = /^\d+(?:[.,]\d+)?(?:E\+?\d+|(?<=[.,]\d+))$/i;

/** Spreadsheets and exports write one number in many forms, and a wrong guess is another number. So none is guessed. */
function readNumber(text: string): string {
  if (SPREADSHEET_NUMBER.test(text)) {
    unreadable(`${cellText(text)} is what a spreadsheet made of a number; format the column as text and fill it again`);
  }
  const { error } = numberId.safeParse(text);
  return error === undefined ? text : unreadable(`${cellText(text)} ${error.issues[0]?.message}`);
}

// --- agents and splits in a cell

/** `agent_front@12`, or `agent_front` if the web application shows no version. */
function readAgent(text: string) {
  // A colon stands before a weight. In place of the @ it would become a part of another agent's name.
  const isAgent = (key: string) => isAgentKey(key) && !key.includes(":");
  const meant = `agent_${text}`;
  return isAgent(text)
    ? parseAgentKey(text)
    : unreadable(`${cellText(text)} is not an agent; write it as ${isAgent(meant) ? meant : "agent_front@12"}`);
}

/**
 * `agent_front@12:90 agent_front@13:10`. The weights must sum to 100 or to 1: a digit left out would change what callers hear, and after the
 * first `up` nothing can be read back.
 */
function readSplit(text: string): Split {
  const parsed = inboundAgents.safeParse(text.split(" ").filter(Boolean).map(readEntry));
  if (!parsed.success) {
    // Only the rules of the list are shown, because a reader would have to count for an index.
    return unreadable([...new Set(parsed.error.issues.map(({ message }) => message))].join("; "));
  }
  const isWhole = sumsTo(parsed.data, 100) || sumsTo(parsed.data, 1);
  return isWhole
    ? parsed.data
    : unreadable(`the weights sum to ${Number(total(parsed.data).toPrecision(12))}, not 100 or 1`);
}

function readEntry(text: string): Weighted {
  const colon = text.lastIndexOf(":");
  if (colon < 0) {
    unreadable(`${cellText(text)} has no weight; write it as agent_front@12:100`);
  }
  const [agent, weight] = [readAgent(text.slice(0, colon)), text.slice(colon + 1)];
  return /^(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)$/.test(weight)
    ? { ...agent, weight: Number(weight) }
    : unreadable(`${cellText(weight)} is not a weight; write a number such as 90`);
}
