import assert from "node:assert/strict";
import { startEmulator } from "../emulator";
import type { EdgeName } from "../test/support/edges";
import { newStack, type Stack } from "../test/support/engine";
import { many, type Reading, rotated, type Table } from "./measure";
import { type Declared, empty, group, least, placeLeast, splitOf } from "./programs";
import { pulumiRun } from "./pulumiRun";

/** One NumberGroup of N numbers: each of its runs beside an `up` of an empty program, and beside one resource that does nothing. */

type Step = "first run" | "no change" | "another split for all" | "one number leaves" | "one number joins";

/** What the group declares then. */
const STEPS: Readonly<Record<Step, (size: number) => Declared>> = {
  "first run": (size) => ({ numbers: many(size), weight: 90 }),
  "no change": (size) => ({ numbers: many(size), weight: 90 }),
  "another split for all": (size) => ({ numbers: many(size), weight: 70 }),
  "one number leaves": (size) => ({ numbers: many(size).slice(1), weight: 70 }),
  "one number joins": (size) => ({ numbers: many(size + 1).slice(1), weight: 70 }),
};
const steps = Object.keys(STEPS) as Step[];

const above = (step: Step) => `${step}, above an empty program`;
const requests = (step: Step) => `${step}, requests`;
const units = {
  ...Object.fromEntries(steps.map((step) => [step, "s"])),
  destroy: "s",
  ...Object.fromEntries(steps.map((step) => [above(step), "s"])),
  ...Object.fromEntries(steps.map((step) => [requests(step), ""])),
  "state a number": "bytes",
};

/** One round of one column. */
interface Contender {
  /** Seconds. */
  run(step: Step): Promise<number>;
  /** What it has to say at the end, which is measured beside nothing. */
  end(): Promise<Reading>;
  remove(): Promise<void>;
}

interface Entry {
  readonly edge: EdgeName;
  readonly name: string;
  readonly start: (size: number) => Promise<Contender>;
  readonly readings: Reading[];
}

const entriesOf = (edge: EdgeName): Entry[] => {
  const language = edge === "plugin" ? " in YAML" : "";
  return [
    { edge, name: `an empty program${language}`, start: () => startEmpty(edge), readings: [] },
    ...(edge === "dynamic"
      ? [{ edge, name: "one resource that does nothing", start: startNothing, readings: [] }]
      : []),
    { edge, name: `a NumberGroup${language}`, start: (size) => startGroup(edge, size), readings: [] },
  ];
};

export async function benchGroups(size: number, rounds: number, edges: readonly EdgeName[]): Promise<Table> {
  const entries = edges.flatMap(entriesOf);
  for (let round = 0; round < rounds; round += 1) {
    const seen = await together(entries, size, round);
    for (const entry of entries) {
      entry.readings.push(seen.get(entry) ?? {});
    }
  }
  return { title: `A group of ${size} numbers`, units, columns: entries };
}

/** All columns take each step one after another, so that a step stands beside the same step of the others. */
async function together(entries: readonly Entry[], size: number, round: number): Promise<Map<Entry, Reading>> {
  const contenders: { entry: Entry; contender: Contender; reading: Record<string, number> }[] = [];
  try {
    for (const entry of entries) {
      contenders.push({ entry, contender: await entry.start(size), reading: {} });
    }
    for (const step of steps) {
      for (const { contender, reading } of rotated(contenders, round)) {
        reading[step] = await contender.run(step);
      }
    }
    for (const { contender, reading } of contenders) {
      Object.assign(reading, await contender.end());
    }
    for (const { entry, reading } of contenders) {
      const base = contenders.find((other) => other.entry.edge === entry.edge)?.reading ?? {};
      Object.assign(reading, base === reading ? {} : differences(reading, base));
    }
    return new Map(contenders.map(({ entry, reading }) => [entry, reading]));
  } finally {
    for (const { contender } of contenders) {
      await contender.remove();
    }
  }
}

const differences = (reading: Reading, base: Reading): Reading =>
  Object.fromEntries(steps.map((step) => [above(step), (reading[step] ?? 0) - (base[step] ?? 0)]));

/** The first run of all sets up folders that later ones find, so it is not one of those that count. */
async function warm(options: Parameters<typeof newStack>[0]): Promise<Stack> {
  const stack = await newStack(options);
  await pulumiRun(stack, "up");
  return stack;
}

async function startEmpty(edge: EdgeName): Promise<Contender> {
  const stack = await warm({ program: empty[edge] });
  return { run: () => pulumiRun(stack, "up"), end: async () => ({}), remove: stack.remove };
}

/** What any dynamic resource adds: the start of the SDK's provider process, above all. */
async function startNothing(): Promise<Contender> {
  const stack = await warm({ program: empty.dynamic });
  placeLeast(stack);
  return {
    run(step) {
      stack.write(`${empty.dynamic}\n${least(STEPS[step](1))}`);
      return pulumiRun(stack, "up");
    },
    end: async () => ({ destroy: await pulumiRun(stack, "destroy") }),
    remove: stack.remove,
  };
}

async function startGroup(edge: EdgeName, size: number): Promise<Contender> {
  const emulator = await startEmulator();
  const stack = await warm({
    program: empty[edge],
    config: { "agent-platform:baseUrl": emulator.url },
    env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
  });
  const before = stack.stateText().length;
  const seen: Record<string, number> = {};
  return {
    async run(step) {
      const declared = STEPS[step](size);
      stack.write(group[edge](declared));
      const sent = emulator.requests.length;
      const seconds = await pulumiRun(stack, "up");
      seen[requests(step)] = emulator.requests.length - sent;
      seen["state a number"] ??= (stack.stateText().length - before) / size;
      for (const number of declared.numbers) {
        assert.deepEqual(emulator.routing(number)?.inboundAgents, splitOf(declared.weight), `${number} after ${step}`);
      }
      return seconds;
    },
    end: async () => ({ ...seen, destroy: await pulumiRun(stack, "destroy") }),
    async remove() {
      await stack.remove();
      await emulator.close();
    },
  };
}
