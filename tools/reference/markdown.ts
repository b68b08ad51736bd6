import { sectionLink } from "./interface";

/** Markdown, as the pages of the reference need it. */

export const code = (text: string): string => (text === "" ? "" : `\`${text}\``);

/** A bar would end the cell, even inside code. */
const cell = (text: string): string => text.replace(/\s*\n\s*/g, " ").replace(/\|/g, "\\|");

export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

/** A page of its parts, each a paragraph, a heading or a table; parts that are empty are left out. */
export const page = (...parts: readonly string[]): string => `${parts.filter((part) => part !== "").join("\n\n")}\n`;

/** `runbooks/stuck-delete.md` and `(interface 4.1)` in running text become links, from a page below docs/. */
export const linked = (text: string): string =>
  text
    .replace(/\b((?:runbooks|guides)\/[\w-]+\.md)/g, (path) => `[${path}](../${path})`)
    .replace(/(?<=\binterface )\d(?:\.\d)?/g, (section) => sectionLink(section, "../interface.md"));

/** A `{@link Name}` of a doc comment reads as code. */
export const withoutLinks = (text: string): string => text.replace(/\{@link (\w+)\}/g, "`$1`");
