import { join } from "node:path";
import ts from "typescript";
import { root } from "../../tools/reference/declarations";
import { blocksOf, locationOf, pages, programOf } from "./blocks";

/** Compiles every TypeScript block in the documentation as if it were in a reader's project. */

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: ["node", "mocha"],
  baseUrl: root,
  // Resolve the package to its sources, so that pages are checked against the current code and not an old build.
  paths: {
    "pulumi-agent-platform": ["provider/index.ts"],
    "pulumi-agent-platform/emulator": ["emulator/index.ts"],
  },
};

/** Returns the compiler's errors, each with the page and line of its block. */
export function typeErrors(): string[] {
  const blocks = pages.flatMap(blocksOf).filter(({ language }) => language === "ts");
  // Add an export to every block. Files without imports and exports share one global scope, so their names would clash.
  const sources = new Map(
    blocks.map((block, index) => [
      join(root, "docs", `block-${index}.ts`),
      { location: locationOf(block), text: `${programOf(block) ?? block.text}\nexport {};\n` },
    ]),
  );
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (file) => sources.has(file) || fileExists.call(host, file);
  host.getSourceFile = (file, languageVersion, ...rest) => {
    const { text } = sources.get(file) ?? {};
    return text === undefined
      ? getSourceFile.call(host, file, languageVersion, ...rest)
      : ts.createSourceFile(file, text, languageVersion);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return [...sources].flatMap(([file, { location }]) => {
    const source = program.getSourceFile(file);
    const diagnostics = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return diagnostics.map(({ messageText }) => `${location} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
  });
}
