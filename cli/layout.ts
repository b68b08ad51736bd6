/** Text in the lines and columns of a terminal. */

/** Two columns, indented. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`.trimEnd()).join("\n");
}

/** Assume that a terminal has at least this many columns. */
export const WIDTH = 80;

/** A paragraph in lines that fit a terminal. A word that is longer, such as an address, has a line of its own. */
export const wrap = (text: string): string => wrapLines(text, WIDTH).join("\n");

/** A command in backquotes counts as one word, so that a reader can copy it. */
const WORD = /(?:`[^`]*`|\S)+/g;

/** The words in lines of at most this width. */
export function wrapLines(text: string, width: number): string[] {
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
export function wrapColumns(rows: readonly (readonly [string, string])[]): string {
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  return columns(
    rows.flatMap(([name, text]) =>
      wrapLines(text, WIDTH - nameWidth - 4).map((line, index) => [index === 0 ? name : "", line] as const),
    ),
  );
}
