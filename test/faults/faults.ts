import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { repository } from "../support/engineProject";

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
  readonly heldBy: readonly Held[];
}

export interface Held {
  readonly file: string;
  /** The full title; `…` stands for the rest of a series. */
  readonly title: string;
}

/** Code that holds a backtick has two of them around it. */
const uncoded = (text: string): string => text.replace(/^`` (.*) ``$|^`(.*)`$/, "$1$2");

/** A message is code in each of its lines. */
function readOf(cell: string): Fault["read"] {
  const lines = cell.split("<br>");
  return lines.every((line) => /^`.*`$/.test(line)) ? { says: lines.map(uncoded).join("\n  ") } : { quiet: cell };
}

/** A link to each file, and its titles behind it. */
function heldOf(cell: string): Held[] {
  let file = "";
  return cell.split("<br>").flatMap((part) => {
    const [, link] = /^\[[^\]]+\]\((.+)\)$/.exec(part) ?? [];
    file = link === undefined ? file : relative(repository, join(__dirname, link));
    return link === undefined ? [{ file, title: uncoded(part) }] : [];
  });
}

/** Every fault that is tested, in the order of the page. */
export const FAULTS: readonly Fault[] = readFileSync(join(__dirname, "README.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => line.slice(2, -2).split(" | "))
  .map(([id, fault = "", read = "", held = ""]) => ({
    id: Number(id),
    fault,
    read: readOf(read),
    heldBy: heldOf(held),
  }));
