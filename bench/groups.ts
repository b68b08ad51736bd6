import { readFileSync } from "node:fs";
import { startEmulator } from "../emulator";
import { newStack, type Stack } from "../test/support/engine";
import { type Figure, many, median } from "./measure";
import { emptyProgram, groupProgram, placeFloor, programOf } from "./programs";

/** One NumberGroup of N numbers, against an `up` of the same program without it. */

const OPERATIONS = ["empty up", "first up", "no change", "one joins", "change all", "destroy"] as const;
type Run = Record<(typeof OPERATIONS)[number] | "bytes" | "megabytes" | "requests" | "floor", number>;

export async function benchGroups(sizes: readonly number[], rounds: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of sizes) {
    const runs: Run[] = [];
    for (let round = 0; round < (size > 10_000 ? 1 : rounds); round += 1) {
      runs.push(await lifecycle(size));
    }
    const of = (what: keyof Run) => median(runs.map((run) => run[what]));
    const above = (what: keyof Run) => median(runs.map((run) => run[what] - run["empty up"]));
    const add = (what: string, value: number, unit: string) => figures.push({ part: "group", what, size, value, unit });
    for (const what of OPERATIONS) {
      add(what, of(what) / 1000, "s");
    }
    for (const what of ["first up", "no change", "one joins", "change all"] as const) {
      add(`${what}, above an empty up`, above(what) / 1000, "s");
    }
    add("no change, one resource of nothing, above an empty up", of("floor") / 1000, "s");
    add("change all, above an empty up, a number", above("change all") / size, "ms");
    add("state a number", of("bytes") / size, "bytes");
    add("provider process, most memory", of("megabytes"), "MB");
    add("requests of all but the destroy", of("requests"), "");
  }
  return figures;
}

async function lifecycle(size: number): Promise<Run> {
  const emulator = await startEmulator();
  const stack = await newStack({
    program: emptyProgram,
    config: { "agent-platform:baseUrl": emulator.url },
    env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
  });
  const slow = { timeoutMs: 3_600_000 };
  const memory = watchMemory(stack);
  try {
    // The first run of all sets up folders that later ones find.
    await stack.up(slow);
    const run: Partial<Run> = { "empty up": (await stack.up(slow)).durationMs };
    const empty = stack.stateText().length;
    const up = async (what: keyof Run, numbers: readonly string[], weight: number) => {
      stack.write(groupProgram(numbers, weight));
      run[what] = (await stack.up(slow)).durationMs;
    };
    await up("first up", many(size), 90);
    run.bytes = stack.stateText().length - empty;
    await up("no change", many(size), 90);
    await up("one joins", many(size + 1), 90);
    await up("change all", many(size + 1), 70);
    run.requests = emulator.requests.length;
    run.destroy = (await stack.destroy(slow)).durationMs;
    return { ...(run as Run), megabytes: memory.stop(), floor: await floor() };
  } finally {
    memory.stop();
    await stack.remove();
    await emulator.close();
  }
}

/** What the least of dynamic resources adds to an `up` without change: the start of the SDK's provider process, above all. */
async function floor(): Promise<number> {
  const stack = await newStack({ program: emptyProgram });
  try {
    placeFloor(stack);
    await stack.up();
    const empty = (await stack.up()).durationMs;
    stack.write(`${emptyProgram}\n${programOf("floor", { numbers: many(1), weight: 90 }, "https://platform.example")}`);
    await stack.up();
    return (await stack.up()).durationMs - empty;
  } finally {
    await stack.remove();
  }
}

/** The most memory that any provider process of the stack has held, as the kernel counts it. */
function watchMemory(stack: Stack): { stop(): number } {
  let most = 0;
  const timer = setInterval(() => {
    for (const { pid, role } of stack.processes()) {
      if (role === "provider") {
        most = Math.max(most, peakOf(pid));
      }
    }
  }, 200);
  return {
    stop() {
      clearInterval(timer);
      return most;
    },
  };
}

export function peakOf(pid: number): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}
