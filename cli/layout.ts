/** Text in the lines and columns of a terminal. */

/** Two columns, indented. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`.trimEnd()).join("\n");
}

/** Assume that a terminal has at least this many columns. */
export const WIDTH = 80;

/** A paragraph in lines that fit a terminal. A word that is longer, such as an address, has a line of its own. */
export const wrapped = (text: string): string => wordLines(text, WIDTH).join("\n");

/** A command in backquotes counts as one word, so that a reader can copy it. */
const WORD = /(?:`[^`]*`|\S)+/g;

/** The words in lines of at most this width. */
export function wordLines(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.match(WORD) ?? []) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + 1 + word.length > width) {
      lines.push(word);
    } else {
      lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
    }
  }
  return lines;
}

/** Two columns, indented, of which the second is wrapped. */
export function wrappedColumns(rows: readonly (readonly [string, string])[]): string {
  const left = Math.max(...rows.map(([name]) => name.length));
  return columns(
    rows.flatMap(([name, text]) =>
      wordLines(text, WIDTH - left - 4).map((line, at) => [at === 0 ? name : "", line] as const),
    ),
  );
}
