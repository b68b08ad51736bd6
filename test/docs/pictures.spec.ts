import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { commentPicture } from "../../tools/pictures";
import { root } from "../../tools/reference/declarations";

/** Drawn by its script, by the tests that run what they show, and by hand. */
const ALL = ["board", "comment", "concepts"].map((name) => `docs/pictures/${name}.svg`);

const LOGO = "docs/pictures/logo.svg";

/** As WCAG counts it: a picture needs 3 at least. */
function contrast(first: string, second: string): number {
  const [dark = 0, light = 0] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return channel <= 0.040_45 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe("docs/pictures", () => {
  it("has docs/pictures/comment.svg as its script draws it: `npm run docs` makes it", () => {
    assert.equal(readFileSync(join(root, "docs/pictures/comment.svg"), "utf8"), commentPicture());
  });

  it("has no other picture, but for the logo", () => {
    const files = readdirSync(join(root, "docs/pictures")).map((file) => `docs/pictures/${file}`);
    assert.deepEqual(files.sort(), [...ALL, LOGO].sort());
  });

  it("has a logo without a ground of its own, whose colours are seen on a light page and on a dark one", () => {
    const text = readFileSync(join(root, LOGO), "utf8");
    const colours = new Set(text.match(/#[0-9a-f]{6}\b/g));
    assert.deepEqual([...colours].sort(), ["#2f81f7", "#a371f7"]);
    for (const colour of colours) {
      assert.ok(contrast(colour, "#ffffff") > 3, `${colour} on white: ${contrast(colour, "#ffffff")}`);
      assert.ok(contrast(colour, "#0d1117") > 3, `${colour} on black: ${contrast(colour, "#0d1117")}`);
    }
  });

  it("is light and dark, and needs nothing of elsewhere", () => {
    for (const file of ALL) {
      const text = readFileSync(join(root, file), "utf8");
      assert.match(text, /@media \(prefers-color-scheme: dark\)/);
      assert.deepEqual(text.match(/(?:href|src|url)\s*[=(]\s*["']?(?!#)[^"')]+/g) ?? [], []);
    }
  });
});
