import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { commentPicture } from "./pictures";
import { root } from "./reference/declarations";
import { referencePages } from "./reference/pages";
import { configuration, example, installation } from "./reference/registryPage";
import { packageSchema } from "./reference/schema";
import { templates } from "./templates";

/** All that is made from the code and kept: tables of docs, the picture of a comment, the reference, the plugin's schema, the templates of `pulumi new`. Tests hold each against it. */

// --- between markers in pages, so that nobody edits them by hand

/** What each page holds between markers, by the markers' name. */
type Pages = Readonly<Record<string, Readonly<Record<string, () => string>>>>;

export const PAGES: Pages = {
  "docs/_index.md": { installation, example, configuration },
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

function writeTables(): void {
  for (const [page, made] of Object.entries(PAGES)) {
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
  writeTables();
  write("docs/pictures/comment.svg", commentPicture());
  writeReference();
  for (const [file, text] of templates()) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    write(file, text);
  }
  write("provider/plugin/schema.json", `${JSON.stringify(packageSchema(), null, 2)}\n`);
}
