import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ASSUMPTIONS, type Assumption } from "../provider/core/assumptions";
import { code, table } from "./reference/markdown";

/** The tables of docs that say what the code says: between markers, so that nobody edits them by hand. */

const root = resolve(__dirname, "..");

/** Which page holds which tables. */
export const PAGES: Readonly<Record<string, readonly TableName[]>> = {
  "docs/assumptions.md": ["assumptions"],
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

type TableName = keyof typeof tables;

const tables = {
  assumptions: () => table(["", "Not shown (section)", "What we do", "Changed by"], ASSUMPTIONS.map(assumptionRow)),
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
