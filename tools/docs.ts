import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./reference/declarations";
import { referencePages } from "./reference/pages";

/**
 * Generates docs/reference from the code and deletes pages that are no longer generated. A test compares the pages with
 * the code.
 */
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

if (require.main === module) {
  writeReference();
}
