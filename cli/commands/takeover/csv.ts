/** One record of the file, and the line on which it starts: a quoted field may have line breaks. */
export type CsvRecord = ReturnType<typeof parseCsv>["records"][number];

const UNQUOTED = /[^",\r\n]*/y;
const END = /,|\r\n|\n|$/y;

/**
 * Reads CSV as RFC 4180 defines it; lines may end without the CR. A file that is almost CSV is refused, because a wrong guess would change
 * what callers hear. It is written here because a parser would be one more package in every installation.
 */
export function parseCsv(text: string) {
  const records: { line: number; fields: readonly string[] }[] = [];
  let fields: string[] = [];
  let [at, line, startedOn] = [0, 1, 1];
  while (at < text.length || fields.length > 0) {
    const field = fieldAt(text, at);
    const end = field && match(END, text, field.end);
    if (!field || !end) {
      // Here the file stops being CSV: the rest cannot be read.
      return { records, problem: { line, rule: ruleAt(text, at, field?.end ?? at) } };
    }
    fields.push(field.value);
    const read = text.slice(at, field.end + end[0].length);
    at += read.length;
    line += breaksIn(read);
    if (end[0] === ",") {
      continue;
    }
    records.push({ line: startedOn, fields });
    [fields, startedOn] = [[], line];
  }
  return { records };
}

/** The field that begins there; undefined if its quote is not closed. */
function fieldAt(text: string, at: number) {
  if (text[at] !== '"') {
    const value = match(UNQUOTED, text, at)?.[0] ?? "";
    return { value, end: at + value.length };
  }
  // A regular expression would run out of stack in a field of some megabytes.
  for (let quote = text.indexOf('"', at + 1); quote >= 0; quote = text.indexOf('"', quote + 2)) {
    if (text[quote + 1] !== '"') {
      return { value: text.slice(at + 1, quote).replaceAll('""', '"'), end: quote + 1 };
    }
  }
  return undefined;
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const breaksIn = (text: string): number => text.split("\n").length - 1;

function ruleAt(text: string, at: number, end: number): string {
  if (text[at] === '"') {
    return end === at ? "a quoted field is not closed" : "a quoted field is followed by more than a comma";
  }
  return text[end] === '"'
    ? "a quote stands inside a field; put the whole field in quotes and double the quotes inside it"
    : "a line ends with a carriage return alone";
}
