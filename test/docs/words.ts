import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../../tools/reference/declarations";

/** Where people meet words: the prose of pages, and the texts of modules that make sentences. */

/** A page without code, names, addresses and what `npm run docs` puts between markers, which the code says. */
export const proseOf = (page: string): string =>
  readFileSync(join(root, page), "utf8")
    .replace(/^<!-- (\S+):begin -->$[\s\S]*?^<!-- \1:end -->$/gm, "")
    .replace(/^( *)```[\s\S]*?^\1```$/gm, "")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/``.*?``|`[^`\n]*`/g, "`…`")
    .replace(/\]\([^)\s]*\)/g, "]");

/** The texts of a module: its strings and templates, without names of imports and single words, which are names as well. */
export function textsOf(file: string): string {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isSentence = ts.isStringLiteralLike(node) && node.text.includes(" ") && !ts.isImportDeclaration(node.parent);
    if (isSentence || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      found.push(node.text.replace(/`[^`\n]*`/g, "`…`"));
    }
    ts.forEachChild(node, visit);
  };
  const source = readFileSync(join(root, file), "utf8");
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.ES2022, true));
  return found.join("\n");
}
