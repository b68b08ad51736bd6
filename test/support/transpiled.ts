import ts from "typescript";

/**
 * Converts a TypeScript or JavaScript program to CommonJS, so that its process doesn't have to load a compiler. Doesn't
 * check types.
 * @param sourceFile the file name for an inline source map, which makes error messages refer to lines of the source
 */
export function inJavaScript(source: string, sourceFile?: string): string {
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true };
  const inlineSourceMap = sourceFile !== undefined;
  return ts.transpileModule(source, {
    ...(inlineSourceMap && { fileName: sourceFile }),
    compilerOptions: { ...compilerOptions, inlineSourceMap, inlineSources: inlineSourceMap },
  }).outputText;
}
