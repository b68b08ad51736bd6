import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { type Emulator, startEmulator } from "../../emulator";
import { newStack, type Stack } from "../support/engine";
import { BASES, type Case, cases } from "./reportCases";
import { stored } from "./reportSteps";

/**
 * Checks that the engine's previews still match the stored ones. `npm run goldens test/cli/reportEngine.long.spec.ts`
 * updates the stored ones.
 */

const isRemaking = process.env.UPDATE_GOLDENS !== undefined;
/** The engine is slow, so only these cases run unless the golden files are being updated. */
const everyRun = ["hostile-texts", "split-change"];
const wanted = isRemaking ? cases : cases.filter(({ name }) => everyRun.includes(name));

const STACKS: Readonly<Record<keyof typeof BASES, string>> = {
  none: "a new stack",
  main: "an existing stack",
  broken: "a stack whose last update failed",
};

describe("pulumi preview --json", () => {
  for (const base of Object.keys(BASES) as (keyof typeof BASES)[]) {
    const ofBase = wanted.filter((testCase) => testCase.base === base);
    if (ofBase.length > 0) {
      it(`matches a stored preview for ${STACKS[base]}`, () => withBase(base, ofBase));
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
      // Apply one resource at a time, because the emulator's IDs depend on the order of the requests.
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

/** Parses a preview and sorts its steps, because the engine lists independent resources in any order. */
function parsed(preview: string): unknown {
  const { steps, ...rest } = JSON.parse(preview) as { steps: object[] };
  const byJson = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  return { ...rest, steps: [...steps].sort(byJson) };
}

/** Replaces the IDs, dates, ports and local paths in a preview, because they differ between runs. */
function normalised(preview: string, emulator: Emulator, stack: Stack): string {
  const ids = new Map<string, string>();
  const replaced = preview
    .replaceAll(emulator.url, "https://platform.example")
    .replaceAll(stack.project.root, "")
    // Keep the engine's placeholder for unknown values, which looks like an ID.
    .replace(/(?!04da6b54)[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, (id) => {
      const known = ids.get(id) ?? `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, "0")}`;
      ids.set(id, known);
      return known;
    })
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z/g, "2026-01-01T00:00:00Z")
    // The IDs of assignments depend on the order of the requests, which can differ even with `--parallel 1`.
    .replace(/("id": ?)10\d\d\b/g, "$11000");
  return `${JSON.stringify(JSON.parse(replaced), withoutPlaces, 1)}\n`;
}

/**
 * A replacer for `JSON.stringify`. Removes source positions and stack traces and sets durations to 0, because they
 * differ between machines.
 */
function withoutPlaces(key: string, value: unknown): unknown {
  if (key === "sourcePosition" || key === "stackTrace") {
    return undefined;
  }
  if (key === "duration") {
    return 0;
  }
  return typeof value === "string" ? value.replace(/(\n {4}at .*)+/g, "\n    at …") : value;
}
