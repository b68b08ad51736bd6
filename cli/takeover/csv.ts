import { UsageError } from "../errors";

/** One record of the file, and the line on which it ends: a quoted field may have line breaks. */
export interface CsvRecord {
  readonly record: readonly string[];
  readonly line: number;
}

/**
 * RFC 4180. A file that is almost CSV is refused, because a wrong guess would change what callers hear. It is read by position and not by a
 * regular expression, which would run out of stack on a field of megabytes.
 */
export function parseCsv(file: string): readonly CsvRecord[] {
  const text = file.replace(/^\uFEFF/, "");
  const separator = separatorOf(text);
  const records: CsvRecord[] = [];
  let record: string[] = [];
  let line = 1;
  let at = 0;
  // A line break at the end of the file ends its last record, and begins no other.
  while (at < text.length || record.length > 0) {
    const { value, end } = text[at] === '"' ? quotedField(text, at) : plainField(text, at, separator);
    const after = text[end] ?? "\n";
    if (![separator, "\n", "\r"].includes(after)) {
      refuseQuotes(line);
    }
    record.push(value);
    line += lineBreaksIn(value);
    at = text.startsWith("\r\n", end) ? end + 2 : end + 1;
    if (after !== separator) {
      records.push({ record, line });
      record = [];
      line += 1;
    }
  }
  return records;
}

interface Field {
  readonly value: string;
  /** The position behind it: of a separator, a line break, or the end of the file if it is well written. */
  readonly end: number;
}

/** Two quotes are one of the text. A field without a closing quote ends at its opening one. */
function quotedField(text: string, start: number): Field {
  let quote = text.indexOf('"', start + 1);
  while (quote >= 0 && text[quote + 1] === '"') {
    quote = text.indexOf('"', quote + 2);
  }
  return quote < 0
    ? { value: "", end: start }
    : { value: text.slice(start + 1, quote).replaceAll('""', '"'), end: quote + 1 };
}

/** It has no quotes, so it ends at one as well. */
function plainField(text: string, start: number, separator: string): Field {
  const ends = `${separator}"\r\n`;
  let end = start;
  while (end < text.length && !ends.includes(text.charAt(end))) {
    end += 1;
  }
  return { value: text.slice(start, end), end };
}

function lineBreaksIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const isBreak = text[at] === "\n" || (text[at] === "\r" && text[at + 1] !== "\n");
    count += isBreak ? 1 : 0;
  }
  return count;
}

/** It does not repeat the field, which may hold the key of a webhook. */
function refuseQuotes(line: number): never {
  const rule =
    "a quote is not closed, or not at both ends of its field. Put the field in quotes, and double those inside it";
  throw new UsageError(`line ${line}: ${rule}.`);
}

/** A spreadsheet takes the separator of its country: the one that the first line has most. */
function separatorOf(text: string): string {
  const [header = ""] = text.split(/[\r\n]/, 1);
  const countOf = (separator: string) => header.split(separator).length;
  return [",", ";", "\t"].reduce((best, other) => (countOf(other) > countOf(best) ? other : best));
}
