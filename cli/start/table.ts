import { CsvError, parse } from "csv-parse/sync";
import { nameText, numberId, webhookUrl } from "../../provider/base/schemas";
import { series, truncate } from "../../provider/base/text";
import { inboundAgents, isAgentKey } from "../../provider/routing/inboundAgents";
import { type AssignedField, COLUMNS, type Column, type Routing } from "../../provider/routing/routing";
import { parseAgentKey, type Split, sumsTo, total } from "../../provider/routing/split";
import type { Weighted } from "../../provider/routing/types";
import { counted } from "../../provider/words/message";
import { UsageError } from "../errors";

/**
 * A CSV record, with the number of its last line. A record can span several lines, because quoted fields may contain
 * line breaks.
 */
interface CsvRecord {
  readonly record: readonly string[];
  readonly line: number;
}

/**
 * Parses CSV and skips blank lines. Throws a UsageError if quotation marks are misplaced, because a wrong guess at what
 * was meant would change what callers hear.
 */
export function parseCsv(text: string): readonly CsvRecord[] {
  const records: CsvRecord[] = [];
  try {
    // Replace Windows line breaks. csv-parse counts such a line break inside quotes as two lines, so errors would name
    // the wrong line.
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
      // The parser notices an unclosed quotation mark only at the end of the file. The mark is in the row after the
      // last complete one, so report that row.
      const line = error.code === "CSV_QUOTE_NOT_CLOSED" ? (records.at(-1)?.line ?? 0) + 1 : error.lines;
      // Don't print the field: it may contain a webhook's key.
      throw new UsageError(
        `line ${line}: the closing quotation mark of a field is missing, or is followed by more text. Put quotation marks around the whole field, and double each quotation mark inside it.`,
      );
    }
    throw error;
  }
  return records;
}

/** Spreadsheets use the separator of their locale, so use the separator that is most frequent in the header. */
function separatorOf(text: string): string {
  const [header = ""] = text.split(/[\r\n]/, 1);
  const countOf = (separator: string) => header.split(separator).length;
  return [",", ";", "\t"].reduce((best, other) => (countOf(other) > countOf(best) ? other : best));
}

// --- rows

/** A number with its current routing, as the platform's web application shows it. */
export interface TableRow {
  readonly number: string;
  readonly label: string | undefined;
  /**
   * The routing, in the form of the resource's arguments. If `inboundAgents` is empty, the number has no inbound
   * agents.
   */
  readonly routing: Required<Pick<Routing, AssignedField>> & { readonly inboundAgents: Split };
}

type TableColumn = "number" | "label" | Column;

export const TABLE_COLUMNS: readonly TableColumn[] = ["number", "label", ...COLUMNS];

/**
 * Reads a CSV table of numbers and their routings. Returns the problems of all rows, so that the operator can fix them
 * at once. If there are any, `rows` is empty.
 */
export function readNumbers(text: string) {
  const [first, ...records] = parseCsv(text);
  const header = (first?.record ?? []).map((name) => name.trim());
  judgeHeader(header);
  if (records.length === 0) {
    throw new UsageError("The file has a header but no numbers.");
  }
  const columns = header.map((name) => name.toLowerCase());
  const lineOf = new Map<string, number>();
  const results = records.map((record) => readRow(record, columns, lineOf));
  const problems = results.flatMap((row) => row.problems);
  return { rows: problems.length > 0 ? [] : results.flatMap(({ row }) => row ?? []), problems };
}

/** Refuses a header with unknown, repeated or missing columns. */
function judgeHeader(header: readonly string[]): void {
  const columns = header.map((name) => name.toLowerCase());
  const isKnown = (name: string) => TABLE_COLUMNS.some((column) => column === name.toLowerCase());
  const unknown = header.filter((name) => !isKnown(name));
  if (unknown.length > 0) {
    const quoted = unknown.map(cellText).join(", ");
    throw new UsageError(
      `line 1: unknown columns: ${quoted}. Rename or remove them. The columns are ${series(TABLE_COLUMNS)}; number and agents are required.`,
    );
  }
  const repeated = TABLE_COLUMNS.filter((name) => columns.indexOf(name) !== columns.lastIndexOf(name));
  if (repeated.length > 0) {
    throw new UsageError(`line 1: ${columnsText(repeated)} may appear only once.`);
  }
  // Without `agents`, the numbers would seem to have no inbound agents. The other columns are optional, so that tables
  // from before a column was introduced stay valid.
  const missing = ["number", "agents"].filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    throw new UsageError(`line 1: ${columnsText(missing)} ${missing.length === 1 ? "is" : "are"} missing.`);
  }
}

const columnsText = (names: readonly string[]): string =>
  `the column${names.length === 1 ? "" : "s"} ${series(names.map((name) => `"${name}"`))}`;

