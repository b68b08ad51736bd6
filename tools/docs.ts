import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ASSUMPTIONS, type Assumption } from "../provider/core/assumptions";
import { type Row, SETTINGS } from "../provider/core/settings";
import { code, table } from "./reference/markdown";

/** The tables of the README that say what the code says: between markers, so that nobody edits them by hand. */

const readmeFile = join(resolve(__dirname, ".."), "README.md");

const settingRow = ([key, row]: [string, Row]): string[] => [
  `${code(key)}${row.secret === true ? " (secret)" : ""}`,
  row.env === undefined ? "" : code(row.env),
  row.default === undefined ? "" : code(String(row.default)),
  row.meaning,
];

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

const tables: Readonly<Record<string, () => string>> = {
  settings: () =>
    table(["Key", "Environment", "Default", "Meaning"], (Object.entries(SETTINGS) as [string, Row][]).map(settingRow)),
  assumptions: () => table(["", "Not shown (section)", "What we do", "Changed by"], ASSUMPTIONS.map(assumptionRow)),
};

/** The text with every table made anew. Throws where a marker is missing. */
export function withTables(text: string): string {
  return Object.entries(tables).reduce((whole, [name, make]) => {
    const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
    const [from, to] = [whole.indexOf(begin), whole.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`README.md lacks ${begin} and ${end}`);
    return `${whole.slice(0, from + begin.length)}\n${make()}\n${whole.slice(to)}`;
  }, text);
}

if (require.main === module) {
  writeFileSync(readmeFile, withTables(readFileSync(readmeFile, "utf8")));
  console.log("README.md: tables of settings and assumptions");
}
