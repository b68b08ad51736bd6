import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./reference/declarations";
import { referencePages } from "./reference/pages";
import { packageSchema } from "./reference/schema";

/** All that is made from the code and kept: the reference, the plugin's schema. Tests hold each against it. */

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
  writeReference();
  write("provider/edge/schema.json", `${JSON.stringify(packageSchema(), null, 2)}\n`);
}
