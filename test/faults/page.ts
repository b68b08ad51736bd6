import { basename } from "node:path";
import { type Pages, writeTables } from "../../tools/docs";
import { code, table } from "../../tools/reference/markdown";
import { FAULTS, type Fault } from "./table";

/** The table of README.md in this folder: each fault, with the tests that hold it. */

/** Code that may hold a backtick. */
const quoted = (text: string): string => (text.includes("`") ? `\`\` ${text} \`\`` : code(text));

/** A test as that page links to it. */
const testLink = (file: string, titles: readonly string[]): string =>
  [`[${basename(file)}](../../${file})`, ...titles.map(quoted)].join("<br>");

const faultRow = ({ id, fault, read, heldBy }: Fault): string[] => [
  String(id),
  fault,
  "says" in read
    ? read.says
        .split("\n")
        .map((line) => quoted(line.trim()))
        .join("<br>")
    : read.quiet,
  Object.entries(heldBy)
    .map(([file, titles]) => testLink(file, titles))
    .join("<br>"),
];

export const FAULT_PAGE: Pages = {
  "test/faults/README.md": {
    faults: () => table(["", "What goes wrong", "What you read", "Held by"], FAULTS.map(faultRow)),
  },
};

if (require.main === module) {
  writeTables(FAULT_PAGE);
}
