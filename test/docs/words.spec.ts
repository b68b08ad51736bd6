import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { root } from "../../tools/reference/declarations";
import { pages } from "./blocks";
import { glossaryRows, REPLACED, replacedWords } from "./glossary";
import { proseOf, textsOf } from "./words";

const PAGES = [...pages, "README.md", "SECURITY.md", "CHANGELOG.md", "examples/README.md"];

/** Whatever prints, and whatever becomes a page. */
const FOLDERS = ["provider", "cli", "emulator", "tools"];

const MODULES = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${folder}/${file}`),
);

const found = (where: string, text: string): string[] => replacedWords(text).map((word) => `${where}: ${word}`);

describe("the glossary's words", () => {
  it("are those of its page", () => {
    assert.deepEqual(Object.keys(REPLACED), glossaryRows());
  });

  it("are the ones that pages use", () => {
    assert.deepEqual(
      PAGES.flatMap((page) => found(page, proseOf(page))),
      [],
    );
  });

  it("are the ones that messages, commands and comments of arguments use", () => {
    assert.deepEqual(
      MODULES.flatMap((file) => found(file, textsOf(file))),
      [],
    );
  });
});
