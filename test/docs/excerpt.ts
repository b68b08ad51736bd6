/** Whether a page shows what was printed: word for word; a line that holds `…` alone matches any lines. */
export function isExcerpt(shown: string, printed: string): boolean {
  const pattern = linesOf(shown).map((line) => (line === "…" ? "(?:.*\n)*" : `${escaped(line)}\n`));
  return new RegExp(`^${pattern.join("")}$`).test(`${linesOf(printed).join("\n")}\n`);
}

/** Without what no reader sees: blank lines around the text, blanks at the end of a line. */
export const linesOf = (text: string): string[] =>
  text
    .replace(/^\n+|\s+$/g, "")
    .split("\n")
    .map((line) => line.trimEnd());

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
