/** One record of the file, and the line that it starts on: a quoted field may hold line breaks. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

export interface CsvFile {
  readonly records: readonly CsvRecord[];
  /** Where the file stops being CSV: what follows cannot be read. */
  readonly problem?: { readonly line: number; readonly rule: string };
}

const FIELD = /"((?:[^"]|"")*)"|([^",\r\n]*)/y;
const END = /,|\r\n|\n|$/y;

/**
 * CSV as RFC 4180 has it, and nothing else: a file that is almost CSV is refused, for a guess here would be what callers
 * hear. By hand, since a parser would be one more package in everybody's installation. Lines may end without the CR.
 */
export function parseCsv(text: string): CsvFile {
  const records: CsvRecord[] = [];
  let fields: string[] = [];
  let [at, line, startedOn] = [0, 1, 1];
  while (at < text.length || fields.length > 0) {
    const field = match(FIELD, text, at);
    const end = field && match(END, text, at + field[0].length);
    if (!field || !end) return { records, problem: { line, rule: slipAt(text, at, field?.[0] ?? "") } };
    fields.push(field[1] === undefined ? (field[2] ?? "") : field[1].replaceAll('""', '"'));
    at += field[0].length + end[0].length;
    line += breaksIn(field[0]) + breaksIn(end[0]);
    if (end[0] === ",") continue;
    records.push({ line: startedOn, fields });
    [fields, startedOn] = [[], line];
  }
  return { records };
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const breaksIn = (text: string): number => text.split("\n").length - 1;

function slipAt(text: string, at: number, field: string): string {
  if (text[at] === '"') {
    return field === "" ? "a quoted field is not closed" : "a quoted field is followed by more than a comma";
  }
  return text[at + field.length] === '"'
    ? "a quote stands inside a field; put the whole field in quotes and double the quotes inside it"
    : "a line ends with a carriage return alone";
}
