/**
 * What each guard of the code is worth: it is taken out in a copy of the sources, and the test that holds it must turn red.
 * By hand, a few minutes: `node -r tsx/cjs test/guards/guardsByHand.ts [--only "a part of the name"] [--json]`.
 */
import { parseArgs } from "node:util";
import { GUARDS, type Guard } from ".";
import { patternOf } from "./guard";
import { copyTree, type Tree } from "./tree";

interface Verdict {
  readonly guard: Guard;
  readonly red: readonly string[];
}

async function takeOut(guard: Guard, tree: Tree): Promise<Verdict> {
  const text = tree.read(guard.file);
  tree.write(
    guard.file,
    text.replace(patternOf(guard), () => guard.without),
  );
  try {
    return { guard, red: await tree.redTests(guard.spec) };
  } finally {
    tree.write(guard.file, text);
  }
}

const holds = ({ guard, red }: Verdict): boolean => red.includes(guard.title);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { only: { type: "string", default: "" }, json: { type: "boolean", default: false } },
  });
  const guards = GUARDS.filter(({ name }) => name.includes(values.only));
  const tree = copyTree();
  const verdicts: Verdict[] = [];
  try {
    const specs = [...new Set(guards.map(({ spec }) => spec))];
    for (const spec of specs) {
      const red = await tree.redTests(spec);
      if (red.length > 0) {
        throw new Error(`${spec} is red with every guard in place: ${red.join("; ")}`);
      }
    }
    for (const guard of guards) {
      const verdict = await takeOut(guard, tree);
      verdicts.push(verdict);
      const sign = holds(verdict) ? "red " : "FREE";
      const others = verdict.red.length > 1 ? ` (${verdict.red.length} in all)` : "";
      if (!values.json) {
        console.log(`${sign}  ${guard.name}\n      ${guard.spec}: ${verdict.red[0] ?? "no test"}${others}`);
      }
    }
  } finally {
    tree.remove();
  }
  if (values.json) {
    console.log(JSON.stringify(verdicts.map(({ guard, red }) => ({ name: guard.name, red }))));
  }
  const free = verdicts.filter((verdict) => !holds(verdict));
  console.error(`${verdicts.length} guards, ${free.length} that their test does not hold`);
  process.exitCode = free.length === 0 ? 0 : 1;
}

void main();
