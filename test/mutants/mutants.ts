import ts from "typescript";

/** A source file with one decision changed. */
export interface Mutant {
  /** From 1. */
  readonly line: number;
  readonly was: string;
  readonly is: string;
  /** The whole file. */
  readonly text: string;
}

const { SyntaxKind } = ts;

/** For each operator, one that decides otherwise. */
const OTHERS: Partial<Record<ts.SyntaxKind, string>> = {
  [SyntaxKind.AmpersandAmpersandToken]: "||",
  [SyntaxKind.BarBarToken]: "&&",
  [SyntaxKind.EqualsEqualsEqualsToken]: "!==",
  [SyntaxKind.ExclamationEqualsEqualsToken]: "===",
  [SyntaxKind.LessThanToken]: "<=",
  [SyntaxKind.LessThanEqualsToken]: "<",
  [SyntaxKind.GreaterThanToken]: ">=",
  [SyntaxKind.GreaterThanEqualsToken]: ">",
};

interface Change {
  readonly node: ts.Node;
  readonly is: string;
}

/** Each decision of the file, changed by itself: conditions, comparisons, negations, and calls whose value is not used. */
export function mutantsOf(text: string): Mutant[] {
  const source = ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, true);
  const changes: Change[] = [];
  const visit = (node: ts.Node): void => {
    changes.push(...changesOf(node));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return changes.map(({ node, is }) => {
    const [start, end] = [node.getStart(source), node.getEnd()];
    return {
      line: source.getLineAndCharacterOfPosition(start).line + 1,
      was: text.slice(start, end).replace(/\s+/g, " "),
      is,
      text: text.slice(0, start) + is + text.slice(end),
    };
  });
}

function changesOf(node: ts.Node): Change[] {
  if (ts.isIfStatement(node)) {
    return either(node.expression);
  }
  if (ts.isConditionalExpression(node)) {
    return either(node.condition);
  }
  if (ts.isBinaryExpression(node)) {
    const other = OTHERS[node.operatorToken.kind];
    return other === undefined ? [] : [{ node: node.operatorToken, is: other }];
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) {
    return [{ node, is: node.operand.getText() }];
  }
  if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) {
    return [{ node, is: ";" }];
  }
  return [];
}

const either = (node: ts.Expression): Change[] => ["true", "false"].map((is) => ({ node, is }));
