import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { type Emulator, startEmulator } from "../../emulator";
import { newStack, type Stack } from "../support/engine";
import { BASES, type Case, cases } from "./reportCases";
import { stored } from "./reportSteps";

/**
 * Checks that the stored previews match what the engine writes today. `npm run goldens
 * test/cli/reportEngine.long.spec.ts` runs all of them again and stores those that differ.
 */

const isRemaking = process.env.UPDATE_GOLDENS !== undefined;
/** The stacks that every run covers. */
const everyRun = ["hostile-texts", "split-change"];
const wanted = isRemaking ? cases : cases.filter(({ name }) => everyRun.includes(name));

const STACKS: Readonly<Record<keyof typeof BASES, string>> = {
  none: "a new stack",
  main: "an existing stack",
  broken: "a stack whose last update failed",
};

describe("pulumi preview --json", () => {
  for (const base of Object.keys(BASES) as (keyof typeof BASES)[]) {
    const ofBase = wanted.filter((one) => one.base === base);
    if (ofBase.length > 0) {
      it(`matches the stored previews for ${STACKS[base]}`, () => withBase(base, ofBase));
    }
  }
});

/** Applies the base stack once, then previews each case. */
async function withBase(base: keyof typeof BASES, ofBase: readonly Case[]): Promise<void> {
  const emulator = await startEmulator();
  const config = { "agent-platform:baseUrl": emulator.url };
  const stack = await newStack({ config, env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token } });
  try {
    for (const program of BASES[base]) {
      const expectFailure = base === "broken";
      if (expectFailure) {
        emulator.inject({ kind: "status", status: 404, number: "+15551230002" });
        emulator.inject({ kind: "reset", applied: false, operation: "addCommunityVoice" });
      }
      stack.write(program);
      // Run sequentially, so the emulator generates the same IDs in the same order.
      await stack.up({ args: ["--parallel", "1", "--continue-on-error"], expectFailure });
    }
    emulator.clearRequests();
    for (const { name, program, config: own = {}, fails: expectFailure = false } of ofBase) {
      stack.write(program);
      stack.setConfig({ ...config, ...own });
      const { stdout } = await stack.preview({ json: true, args: ["--parallel", "1"], expectFailure });
      stack.setConfig({ ...Object.fromEntries(Object.keys(own).map((key) => [key, undefined])), ...config });
      compare(stored(name), normalised(stdout, emulator, stack));
    }
    assert.deepEqual(emulator.requests, []);
  } finally {
    await stack.remove();
    await emulator.close();
  }
}

function compare(path: string, preview: string): void {
  if (isRemaking && !(existsSync(path) && isDeepStrictEqual(parsed(preview), parsed(readFileSync(path, "utf8"))))) {
    writeFileSync(path, preview);
  }
  assert.deepEqual(parsed(preview), parsed(readFileSync(path, "utf8")), path);
}

/** Sorts the steps, because independent resources may come in any order. */
function parsed(text: string): unknown {
  const { steps, ...rest } = JSON.parse(text) as { steps: object[] };
  const byText = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  return { ...rest, steps: [...steps].sort(byText) };
}

/** Normalizes what differs between runs: IDs, dates, ports and local paths. */
function normalised(text: string, emulator: Emulator, stack: Stack): string {
  const ids = new Map<string, string>();
  const same = text
    .replaceAll(emulator.url, "https://platform.example")
    .replaceAll(stack.project.root, "")
    .replace(/(?!04da6b54)[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, (id) => {
      const known = ids.get(id) ?? `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, "0")}`;
      ids.set(id, known);
      return known;
    })
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z/g, "2026-01-01T00:00:00Z")
    // The emulator numbers assignments as they arrive, and resources register in any order.
    .replace(/("id": ?)10\d\d\b/g, "$11000");
  return `${JSON.stringify(JSON.parse(same), withoutPlaces, 1)}\n`;
}

/** Drops source positions and durations, which differ between machines. */
function withoutPlaces(key: string, value: unknown): unknown {
  if (key === "sourcePosition" || key === "stackTrace") {
    return undefined;
  }
  if (key === "duration") {
    return 0;
  }
  return typeof value === "string" ? value.replace(/(\n {4}at .*)+/g, "\n    at …") : value;
}
