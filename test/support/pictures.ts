import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../..");

/** A picture of the docs that is made of real output, against what was just drawn. `UPDATE_GOLDENS=1` writes it anew. */
export function holdPicture(file: string, drawn: string): void {
  const path = join(root, file);
  if (process.env.UPDATE_GOLDENS === "1") {
    writeFileSync(path, drawn);
  }
  assert.equal(readFileSync(path, "utf8"), drawn, `${file} shows something else: look at it with UPDATE_GOLDENS=1`);
}
