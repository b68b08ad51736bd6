import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ASSUMPTIONS, type Assumption } from "../provider/core/config/assumptions";
import { commentPicture } from "./pictures/comment";
import { root } from "./reference/declarations";
import { code, sectionLink, table } from "./reference/markdown";
import { referencePages } from "./reference/pages";
import { configuration, example, installation } from "./reference/registryPage";
import { packageSchema } from "./reference/schema";
import { templates } from "./templates";

/** All that is made from the code and kept: tables and lists of docs, the picture of a comment, the reference, the plugin's schema, the templates of `pulumi new`. Tests hold each against it. */

// --- between markers in pages, so that nobody edits them by hand

const changedBy = ({ setting }: Assumption): string => {
  if (setting === undefined) {
    return "";
  }
  return setting.startsWith("argument ") ? `argument ${code(setting.slice("argument ".length))}` : code(setting);
};

/** Sections of the interface that a row belongs to; a silence without one stands where the operations are listed. */
const sectionsOf = ({ section }: Assumption): string[] => (section === "none" ? ["1"] : section.split(", "));

const links = (row: Assumption): string =>
  sectionsOf(row)
    .map((section) => sectionLink(section, "interface.md"))
    .join(", ");

const assumptionRow = (row: Assumption): string[] => [
  `<a id="a${row.row}"></a>${row.row}`,
  `${row.silence} (${links(row)})`,
  row.default,
  changedBy(row),
];

/** What a section of the interface does not specify, each with a link to what is assumed there. */
const silencesOf = (section: string): string =>
  [
    "Not specified:\n",
    ...ASSUMPTIONS.filter((row) => sectionsOf(row).includes(section)).map(
      ({ row, silence }) => `- [${silence}](assumptions.md#a${row})`,
    ),
  ].join("\n");

const silentSections = [...new Set(ASSUMPTIONS.flatMap(sectionsOf))].sort();

/** What each page holds between markers, by the markers' name. */
export type Pages = Readonly<Record<string, Readonly<Record<string, () => string>>>>;

export const PAGES: Pages = {
  "docs/assumptions.md": {
    assumptions: () =>
      table(["", "Not specified (section)", "What we do", "Changed by"], ASSUMPTIONS.map(assumptionRow)),
  },
  "docs/_index.md": { installation, example, configuration },
  "docs/interface.md": Object.fromEntries(
    silentSections.map((section) => [`silences-${section}`, () => silencesOf(section)]),
  ),
};

/** The page's text with its parts made anew. Throws where a marker is missing. */
export function withTables(text: string, made: Readonly<Record<string, () => string>>): string {
  return Object.entries(made).reduce((whole, [name, make]) => {
    const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
    const [from, to] = [whole.indexOf(begin), whole.indexOf(end)];
    if (from < 0 || to < from) {
      throw new Error(`the page lacks ${begin} and ${end}`);
    }
    return `${whole.slice(0, from + begin.length)}\n${make()}\n${whole.slice(to)}`;
  }, text);
}

export function writeTables(pages: Pages): void {
  for (const [page, made] of Object.entries(pages)) {
    const file = join(root, page);
    writeFileSync(file, withTables(readFileSync(file, "utf8"), made));
    console.log(`${page}: ${Object.keys(made).length} parts`);
  }
}

// --- whole files

/** A page of the reference that is not made any more goes. */
function writeReference(): void {
  const folder = join(root, "docs/reference");
  const pages = referencePages();
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder).filter((name) => !pages.has(name))) {
    rmSync(join(folder, file));
  }
  for (const [file, text] of pages) {
    writeFileSync(join(folder, file), text);
  }
  console.log(`docs/reference: ${pages.size} pages`);
}

function write(file: string, text: string): void {
  writeFileSync(join(root, file), text);
  console.log(file);
}

if (require.main === module) {
  writeTables(PAGES);
  write("docs/pictures/comment.svg", commentPicture());
  writeReference();
  for (const [file, text] of templates()) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    write(file, text);
  }
  write("provider/plugin/schema.json", `${JSON.stringify(packageSchema(), null, 2)}\n`);
}
