import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { install, type Packed, packBuilt } from "./support/packed";

/** Compiles programs that import the packed package, as a user's compiler would. */
describe("a program that uses the published package", () => {
  let packed: Packed;
  let consumer: string;
  before(async () => {
    packed = await packBuilt();
    consumer = await install(packed);
  });
  after(() => rmSync(packed.root, { recursive: true, force: true }));

  const use = `import { NumberAssignment, type NumberAssignmentArgs, split } from "pulumi-agent-platform";
import { type Emulator, startEmulator } from "pulumi-agent-platform/emulator";
import { numberGroup } from "pulumi-agent-platform/handlers";
const args: NumberAssignmentArgs = { number: "+1", inboundAgents: split({ "agent_a@1": 90, "agent_b@2": 10 }) };
export const weights = new NumberAssignment("n", args).inboundAgents.apply((split) => split["agent_a@1"]?.toFixed());
// @ts-expect-error the number is missing
new NumberAssignment("n", {});
export const emulator: Promise<Emulator> = startEmulator({ seed: 7 });
// @ts-expect-error no such option
startEmulator({ nope: 1 });
export const create: unknown = numberGroup.create;
`;
  const optionsFor = (resolution: keyof typeof ts.ModuleResolutionKind, module: keyof typeof ts.ModuleKind) => ({
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind[module],
    moduleResolution: ts.ModuleResolutionKind[resolution],
    strict: true,
    noEmit: true,
    types: ["node"],
    typeRoots: [join(consumer, "node_modules/@types")],
  });
  /**
   * Writes the test program to each path and compiles it. The returned errors include those in the package's
   * declarations.
   */
  function errorsIn(paths: readonly string[], options: ts.CompilerOptions): [ts.Program, unknown[]] {
    for (const path of paths) {
      writeFileSync(path, use);
    }
    const program = ts.createProgram(paths, options);
    const sourceFiles = program
      .getSourceFiles()
      .filter(({ fileName }) => /\/consumer\/(use|.*\/pulumi-agent-platform\/)/.test(fileName));
    assert.ok(sourceFiles.length > paths.length, "the package's declarations are not compiled");
    const diagnostics = sourceFiles.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]);
    return [
      program,
      diagnostics.map(({ file, messageText }) => [file?.fileName, ts.flattenDiagnosticMessageText(messageText, "\n")]),
    ];
  }

  for (const { title, resolution, module, files } of [
    {
      title: "compiles as CommonJS and as an ES module",
      // We don't test NodeNext, because it resolves types in the same way as Node16.
      resolution: "Node16",
      module: "Node16",
      files: ["use.cts", "use.mts"],
    },
    { title: "compiles for a bundler", resolution: "Bundler", module: "ESNext", files: ["use.ts"] },
  ] as const) {
    it(title, () => {
      const paths = files.map((file) => join(consumer, file));
      const [, errors] = errorsIn(paths, { ...optionsFor(resolution, module), exactOptionalPropertyTypes: true });
      assert.deepEqual(errors, []);
    });
  }

  it("compiles with the legacy Node 10 module resolution", () => {
    const [program, errors] = errorsIn([join(consumer, "use.ts")], optionsFor("Node10", "CommonJS"));
    assert.deepEqual(errors, []);
    // A user's compiler must not load type declarations from the package's own dependencies.
    const dependencies = program
      .getSourceFiles()
      .filter(({ fileName }) => /\/node_modules\/(zod|got)\//.test(fileName));
    assert.deepEqual(dependencies, []);
  });
});
