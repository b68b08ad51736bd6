import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./reference/declarations";
import { referencePages } from "./reference/pages";

/** Writes docs/reference; a page that is not made any more goes. A test holds the folder against what is made in memory. */
const folder = join(root, "docs/reference");

function write(): void {
  const pages = referencePages();
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder)) {
    if (!pages.has(file)) {
      rmSync(join(folder, file));
    }
  }
  for (const [file, text] of pages) {
    writeFileSync(join(folder, file), text);
  }
  console.log(`docs/reference: ${pages.size} pages`);
}

write();
