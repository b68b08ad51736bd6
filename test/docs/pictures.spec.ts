import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { commentPicture } from "../../tools/pictures";
import { root } from "../../tools/reference/declarations";

/** Drawn by its script, by the tests that run what they show, and by hand. */
const ALL = ["board", "comment", "concepts"].map((name) => `docs/pictures/${name}.svg`);

describe("docs/pictures", () => {
  it("has docs/pictures/comment.svg as its script draws it: `npm run docs` makes it", () => {
    assert.equal(readFileSync(join(root, "docs/pictures/comment.svg"), "utf8"), commentPicture());
  });

  it("has no other picture", () => {
    const files = readdirSync(join(root, "docs/pictures")).map((file) => `docs/pictures/${file}`);
    assert.deepEqual(files.sort(), ALL);
  });

  it("is light and dark, and needs nothing of elsewhere", () => {
    for (const file of ALL) {
      const text = readFileSync(join(root, file), "utf8");
      assert.match(text, /@media \(prefers-color-scheme: dark\)/);
      assert.deepEqual(text.match(/(?:href|src|url)\s*[=(]\s*["']?(?!#)[^"')]+/g) ?? [], []);
    }
  });
});
