import { readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { ASSUMPTIONS, type Assumption } from "../provider/core/assumptions";
import { FAULTS, type Fault } from "./faults";
import { GUARDS, type Guard } from "./guards/index";
import { code, table } from "./reference/markdown";

/** The tables of docs that say what the code says: between markers, so that nobody edits them by hand. */

const root = resolve(__dirname, "..");

/** Which page holds which tables. */
export const PAGES: Readonly<Record<string, readonly TableName[]>> = {
  "docs/assumptions.md": ["assumptions"],
  "docs/faults.md": ["faults", "guards"],
};

const changedBy = ({ setting }: Assumption): string => {
  if (setting === undefined) return "";
  return setting.startsWith("argument ") ? `argument ${code(setting.slice("argument ".length))}` : code(setting);
};

const assumptionRow = (row: Assumption): string[] => [
  String(row.row),
  `${row.silence} (${row.section})`,
  row.default,
  changedBy(row),
];

/** Code that may hold a backtick. */
const quoted = (text: string): string => (text.includes("`") ? `\`\` ${text} \`\`` : code(text));

/** A test as a page of docs links to it. */
const testLink = (file: string, titles: readonly string[]): string =>
  [`[${basename(file)}](../${file})`, ...titles.map(quoted)].join("<br>");

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

const guardRow = ({ name, file, spec, title }: Guard): string[] => [
  name,
  `[${basename(file)}](../${file})`,
  testLink(spec, [title]),
];

type TableName = keyof typeof tables;

const tables = {
  assumptions: () => table(["", "Not shown (section)", "What we do", "Changed by"], ASSUMPTIONS.map(assumptionRow)),
  faults: () => table(["", "What goes wrong", "What you read", "Held by"], FAULTS.map(faultRow)),
  guards: () => table(["Guard", "Where", "Held by"], GUARDS.map(guardRow)),
};

/** The page's text with its tables made anew. Throws where a marker is missing. */
export function withTables(text: string, names: readonly TableName[]): string {
  return names.reduce((whole, name) => {
    const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
    const [from, to] = [whole.indexOf(begin), whole.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`the page lacks ${begin} and ${end}`);
    return `${whole.slice(0, from + begin.length)}\n${tables[name]()}\n${whole.slice(to)}`;
  }, text);
}

if (require.main === module) {
  for (const [page, names] of Object.entries(PAGES)) {
    const file = join(root, page);
    writeFileSync(file, withTables(readFileSync(file, "utf8"), names));
    console.log(`${page}: ${names.join(", ")}`);
  }
}
