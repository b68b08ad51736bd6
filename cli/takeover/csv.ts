import { UsageError } from "../errors";

/** One record of the file, and the line on which it ends: a quoted field may have line breaks. */
export interface CsvRecord {
  readonly record: readonly string[];
  readonly line: number;
}

const LINE_BREAK = /\r\n|\n|\r/g;

/** RFC 4180. A file that is almost CSV is refused, because a wrong guess would change what callers hear. */
export function parseCsv(file: string): readonly CsvRecord[] {
  const text = file.replace(/^\uFEFF/, "");
  const separator = separatorOf(text);
  const field = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^"${separator}\\r\\n]*))(${separator}|\\r\\n|\\n|\\r|$)`, "y");
  const records: CsvRecord[] = [];
  let record: string[] = [];
  let lines = 1;
  // A line break at the end of the file ends its last record, and begins no other.
  while (field.lastIndex < text.length || record.length > 0) {
    const [, inQuotes, plain = "", end = ""] = field.exec(text) ?? refuseQuotes(lines);
    record.push(inQuotes?.replaceAll('""', '"') ?? plain);
    lines += inQuotes?.match(LINE_BREAK)?.length ?? 0;
    if (end !== separator) {
      records.push({ record, line: lines });
      record = [];
      lines += 1;
    }
  }
  return records;
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
