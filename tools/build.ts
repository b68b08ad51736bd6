import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { transformSync } from "esbuild";
import type ts from "typescript";

/** `npm run build [-- --noCheck]` makes `dist` from the sources, completely or not at all. */

const repository = resolve(__dirname, "..");
const SOURCES = ["cli", "emulator", "provider"];
const CONFIGURATIONS = ["tsconfig.build.json", "tsconfig.json"];
/** The file in `dist` with a hash of the sources, which shows whether `dist` is up to date. */
const STAMP = ".sources";
/** The entries in package.json's `exports` that programs import. */
const ENTRIES = ["provider/index", "provider/handlers", "emulator/index"];

/** Hashes all names and contents. Timestamps are unreliable: a checkout changes them, and a copy keeps them. */
function hashOf(root: string): string {
  const hash = createHash("sha256");
  const inFolders = SOURCES.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const file of [...CONFIGURATIONS.map((name) => join(root, name)), __filename, ...inFolders.sort()]) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  }
  return hash.digest("hex");
}

/** Whether `dist` was made from the current sources. */
export function isBuilt(root = repository): boolean {
  const stamp = join(root, "dist", STAMP);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === hashOf(root);
}

/**
 * @param to the output folder
 * @returns the compiler's output if it failed. `to` is then unchanged.
 */
export function build(args: readonly string[], root = repository, to = join(root, "dist")): string | undefined {
  // Hash first: a file that is saved while the compiler runs must not count as built.
  const hash = hashOf(root);
  const cache = join(repository, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "build-"));
  try {
    const failure = compile(root, join(folder, "dist"), args.includes("--noCheck"));
    if (failure !== undefined) {
      return failure;
    }
    chmodSync(join(folder, "dist/cli/main.js"), 0o755);
    writeFileSync(join(folder, "dist", STAMP), hash);
    if (existsSync(to)) {
      renameSync(to, join(folder, "before"));
    }
    renameSync(join(folder, "dist"), to);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns the errors, if there are any. Nothing is written in that case. */
function compile(root: string, outDir: string, noCheck: boolean): string | undefined {
  // Load the compiler lazily: every test process loads this file, but few of them build.
  const { createProgram, sys, ...compiler } = require("typescript") as typeof ts;
  const { config } = compiler.readConfigFile(join(root, "tsconfig.build.json"), sys.readFile);
  const { fileNames, options, errors } = compiler.parseJsonConfigFileContent(config, sys, root, { outDir, noCheck });
  const host = compiler.createCompilerHost(options);
  const program = createProgram(fileNames, { ...options, declaration: true }, host);
  const found = noCheck ? program.getSyntacticDiagnostics() : compiler.getPreEmitDiagnostics(program);
  if (errors.length + found.length > 0) {
    return compiler.formatDiagnostics([...errors, ...found], { ...host, getCurrentDirectory: () => root });
  }
  emitDeclarations(program, root, host);
  const scripts = createProgram(fileNames, { ...options, declaration: false, removeComments: true }, host, program);
  scripts.emit(undefined, (file, text) =>
    host.writeFile(file, file.endsWith(".js") ? minified(text) : compact(text), false),
  );
  return undefined;
}

const compact = (json: string): string => JSON.stringify(JSON.parse(json));

/** Removes whitespace, but keeps names and a line for each statement, so that stack traces are useful. */
function minified(script: string): string {
  const code = transformSync(script, { minifyWhitespace: true, target: "es2022" }).code.trimEnd();
  const compiler = require("typescript") as typeof ts;
  const ends: number[] = [];
  const visit = (parent: ts.Node): void =>
    compiler.forEachChild(parent, (node) => {
      visit(node);
      if (compiler.isStatement(node) && (compiler.isBlock(parent) || compiler.isSourceFile(parent))) {
        ends.push(node.end);
      }
    });
  visit(compiler.createSourceFile("", code, compiler.ScriptTarget.ES2022));
  return [0, ...ends.sort((a, b) => a - b)]
    .map((start, index, starts) => code.slice(start, starts[index + 1]))
    .join("\n");
}

/**
 * Writes declarations for the entries and, transitively, for every source that a declaration imports. No program can
 * import any others.
 */
function emitDeclarations(program: ts.Program, root: string, host: ts.CompilerHost): void {
  const { preProcessFile } = require("typescript") as typeof ts;
  const sourcesOf = (path: string) =>
    [`${path}.ts`, join(path, "index.ts")].flatMap((file) => program.getSourceFile(file) ?? []);
  const reached = new Set(ENTRIES.flatMap((entry) => sourcesOf(join(root, entry))));
  // Iterating over a Set also visits elements that are added during the iteration.
  for (const source of reached) {
    const write = (file: string, text: string) => {
      host.writeFile(file, text, false);
      for (const { fileName } of preProcessFile(text).importedFiles) {
        sourcesOf(join(dirname(source.fileName), fileName)).forEach((imported) => void reached.add(imported));
      }
    };
    program.emit(source, write, undefined, true);
  }
}

/** Rebuilds `dist` if a source has changed. Throws if the sources do not compile. */
export function ensureBuilt(): void {
  if (isBuilt()) {
    return;
  }
  console.error("Building dist from the sources …");
  const failure = build(["--noCheck"]);
  if (failure !== undefined) {
    throw new Error(`The sources have changed since \`npm run build\`, and do not compile:\n${failure}`);
  }
}

if (require.main === module) {
  const failure = build(process.argv.slice(2));
  if (failure !== undefined) {
    console.error(failure);
    process.exitCode = 1;
  }
}
