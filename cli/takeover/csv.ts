import { CsvError, parse } from "csv-parse/sync";
import { UsageError } from "../errors";

/** One record of the file, and the line on which it ends: a quoted field may have line breaks. */
export interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** A file that is almost CSV is refused, because a wrong guess would change what callers hear. */
export function parseCsv(text: string): readonly CsvRecord[] {
  const ends = ["\r\n", "\n", "\r"];
  const options = { bom: true, delimiter: separatorOf(text), record_delimiter: ends, relax_column_count: true };
  try {
    return parse(text, { ...options, info: true }) as unknown as CsvRecord[];
  } catch (error) {
    if (error instanceof CsvError) {
      // It does not repeat the field, which may hold the key of a webhook.
      const rule =
        "a quote is not closed, or not at both ends of its field. Put the field in quotes, and double those inside it";
      throw new UsageError(`line ${error.lines}: ${rule}.`);
    }
    throw error;
  }
}

/** A spreadsheet takes the separator of its country: the one that the first line has most. */
function separatorOf(text: string): string {
  const [header = ""] = text.split(/[\r\n]/, 1);
  const countOf = (separator: string) => header.split(separator).length;
  return [",", ";", "\t"].reduce((best, other) => (countOf(other) > countOf(best) ? other : best));
}
