import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { replacedWords } from "../../tools/glossary";
import { root } from "../../tools/reference/declarations";
import { pages } from "./blocks";
import { proseOf, textsOf } from "./words";

/** Pages whose sentences are those of the code: its comments, its tables of settings and codes. */
const MADE_OF_CODE = /^docs\/(reference\/|faults\.md$)/;

/** The glossary shows what it replaces. */
const GLOSSARY_ITSELF = "docs/glossary.md";

const PAGES = [
  ...pages.filter((page) => !MADE_OF_CODE.test(page) && page !== GLOSSARY_ITSELF),
  "README.md",
  "SECURITY.md",
  "examples/README.md",
  "examples/pipelines/README.md",
];

/** Folders whose texts people read. To hold another one, write it here: `cli/report`, `cli/commands` and the rest of the core are next. */
const FOLDERS = ["provider/core/messages", "tools/reference"];

/** Modules that are still to be written with these words; none is to be added. */
const NOT_YET = ["exchange", "guards", "numbers", "posts"].map((name) => `provider/core/messages/${name}.ts`);

const MODULES = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${folder}/${file}`)
    .filter((file) => !NOT_YET.includes(file)),
);

/** Places where such a word is right, each with the reason. */
const EXCEPTIONS: readonly { readonly where: string; readonly words: RegExp; readonly reason: string }[] = [];

const found = (where: string, text: string): string[] => {
  const allowed = EXCEPTIONS.filter((exception) => exception.where === where);
  const left = allowed.reduce((all, { words }) => all.replace(words, "…"), text);
  return replacedWords(left).map((word) => `${where}: ${word}`);
};

describe("the glossary's words", () => {
  it("are the ones that pages use", () => {
    assert.deepEqual(
      PAGES.flatMap((page) => found(page, proseOf(page))),
      [],
    );
  });

  it("are the ones that messages use", () => {
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
