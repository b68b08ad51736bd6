import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "mocha";
import ts from "typescript";

/** The rules of style that the linter has no word for; the rest stands in biome.json. */

const ROOT = resolve(__dirname, "..");
const FILES = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.ts"], { cwd: ROOT, encoding: "utf8" })
  .trim()
  .split("\n");

function eachNode(file: ts.SourceFile, visit: (node: ts.Node) => void): void {
  const walk = (node: ts.Node): void => {
    visit(node);
    ts.forEachChild(node, walk);
  };
  walk(file);
}

/** What stands on the left of an assignment, or is counted up or taken away. */
function changedBy(node: ts.Node): ts.Expression | undefined {
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    const isAssignment = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
    return isAssignment ? node.left : undefined;
  }
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    const { operator } = node;
    const counts = operator === ts.SyntaxKind.PlusPlusToken || operator === ts.SyntaxKind.MinusMinusToken;
    return counts ? node.operand : undefined;
  }
  return ts.isDeleteExpression(node) ? node.expression : undefined;
}

describe("the dialect of the code", () => {
  it("says readonly of what nothing writes", () => {
    const files = FILES.map((file) =>
      ts.createSourceFile(file, readFileSync(join(ROOT, file), "utf8"), ts.ScriptTarget.Latest, true),
    );
    const written = new Set<string>();
    for (const file of files) {
      eachNode(file, (node) => {
        const target = changedBy(node);
        if (target !== undefined && ts.isPropertyAccessExpression(target)) {
          written.add(target.name.text);
        }
      });
    }
    const found: string[] = [];
    for (const file of files) {
      eachNode(file, (node) => {
        if (!ts.isPropertySignature(node) || !ts.isInterfaceDeclaration(node.parent)) {
          return;
        }
        const isReadonly = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword) ?? false;
        const name = node.name.getText(file);
        if (!isReadonly && !written.has(name)) {
          found.push(`${file.fileName}: ${node.parent.name.text}.${name}`);
        }
      });
    }
    assert.deepEqual(found, []);
  });
});
