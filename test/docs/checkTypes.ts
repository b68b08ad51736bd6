import { join } from "node:path";
import ts from "typescript";
import { root } from "../../tools/reference/declarations";
import { blocksOf, pages, programOf, where } from "./blocks";

/** Every block of TypeScript, and other programs, checked as those of a reader would be, by the package's names. */

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: ["node", "mocha"],
  baseUrl: root,
  // From the sources, so that a page is checked against the code beside it and not against what was built once.
  paths: {
    "pulumi-agent-platform": ["provider/index.ts"],
    "pulumi-agent-platform/emulator": ["emulator/index.ts"],
  },
};

/** What the compiler says of the blocks, each with its page and line. */
export function typeErrors(): string[] {
  const blocks = pages.flatMap(blocksOf).filter(({ language }) => language === "ts");
  // Two programs without an import would share their names.
  const sources = new Map(
    blocks.map((block, index) => [
      join(root, "docs", `block-${index}.ts`),
      { name: where(block), text: `${programOf(block) ?? block.text}\nexport {};\n` },
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
  return [...sources].flatMap(([file, { name }]) => {
    const source = program.getSourceFile(file);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ messageText }) => `${name} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
  });
}
