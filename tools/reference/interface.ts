import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./declarations";

/** The sections of docs/interface.md, which comments, tables and pages cite by their numbers. */

const HEADING = /^#{2,3} ((\d(?:\.\d)?)\.? .+)$/gm;

/** As GitHub makes it of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replace(/ /g, "-");

/** The anchor of each section by its number: `4.1` has `41-assign-agents-to-a-number`. */
export const interfaceSections: ReadonlyMap<string, string> = new Map(
  [...readFileSync(join(root, "docs/interface.md"), "utf8").matchAll(HEADING)].map(
    ([, heading = "", number = ""]) => [number, anchorOf(heading)] as const,
  ),
);

/** A section's number as a link; `page` is the way to docs/interface.md from where the link stands. */
export function sectionLink(number: string, page: string): string {
  const anchor = interfaceSections.get(number);
  if (anchor === undefined) {
    throw new Error(`docs/interface.md has no section ${number}.`);
  }
  return `[${number}](${page}#${anchor})`;
}
