/** Lays out text for a terminal. */

/** Formats rows as two indented columns. The first is as wide as its longest text. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`.trimEnd()).join("\n");
}

/** The width to which text is wrapped. We assume that every terminal has at least this many columns. */
export const WIDTH = 80;

/** Wraps a paragraph at 80 columns. A word that is longer than that, such as a URL, gets its own line. */
export const wrap = (text: string): string => wrapLines(text, WIDTH).join("\n");

/**
 * Matches a word. A command in backquotes counts as one word even if it contains spaces, so that it is never split over
 * two lines and can be copied.
 */
const WORD = /(?:`[^`]*`|\S)+/g;

/** Splits the text into lines of at most the given width. A longer word gets a line of its own. */
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
