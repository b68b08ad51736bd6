import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./declarations";

/** Markdown, as the pages of the reference need it. */

export const code = (text: string): string => (text === "" ? "" : `\`${text}\``);

export const list = (lines: readonly string[]): string => lines.join("\n");

/** A page of its parts, each a paragraph, a heading or a list; parts that are empty are left out. */
export const page = (...parts: readonly string[]): string => `${parts.filter((part) => part !== "").join("\n\n")}\n`;

/** `runbooks/stuck-delete.md` and `(interface 4.1)` in running text become links, from a page below docs/. */
export const linked = (text: string): string =>
  text
    .replace(/\b((?:runbooks|guides)\/[\w-]+\.md)/g, (path) => `[${path}](../${path})`)
    .replace(/(?<=\binterface )\d(?:\.\d)?/g, (section) => sectionLink(section, "../interface.md"));

/** A `{@link Name}` of a doc comment reads as code. */
export const withoutLinks = (text: string): string => text.replace(/\{@link (\w+)\}/g, "`$1`");

/** For readers who do not have the platform's interface beside them. */
export const withoutSections = (text: string): string =>
  text.replace(/ \(interface [\d., ]+\)/g, "").replace(/, interface [\d.]+(?=\))/g, "");

/** A meaning of a table, as a sentence. */
export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

// --- the sections of docs/interface.md, which comments, tables and pages cite by their numbers

const HEADING = /^#{2,3} ((\d(?:\.\d)?)\.? .+)$/gm;

/** As GitHub makes it of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replace(/ /g, "-");

/** The anchor of each section by its number: `4.1` has `41-assign-agents-to-a-number`. */
const interfaceSections: ReadonlyMap<string, string> = new Map(
  [...readFileSync(join(root, "docs/interface.md"), "utf8").matchAll(HEADING)].map(
    ([, heading = "", number = ""]) => [number, anchorOf(heading)] as const,
  ),
);

/** A section's number as a link; `page` is the way to docs/interface.md from the page with the link. */
function sectionLink(number: string, page: string): string {
  const anchor = interfaceSections.get(number);
  if (anchor === undefined) {
    throw new Error(`docs/interface.md has no section ${number}.`);
  }
  return `[${number}](${page}#${anchor})`;
}
