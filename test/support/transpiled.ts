import ts from "typescript";

/**
 * A program in TypeScript or JavaScript, as CommonJS and without its types: so the program's process has no compiler to load. Nothing is checked.
 * @param sourceFile what a map inside it names: messages then name a line of the program as it is written
 */
export function inJavaScript(source: string, sourceFile?: string): string {
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true };
  const inlineSourceMap = sourceFile !== undefined;
  return ts.transpileModule(source, {
    ...(inlineSourceMap && { fileName: sourceFile }),
    compilerOptions: { ...compilerOptions, inlineSourceMap, inlineSources: inlineSourceMap },
  }).outputText;
}
