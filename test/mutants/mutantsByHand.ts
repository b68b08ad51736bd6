/**
 * Which decisions of a source file do its specs hold? Each is changed in a copy of the sources; a change that leaves the specs green is
 * named. By hand, before a release: `node -r tsx/cjs test/mutants/mutantsByHand.ts provider/core/change/guards.ts test/core/guards.spec.ts`.
 * Several specs may follow. `--lines 40-90` looks at a part of the file.
 */
import { parseArgs } from "node:util";
import { mutantsOf } from "./mutants";
import { copyTree } from "./tree";

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

void main().then((code) => {
  process.exitCode = code;
});
