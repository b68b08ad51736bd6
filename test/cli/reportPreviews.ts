import { type Emulator, startEmulator } from "../../emulator";
import { newStack, type Stack } from "../support/engine";
import { type Base, bases } from "./reportBases";
import type { Case } from "./reportCases";

/** Previews as the real engine writes them, without what differs from run to run. */

/** Runs the bases that the cases need, and hands over each case's preview as text. */
export async function makePreviews(
  wanted: readonly Case[],
  take: (name: string, preview: string) => void | Promise<void>,
): Promise<void> {
  for (const name of Object.keys(bases) as (keyof typeof bases)[]) {
    const ofBase = wanted.filter(({ base }) => base === name);
    if (ofBase.length > 0) {
      await withBase(bases[name], (stack, emulator) => previewAll(ofBase, stack, emulator, take));
    }
  }
}

async function withBase(base: Base, test: (stack: Stack, emulator: Emulator) => Promise<void>): Promise<void> {
  const emulator = await startEmulator();
  const config = { "agent-platform:baseUrl": emulator.url };
  const stack = await newStack({ config, env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token } });
  try {
    for (const [index, program] of base.applied.entries()) {
      const isBroken = base.isBroken === true && index === base.applied.length - 1;
      if (isBroken) {
        emulator.inject({ kind: "status", status: 404, number: "+15551230002" });
        emulator.inject({ kind: "resetAfterRequest", operation: "addCommunityVoice" });
      }
      stack.write(program);
      // One at a time, so that the emulator makes the same identifiers in the same order.
      await stack.up({ args: ["--parallel", "1", "--continue-on-error"], expectFailure: isBroken });
    }
    await test(stack, emulator);
  } finally {
    await stack.remove();
    await emulator.close();
  }
}

async function previewAll(
  wanted: readonly Case[],
  stack: Stack,
  emulator: Emulator,
  take: (name: string, preview: string) => void | Promise<void>,
): Promise<void> {
  const requests = emulator.requests.length;
  for (const { name, program, config = {}, fails = false } of wanted) {
    stack.write(program);
    stack.setConfig(config);
    const { stdout } = await stack.preview({
      json: true,
      args: ["--parallel", "1"],
      expectFailure: fails,
    });
    stack.setConfig({
      ...Object.fromEntries(Object.keys(config).map((key) => [key, undefined])),
      "agent-platform:baseUrl": emulator.url,
    });
    await take(name, normalised(stdout, emulator, stack));
  }
  if (emulator.requests.length !== requests) {
    throw new Error("a preview sent a request");
  }
}

/** Identifiers, dates, ports and paths of the machine made the same in every run. */
function normalised(text: string, emulator: Emulator, stack: Stack): string {
  const document = JSON.parse(replaceVolatile(text, emulator, stack)) as unknown;
  return `${JSON.stringify(document, withoutPlaces, 1)}\n`;
}

function replaceVolatile(text: string, emulator: Emulator, stack: Stack): string {
  const ids = new Map<string, string>();
  return (
    text
      .replaceAll(emulator.url, "https://platform.example")
      .replaceAll(stack.project.root, "")
      .replace(/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, (id) => {
        const isUnknown = id === "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
        const known = ids.get(id) ?? `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, "0")}`;
        if (!isUnknown) {
          ids.set(id, known);
        }
        return isUnknown ? id : known;
      })
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z/g, "2026-01-01T00:00:00Z")
      // The platform counts assignments as they arrive, and the program's resources register in any order.
      .replace(/("id": ?)10\d\d\b/g, "$11000")
  );
}

/** Paths of the program's lines and durations differ from machine to machine. */
function withoutPlaces(key: string, value: unknown): unknown {
  if (key === "sourcePosition" || key === "stackTrace") {
    return undefined;
  }
  if (key === "duration") {
    return 0;
  }
  return typeof value === "string" ? value.replace(/(\n {4}at .*)+/g, "\n    at …") : value;
}
