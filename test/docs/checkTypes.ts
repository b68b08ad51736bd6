import { join } from "node:path";
import ts from "typescript";
import { root } from "../../tools/reference/declarations";
import { type Block, blocksOf, pages, programOf, where } from "./blocks";

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

const blocks: readonly Block[] = pages.flatMap(blocksOf).filter(({ language }) => language === "ts");

export const blockCount = blocks.length;

/** What the compiler says of the blocks, each with its page and line. */
export const typeErrors = (): string[] =>
  typeErrorsOf(Object.fromEntries(blocks.map((block) => [where(block), programOf(block) ?? block.text])));

/** What the compiler says of programs, by their names. */
function typeErrorsOf(programs: Readonly<Record<string, string>>): string[] {
  // Two programs without an import would share their names.
  const sources = new Map(
    Object.entries(programs).map(([name, text], index) => [
      join(root, "docs", `block-${index}.ts`),
      { name, text: `${text}\nexport {};\n` },
    ]),
  );
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => sources.has(file) || fileExists.call(host, file);
  host.readFile = (file) => sources.get(file)?.text ?? readFile.call(host, file);
  host.getSourceFile = (file, languageVersion, ...rest) => {
    const text = sources.get(file)?.text;
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
