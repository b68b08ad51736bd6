import { wordLines } from "../io";

/** A page in Markdown as a terminal shows it. It knows what the pages of this package hold, and no more of Markdown. */

interface Style {
  readonly width: number;
  readonly heading: (text: string) => string;
  /** What follows the text of a link. */
  readonly linked: (target: string) => string;
}

const INDENT = "  ";

export function inTerminal(markdown: string, style: Style): string {
  const shown: string[] = [];
  let header: readonly string[] | undefined;
  let isCode = false;
  let isPrinted = false;
  for (const line of markdown.split("\n")) {
    const row = !isCode && line.startsWith("|") ? cellsOf(line) : undefined;
    const [fence, language] = /^ *```(\w*)/.exec(line) ?? [];
    if (fence !== undefined) {
      isCode = !isCode;
      isPrinted = language === "text";
    } else if (isCode) {
      shown.push(...codeLines(line, isPrinted, style));
    } else if (row === undefined) {
      header = undefined;
      shown.push(...textLines(line, style));
    } else {
      shown.push(...(header === undefined ? [] : rowLines(header, row, style)));
      header ??= row;
    }
  }
  return `${shown
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()}\n`;
}

/** What people copy stays as it is. What a command has printed is wrapped, as a terminal would. */
function codeLines(line: string, isPrinted: boolean, style: Style): string[] {
  const code = `${INDENT}${INDENT}${line}`.trimEnd();
  const [, spaces = "", text = ""] = /^( *)(.*)$/.exec(code) ?? [];
  return isPrinted && code.length > style.width ? indented(spaces, "", text, style) : [code];
}

function textLines(line: string, style: Style): string[] {
  if (/^(<!--|!\[)/.test(line)) {
    return [];
  }
  const [, heading] = /^#+ (.+)$/.exec(line) ?? [];
  if (heading !== undefined) {
    return [style.heading(inline(heading, style))];
  }
  const [, spaces = "", mark = "", text = ""] = /^( *)((?:-|\d+\.) )?(.*)$/.exec(line) ?? [];
  return indented(INDENT + spaces, mark, inline(text, style), style);
}

/** A row of a table: its first cell, and below it the others. If there are several, each has the title of its column. */
function rowLines(
  [, ...titles]: readonly string[],
  [first = "", ...others]: readonly string[],
  style: Style,
): string[] {
  if (/^-+$/.test(first)) {
    return [];
  }
  const cells = others.map((cell, at) => (others.length === 1 ? cell : `${titles[at] ?? ""}: ${cell}`));
  return [
    "",
    ...indented(INDENT, "", inline(first, style), style),
    ...cells.flatMap((cell) => indented(INDENT.repeat(2), others.length === 1 ? "" : "- ", inline(cell, style), style)),
  ];
}

const cellsOf = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

function indented(indent: string, mark: string, text: string, { width }: Style): string[] {
  const hanging = indent + " ".repeat(mark.length);
  return wordLines(text, width - hanging.length).map((line, at) =>
    `${at === 0 ? indent + mark : hanging}${line}`.trimEnd(),
  );
}

/** Text between backticks stays as it is, with them, because people copy it. */
const inline = (text: string, style: Style): string =>
  text.replace(
    /(`[^`]+`)|<[a-z/][^>]*>|\*\*(.+?)\*\*|\*(\S.*?)\*|\[([^\]]+)\]\(([^)\s]+)\)/g,
    (_, code?: string, strong?: string, emphasis?: string, label = "", target?: string) =>
      code ?? inline(strong ?? emphasis ?? label, style) + (target === undefined ? "" : style.linked(target)),
  );
