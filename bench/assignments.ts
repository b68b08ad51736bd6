import { startEmulator } from "../emulator";
import { newStack } from "../test/support/engine";
import { type Figure, many, sideBySide } from "./measure";
import { type Declared, placeFloor, programOf, type Way } from "./programs";

/** N NumberAssignments, against the least that a dynamic resource can cost and against the usual way to write one. */

const WAYS = ["ours", "floor", "closure"] as const;
const OPERATIONS = ["first up", "no change", "change one", "change all", "destroy"] as const;

export async function benchAssignments(sizes: readonly number[], rounds: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of sizes) {
    const results = await sideBySide(size >= 1000 ? 1 : rounds, WAYS, (way) => lifecycle(way, size));
    for (const what of OPERATIONS) {
      for (const way of WAYS) {
        figures.push({
          part: "assignments",
          what: `${what}, ${way}`,
          size,
          value: results.of(way, what) / 1000,
          unit: "s",
        });
      }
      for (const to of ["floor", "closure"] as const) {
        const value = results.ratio(what, "ours", to);
        figures.push({
          part: "assignments",
          what,
          size,
          value: results.of("ours", what) / 1000,
          unit: "s",
          ratio: { to, value },
        });
      }
    }
    for (const way of WAYS) {
      const value = results.of(way, "state");
      figures.push({ part: "assignments", what: `state a resource, ${way}`, size, value, unit: "bytes" });
    }
    figures.push({
      part: "assignments",
      what: "requests, no change",
      size,
      value: results.of("ours", "requests"),
      unit: "",
    });
  }
  return figures;
}

async function lifecycle(way: Way, size: number): Promise<Record<string, number>> {
  const emulator = await startEmulator();
  const declared: Declared = { numbers: many(size), weight: 90 };
  const program = (changes: Partial<Declared> = {}) => programOf(way, { ...declared, ...changes }, emulator.url);
  const stack = await newStack({
    program: program(),
    config: { "agent-platform:baseUrl": emulator.url },
    env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
  });
  const slow = { timeoutMs: 3_600_000 };
  try {
    placeFloor(stack);
    const run: Record<string, number> = {};
    const up = async (what: string, changes: Partial<Declared> = {}) => {
      stack.write(program(changes));
      emulator.clearRequests();
      run[what] = (await stack.up(slow)).durationMs;
    };
    await up("first up");
    run.state = stack.stateText().length / size;
    await up("no change");
    run.requests = emulator.requests.length;
    await up("change one", { oneWeight: 50 });
    await up("change all", { weight: 70, oneWeight: 70 });
    run.destroy = (await stack.destroy(slow)).durationMs;
    return run;
  } finally {
    await stack.remove();
    await emulator.close();
  }
}
