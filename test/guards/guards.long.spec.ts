import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "mocha";
import ts from "typescript";
import { GUARDS, type Guard } from ".";
import { patternOf } from "./guard";

const root = join(__dirname, "../..");

/** A name that is not there turns every test red, whatever the test asks for. */
const BROKEN: ReadonlySet<number> = new Set([2304, 2552, 18_004]);

/** Each guard's file as it is without the guard, beside the one that has it. */
function filesWithout(guards: readonly Guard[]): ReadonlyMap<string, { readonly name: string; readonly text: string }> {
  return new Map(
    guards.map((guard, index) => {
      const path = join(root, dirname(guard.file), `without${index}.ts`);
      const text = readFileSync(join(root, guard.file), "utf8").replace(patternOf(guard), () => guard.without);
      return [path, { name: guard.name, text }];
    }),
  );
}

function broken(guards: readonly Guard[]): string[] {
  const files = filesWithout(guards);
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const host = ts.createCompilerHost(options);
  const onDisk = { fileExists: host.fileExists, readFile: host.readFile, getSourceFile: host.getSourceFile };
  host.fileExists = (path) => files.has(path) || onDisk.fileExists(path);
  host.readFile = (path) => files.get(path)?.text ?? onDisk.readFile(path);
  host.getSourceFile = (path, ...rest) => {
    const text = files.get(path)?.text;
    return text === undefined ? onDisk.getSourceFile(path, ...rest) : ts.createSourceFile(path, text, rest[0]);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files].flatMap(([path, { name }]) => {
    const source = program.getSourceFile(path);
    const found = [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source).filter(({ code }) => BROKEN.has(code)),
    ];
    return found.map(({ messageText }) => `${name}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
  });
}

describe("a guard that is taken out", () => {
  it("leaves sources that still run", () => {
    assert.deepEqual(broken(GUARDS), []);
  });

  it("is found where it leaves a name behind that is not there", () => {
    const guard = {
      name: "An example",
      file: "provider/core/once.ts",
      source: "known.get(key) ?? make(key)",
      without: "nobody",
      spec: "",
      title: "",
    };
    assert.deepEqual(broken([guard]), ["An example: Cannot find name 'nobody'."]);
  });
});
