import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, it } from "mocha";
import ts from "typescript";
import { root } from "../../tools/reference/declarations";
import { pages } from "./blocks";

const read = (file: string): string => readFileSync(join(root, file), "utf8");

/** What the words of CONTRIBUTING.md replace, by the row: only what is wrong in every sentence. */
const REPLACED: Readonly<Record<string, RegExp>> = {
  routing: /\bbindings?\b/i,
  "traffic split; weight, percentage":
    /\b(?<!(they|numbers|stacks|tests|that|nothing) )shares?\b|\b(would|may|can) hold \d|\bholds? (at most )?\d+ ?%/i,
  "rollout: stable, candidate, percent, steps": /\bladders?\b|\barms?\b|\b(rollout|canary) (stage|phase)s?\b/i,
  "promote, abort": /\broll(s|ed|ing)? forward\b/i,
  "moves 20 points, size of a change":
    /\bsteps? of (at most|more than|\d)|\b(small|smaller|large|larger|big) steps?\b/i,
  overwrite:
    /\b(take|takes|taken|taking|took) overs?\b|\btakes? (it|them|numbers?) over\b|\bwhat(ever)? stands there\b/i,
  "onboard existing numbers": /\btake-over\b|\ba takeover\b/i,
  "adopt a voice or a chat": /\bimport (a|the|your) (voice|chat)|\btakes? .{0,30}\binto the state\b/i,
  "unassign agents, clear a field": /\bbound\b|\bis gone\b|\bare gone\b|\bline is cut\b/i,
  "outcome unknown → unresolved → resolve": /\bsettl(e|es|ed|ing)\b|\bmarked as unknown\b/i,
  "guard, CI gate; both block": /\b(trips|tripped|to trip)\b/i,
  bypass:
    /\blets? (it |this |that )?pass\b|\bopens? (the|every|all|its) guards?\b|\boverrid(e|es|ing) (a|the|every|all) guards?\b/i,
  "response (agents answer calls)":
    /\b(?<!(agents?|who|it|they|that|which|versions?|nobody|\d+) (never |then )?)answer(s|ed|ing)?\b(?! (your|the phone|calls?|a call|phone|its|which|inbound|each number|number))/i,
  "the API has no, does not specify":
    /\b(does|do|did) not show (it|whether|what|which|how|their|these|the names)\b|\bshows no (way|endpoint)\b|\bnot shown\b/i,
  fix: /\bmend(s|ed|ing)?\b/i,
  "phone number, number": /\b(phone|dead|declared|a declared) lines?\b/i,
  group: /\bfleets?\b/i,
};

/** Words of the code that have had several meanings. A sentence may use them. */
const IN_CODE: Readonly<Record<string, RegExp>> = {
  "may have, blocked, waits, declares": /\bheld\b/i,
  "removed, no longer declared": /\bgone\b/i,
  "response (a name)": /\banswers?\b(?= of|$)/im,
};

// --- where people meet words: the prose of pages, and the texts of modules that make sentences

/** A page without code, names, addresses and what `npm run docs` puts between markers, which the code says. */
const proseOf = (page: string): string =>
  read(page)
    .replace(/^<!-- (\S+):begin -->$[\s\S]*?^<!-- \1:end -->$/gm, "")
    .replace(/^( *)```[\s\S]*?^\1```$/gm, "")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/``.*?``|`[^`\n]*`/g, "`…`")
    .replace(/\]\([^)\s]*\)/g, "]");

/** The texts of a module: its strings and templates, without names of imports and single words, which are names as well. */
function textsOf(file: string): string {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isSentence = ts.isStringLiteralLike(node) && node.text.includes(" ") && !ts.isImportDeclaration(node.parent);
    if (isSentence || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      found.push(node.text.replace(/`[^`\n]*`/g, "`…`"));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2022, true));
  return found.join("\n");
}

/** The names of a module, each as its words, and its comments: `heldBy` is "held by". Code in a comment is a name. */
function namesAndComments(file: string): string {
  const text = read(file);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const names = new Set([basename(file, ".ts")]);
  const visit = (node: ts.Node): void => {
    const isDeclared =
      "name" in node.parent && node.parent.name === node && !ts.isPropertyAccessExpression(node.parent);
    if (ts.isIdentifier(node) && isDeclared) {
      names.add(node.text);
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  const words = [...names].map((name) => name.replace(/(?<=[a-z0-9])(?=[A-Z])|_/g, " ").toLowerCase());
  const comments = [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?<=^|\s)\/\/.*/gm)].map(([comment]) =>
    comment.replace(/^\s*\*/gm, "").replace(/`[^`\n]*`/g, "`…`"),
  );
  return [...words, ...comments].join("\n");
}

const PAGES = [...pages, "README.md", "SECURITY.md", "CHANGELOG.md", "examples/README.md"];

/** Whatever prints, and whatever becomes a page. */
const MODULES = ["provider", "cli", "emulator", "tools"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${folder}/${file}`),
);

/** Every word of a text that the glossary replaces, with what to write. */
const found = (where: string, text: string, words = Object.entries(REPLACED)): string[] =>
  words.flatMap(([use, replaced]) =>
    [...text.matchAll(new RegExp(replaced, "gi"))].map(({ 0: word, index }) => {
      const around = text.slice(Math.max(0, index - 40), index + word.length + 40).replace(/\s+/g, " ");
      return `${where}: "${word}" → ${use}: …${around}…`;
    }),
  );

describe("the glossary's words", () => {
  it("are those of its page", () => {
    const rows = [...read("CONTRIBUTING.md").matchAll(/^\| ([^|]+?) \|/gm)].map(([, use]) => use).slice(2);
    assert.deepEqual(Object.keys(REPLACED), rows);
  });

  it("are the ones that pages, messages, commands and comments of arguments use", () => {
    const strange = [
      ...PAGES.flatMap((page) => found(page, proseOf(page))),
      ...MODULES.flatMap((file) => found(file, textsOf(file))),
    ];
    assert.deepEqual(strange, []);
  });

  it("are the ones of names and comments", () => {
    // In a comment, processes share an address, and a response does not show a field.
    const { "traffic split; weight, percentage": _, "the API has no, does not specify": __, ...replaced } = REPLACED;
    const words = Object.entries({ ...replaced, ...IN_CODE });
    assert.deepEqual(
      MODULES.flatMap((file) => found(file, namesAndComments(file), words)),
      [],
    );
  });
});
