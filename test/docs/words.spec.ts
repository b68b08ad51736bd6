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

/** Places in which such a word is right, each with the reason. */
const EXCEPTIONS: readonly { readonly where: string; readonly words: RegExp; readonly reason: string }[] = [];

const found = (where: string, text: string): string[] => {
  const allowed = EXCEPTIONS.filter((exception) => exception.where === where);
  const left = allowed.reduce((all, { words }) => all.replace(words, "…"), text);
  return replacedWords(left).map((word) => `${where}: ${word}`);
};

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

  it("have no exception that is not needed", () => {
    const needless = EXCEPTIONS.filter(({ where, words }) => {
      const text = where.endsWith(".md") ? proseOf(where) : textsOf(where);
      return !words.test(text) || replacedWords((words.exec(text) ?? [""])[0]).length === 0;
    });
    assert.deepEqual(needless, []);
  });
});
