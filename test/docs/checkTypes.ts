import { join } from "node:path";
import ts from "typescript";
import { root } from "../../tools/reference/declarations";
import { type Block, blocksOf, pages, programOf, where } from "./blocks";

/** Every block of TypeScript, checked as a program of a reader would be, by the package's names. */

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

const blocks: readonly Block[] = pages.flatMap(blocksOf).filter(({ language }) => language === "ts");

export const blockCount = blocks.length;

/** What the compiler says of the blocks, each with its page and line. */
export function typeErrors(): string[] {
  const sources = new Map(blocks.map((block, index) => [join(root, "docs", `block-${index}.ts`), block]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  const textOf = (file: string): string | undefined => {
    const block = sources.get(file);
    // Two blocks without an import would share their names.
    return block && `${programOf(block) ?? block.text}\nexport {};\n`;
  };
  host.fileExists = (file) => sources.has(file) || fileExists.call(host, file);
  host.readFile = (file) => textOf(file) ?? readFile.call(host, file);
  host.getSourceFile = (file, languageVersion, ...rest) => {
    const text = textOf(file);
    return text === undefined
      ? getSourceFile.call(host, file, languageVersion, ...rest)
      : ts.createSourceFile(file, text, languageVersion);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return [...sources].flatMap(([file, block]) => {
    const source = program.getSourceFile(file);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ messageText }) => `${where(block)} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
  });
}
