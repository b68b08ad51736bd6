import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../..");

/** A picture of the docs that is made of real output, against what was just drawn. `npm run goldens` writes it again. */
export function holdPicture(file: string, drawn: string): void {
  const path = join(root, file);
  if (process.env.UPDATE_GOLDENS !== undefined) {
    writeFileSync(path, drawn);
  }
  assert.equal(
    readFileSync(path, "utf8"),
    drawn,
    `${file} shows something else: look at what "npm run goldens" writes`,
  );
}
