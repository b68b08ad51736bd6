import { CsvError, parse } from "csv-parse/sync";

/** One record of the file, and the line on which it starts: a quoted field may have line breaks. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

const SEPARATORS = [",", ";", "\t"];

/** It does not repeat the field, which may hold the key of a webhook. */
const RULE =
  "a quote is not closed, or not at both ends of its field; put the field in quotes, and double those inside it";

/** A file that is almost CSV is refused, because a wrong guess would change what callers hear. */
export function parseCsv(text: string) {
  const records: CsvRecord[] = [];
  let line = 1;
  const options = {
    bom: true,
    delimiter: separatorOf(text),
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    on_record(fields: readonly string[], { lines }: { readonly lines: number }) {
      records.push({ line, fields });
      line = lines + 1;
      return null;
    },
  };
  try {
    parse(text, options);
    return { records };
  } catch (error) {
    if (error instanceof CsvError) {
      return { records, problem: { line, rule: RULE } };
    }
    throw error;
  }
}

/** A spreadsheet takes the separator of its country: the one that the first line has most. */
function separatorOf(text: string): string {
  const [header = ""] = text.split(/[\r\n]/, 1);
  const counts = SEPARATORS.map((separator) => header.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ",";
}
