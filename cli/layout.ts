/** Lays out text for a terminal. */

/** Two columns, indented. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`.trimEnd()).join("\n");
}

/** Assume that a terminal has at least this many columns. */
export const WIDTH = 80;

/** Wraps a paragraph to the width of a terminal. A longer word, such as a URL, gets its own line. */
export const wrap = (text: string): string => wrapLines(text, WIDTH).join("\n");

/** Treat a command in backquotes as one word, so that it can be copied from one line. */
const WORD = /(?:`[^`]*`|\S)+/g;

/** Splits the text into lines of at most the given width. */
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

/** Formats rows as two indented columns and wraps the second column. */
export function wrapColumns(rows: readonly (readonly [string, string])[]): string {
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  return columns(
    rows.flatMap(([name, text]) =>
      wrapLines(text, WIDTH - nameWidth - 4).map((line, index) => [index === 0 ? name : "", line] as const),
    ),
  );
}
