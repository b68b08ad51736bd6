import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A row of the table in README.md of this folder. */
export interface Fault {
  /** The same for good, in docs, tests and messages of commits. */
  readonly id: number;
  /** What goes wrong. */
  readonly fault: string;
  /**
   * What is read of it: the message as it is, with `<…>` for what differs and `…` for what is left out; or, if there is no message
   * of ours, what happens instead.
   */
  readonly read: { readonly says: string } | { readonly quiet: string };
}

/** Code that holds a backtick has two of them around it. */
const uncoded = (text: string): string => text.replace(/^`` (.*) ``$|^`(.*)`$/, "$1$2");

/** A message is code in each of its lines. */
function readOf(cell: string): Fault["read"] {
  const lines = cell.split("<br>");
  return lines.every((line) => /^`.*`$/.test(line)) ? { says: lines.map(uncoded).join("\n  ") } : { quiet: cell };
}

/** Every fault that is tested, in the order of the page. */
export const FAULTS: readonly Fault[] = readFileSync(join(__dirname, "README.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => line.slice(2, -2).split(" | "))
  .map(([id, fault = "", read = ""]) => ({
    id: Number(id),
    fault,
    read: readOf(read),
  }));
