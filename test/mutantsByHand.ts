/**
 * Which decisions of a source file do its specs hold? Each is changed in a copy of the sources; a change that leaves the specs green is
 * named. By hand, before a release: `node -r tsx/cjs test/mutantsByHand.ts provider/core/change/guards.ts test/core/guards.spec.ts`.
 * Several specs may follow. `--lines 40-90` looks at a part of the file.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import ts from "typescript";

function read() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { lines: { type: "string" } } });
  const [file, ...specs] = positionals;
  const [first = 1, last = first] = values.lines?.split("-").map(Number) ?? [1, Number.POSITIVE_INFINITY];
  return file === undefined || specs.length === 0 ? undefined : { file, specs, first, last };
}

async function main(): Promise<number> {
  const request = read();
  if (request === undefined) {
    console.error("mutantsByHand.ts <source file> <spec…> [--lines 40-90]");
    return 2;
  }
  const { file, specs, first, last } = request;
  const tree = copyTree();
  try {
    const before = await tree.redTests(specs);
    if (before.length > 0) {
      throw new Error(`red without any change: ${before.join("; ")}`);
    }
    const mutants = mutantsOf(tree.read(file)).filter(({ line }) => line >= first && line <= last);
    let alive = 0;
    for (const { line, was, is, text } of mutants) {
      tree.write(file, text);
      const red = await tree.redTests(specs);
      if (red.length === 0) {
        alive += 1;
        console.log(`${file}:${line}  ${was}  →  ${is}`);
      }
    }
    console.error(`${mutants.length} changes, ${alive} that no spec notices`);
    return alive === 0 ? 0 : 1;
  } finally {
    tree.remove();
  }
}

/** A source file with one decision changed. */
interface Mutant {
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
function mutantsOf(text: string): Mutant[] {
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

const root = resolve(__dirname, "..");
const COPIED = [
  "provider",
  "emulator",
  "test",
  "tools",
  "cli",
  "docs",
  "package.json",
  ".mocharc.json",
  "tsconfig.json",
];

/** The provider's process loads the package by its name: in the copy that is the copy's sources, and not what was compiled. */
const ENTRIES = ["handlers", "index"];

/** A mutant may turn a loop into an endless one: the tool ends its spec after this time. */
const LIMIT_MS = 180_000;

/** A copy of the sources, in which a file can be changed without any effect on the checkout. */
function copyTree() {
  const folder = mkdtempSync(join(tmpdir(), "agent-platform-mutants-"));
  for (const name of COPIED) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  linkModules(join(folder, "node_modules"));
  symlinkSync(folder, join(folder, "node_modules/pulumi-agent-platform"));
  mkdirSync(join(folder, "dist/provider"), { recursive: true });
  for (const entry of ENTRIES) {
    const text = `require("tsx/cjs");\nmodule.exports = require("../../provider/${entry}.ts");\n`;
    writeFileSync(join(folder, "dist/provider", `${entry}.js`), text);
  }
  writeFileSync(
    join(folder, "tools/build.ts"),
    "export const isBuilt = () => true;\nexport const build = () => undefined;\nexport const ensureBuilt = () => undefined;\n",
  );
  return {
    read: (file: string) => readFileSync(join(folder, file), "utf8"),
    write: (file: string, text: string) => writeFileSync(join(folder, file), text),
    redTests: (specs: readonly string[]) => redTests(folder, specs),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function linkModules(target: string): void {
  const source = join(root, "node_modules");
  mkdirSync(target);
  for (const name of readdirSync(source)) {
    if (name === "pulumi-agent-platform" || name === ".cache") {
      continue;
    }
    symlinkSync(join(source, name), join(target, name));
  }
}

interface MochaReport {
  readonly failures: readonly { readonly fullTitle: string }[];
}

/** Titles of the tests that are red, or "hangs". */
function redTests(folder: string, specs: readonly string[]): Promise<string[]> {
  const mocha = join(folder, "node_modules/mocha/bin/mocha.js");

  return new Promise((settle) => {
    execFile(
      process.execPath,
      [mocha, "--reporter", "json", "--exit", ...specs],
      { cwd: folder, timeout: LIMIT_MS, killSignal: "SIGKILL", maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error?.killed) {
          return settle(["hangs"]);
        }
        const start = stdout.indexOf('{\n  "stats"');
        if (start < 0) {
          return settle([`does not load: ${stderr.trim().split("\n")[0] ?? ""}`]);
        }
        const { failures } = JSON.parse(stdout.slice(start)) as MochaReport;
        settle(failures.map(({ fullTitle }) => fullTitle));
      },
    );
  });
}

void main().then((code) => {
  process.exitCode = code;
});