/**
 * Reads a row, and lists the problems in its cells.
 * @param lineOf the line of each number read so far, by which a number that is listed twice is found
 */
function readRow(
  { record, line }: CsvRecord,
  columns: readonly string[],
  lineOf: Map<string, number>,
): { row?: TableRow; problems: readonly string[] } {
  if (record.length !== columns.length) {
    return {
      problems: [
        `line ${line}: this row has ${counted(record.length, "column")}, but the header has ${columns.length}.`,
      ],
    };
  }
  const problems: string[] = [];
  function cell<Value>(name: TableColumn, read: (text: string) => Value): Value | undefined {
    // If the table doesn't have this column, use a dash, which means that there is no value.
    const text = (record[columns.indexOf(name)] ?? "-").trim();
    try {
      if (text === "-") {
        return name === "number" ? unreadable("a number is required") : undefined;
      }
      return read(text || unreadable("the cell is blank; write - for none"));
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

/** An error that says which rule a cell breaks, and what to write instead. */
class Unreadable extends Error {}

const cellText = (text: string): string => JSON.stringify(truncate(text, 80));

function unreadable(rule: string): never {
  throw new Unreadable(rule);
}

function demandUnique(number: string, line: number, lineOf: Map<string, number>): string {
  const firstLine = lineOf.get(number);
  lineOf.set(number, firstLine ?? line);
  return firstLine === undefined ? number : unreadable(`this number is already on line ${firstLine}`);
}

/**
 * Validates a cell against the schema of the resource argument that it is used for. The error doesn't quote the cell,
 * because a webhook URL may contain a key.
 */
function readWith({ safeParse }: typeof nameText | typeof webhookUrl, text: string): string {
  const parsed = safeParse(text);
  return parsed.success ? parsed.data : unreadable(`the cell ${parsed.error.issues[0]?.message ?? "is not valid"}`);
}

const ON_OFF = new Map(Object.entries({ on: true, true: true, off: false, false: false }));

const readOnOff = (text: string): boolean =>
  ON_OFF.get(text.toLowerCase()) ?? unreadable(`${cellText(text)} is not valid; write on, off or -`);

/**
 * Matches a number that a spreadsheet has reformatted, such as `4.42E+11` or `4001,00`, which would otherwise pass as
 * the number of an extension.
 */
const SPREADSHEET_NUMBER = /^\d+(?:[.,]\d+)?(?:E\+?\d+|(?<=[.,]\d+))$/i;

/**
 * Refuses an ambiguous number instead of guessing, because a wrong guess would assign agents to somebody else's number.
 */
function readNumber(text: string): string {
  if (SPREADSHEET_NUMBER.test(text)) {
    unreadable(
      `a spreadsheet has reformatted this number as ${cellText(text)}; format the column as text and enter the number again`,
    );
  }
  const { error } = numberId.safeParse(text);
  return error === undefined ? text : unreadable(`${cellText(text)} ${error.issues[0]?.message}`);
}

// --- agents and splits

/**
 * Reads an agent from a table cell: `agent_front@12`, or `agent_front` if the platform's web application shows no
 * version.
 */
function readAgent(text: string) {
  // Refuse a colon, because `agent_front:12`, with a colon typed instead of `@`, would otherwise pass as the ID of
  // another agent.
  const isAgent = (key: string) => isAgentKey(key) && !key.includes(":");
  const suggestion = `agent_${text}`;
  return isAgent(text)
    ? parseAgentKey(text)
    : unreadable(
        `${cellText(text)} is not an agent; write it as ${isAgent(suggestion) ? suggestion : "agent_front@12"}`,
      );
}

/** Reads a split from a table cell, such as `agent_front@12:90 agent_front@13:10`. */
function readSplit(text: string): Split {
  const parsed = inboundAgents.safeParse(text.split(" ").filter(Boolean).map(readEntry));
  if (!parsed.success) {
    // Don't say which entry of the split is invalid, because the entry's index doesn't help a user who is looking at
    // the CSV table.
    const subjectOf = (path: readonly PropertyKey[]) => (path.at(-1) === "weight" ? "a weight" : "an entry");
    const texts = parsed.error.issues.map(
      ({ path, message }) => `${path.length === 0 ? "the split" : subjectOf(path)} ${message}`,
    );
    return unreadable([...new Set(texts)].join("; "));
  }
  // The sum reveals most mistyped digits. An unnoticed one would change who answers calls, and after the first `up`,
  // the platform no longer shows the original split.
  const isWhole = sumsTo(parsed.data, 100) || sumsTo(parsed.data, 1);
  return isWhole
    ? parsed.data
    : unreadable(
        `the weights add up to ${Number(total(parsed.data).toPrecision(12))}, but they must add up to 100 or 1`,
      );
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
