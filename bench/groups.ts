import assert from "node:assert/strict";
import { startEmulator } from "../emulator";
import type { EdgeName } from "../test/support/edges";
import { newStack, type Stack, type StackOptions } from "../test/support/engine";
import { many, type Reading, rotated, shown, type Table } from "./measure";
import { type Declared, empty, group, least, placeLeast, pulumiRun, splitOf } from "./programs";

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

const units = { ...Object.fromEntries(steps.map((step) => [step, "s"])), destroy: "s", "state a number": "bytes" };

/** One program in one round. */
interface Contender {
  up(step: Step): Promise<{ readonly seconds: number; readonly requests?: number }>;
  /** What it has to say at the end, which is measured beside nothing. */
  end(): Promise<Reading>;
  remove(): Promise<void>;
}
/** What a round gives, by the names of the columns. */
type Round = Record<string, Record<string, number>>;

const GROUPS: Readonly<Record<EdgeName, string>> = {
  dynamic: "a NumberGroup",
  plugin: "a NumberGroup in YAML",
};
const emptyIn = (edge: EdgeName): string => (edge === "plugin" ? "an empty program in YAML" : "an empty program");

export async function benchGroups(size: number, rounds: number, edges: readonly EdgeName[]): Promise<Table> {
  const results: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    results.push(await oneRound(size, round, edges));
  }
  const columns = Object.keys(results[0] ?? {}).map((name) => ({
    name,
    readings: results.map((result) => result[name] ?? {}),
    ...(name.endsWith("requests") ? { unit: "" } : {}),
  }));
  return { title: `A group of ${shown(size)} numbers`, units, columns };
}

/** All programs take each step one after another, so that a step stands beside the same step of the others. */
async function oneRound(size: number, round: number, edges: readonly EdgeName[]): Promise<Round> {
  const contenders: { readonly name: string; readonly contender: Contender }[] = [];
  const start = async (name: string, started: Promise<Contender>) =>
    void contenders.push({ name, contender: await started });
  try {
    const result: Round = {};
    for (const [name, begin] of Object.entries(contendersOf(edges, size))) {
      await start(name, begin());
    }
    for (const { name } of contenders) {
      result[name] = {};
    }
    const requests: Round = {};
    for (const step of steps) {
      for (const { name, contender } of rotated(contenders, round)) {
        const sample = await contender.up(step);
        note(result, name, step, sample.seconds);
        if (sample.requests !== undefined) {
          note(requests, `${name}, requests`, step, sample.requests);
        }
      }
    }
    for (const { name, contender } of contenders) {
      Object.assign(result[name] ?? {}, await contender.end());
    }
    return { ...result, ...differences(result, edges), ...requests };
  } finally {
    for (const { contender } of contenders) {
      await contender.remove();
    }
  }
}

/** Of a name that two edges have in common there is one. */
const contendersOf = (edges: readonly EdgeName[], size: number): Readonly<Record<string, () => Promise<Contender>>> =>
  Object.assign(
    {},
    ...edges.map((edge) => ({
      [emptyIn(edge)]: () => startEmpty(edge),
      ...(edge === "dynamic" && { "one resource that does nothing": startNothing }),
      [GROUPS[edge]]: () => startGroup(edge, size),
    })),
  );

function note(round: Round, name: string, row: string, value: number): void {
  round[name] = { ...round[name], [row]: value };
}

function differences(round: Round, edges: readonly EdgeName[]): Round {
  return Object.fromEntries(
    edges.map((edge) => {
      const base = round[emptyIn(edge)];
      const name = GROUPS[edge];
      const above = steps.map((step) => [step, (round[name]?.[step] ?? 0) - (base?.[step] ?? 0)]);
      return [`${name}, above an empty program`, Object.fromEntries(above)];
    }),
  );
}

/** The first run of all sets up folders that later ones find, so it is not one of those that count. */
async function warm(options: StackOptions): Promise<Stack> {
  const stack = await newStack(options);
  await pulumiRun(stack, "up");
  return stack;
}

async function startEmpty(edge: EdgeName): Promise<Contender> {
  const stack = await warm({ program: empty[edge] });
  return { up: async () => ({ seconds: await pulumiRun(stack, "up") }), end: async () => ({}), remove: stack.remove };
}

/** What any dynamic resource adds: the start of the SDK's provider process, above all. */
async function startNothing(): Promise<Contender> {
  const stack = await warm({ program: empty.dynamic });
  placeLeast(stack);
  return {
    async up(step) {
      stack.write(`${empty.dynamic}\n${least({ ...STEPS[step](1), numbers: many(1) })}`);
      return { seconds: await pulumiRun(stack, "up") };
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
  let state: number | undefined;
  return {
    async up(step) {
      const declared = STEPS[step](size);
      stack.write(group[edge](declared));
      const sent = emulator.requests.length;
      const seconds = await pulumiRun(stack, "up");
      state ??= stack.stateText().length - before;
      for (const number of declared.numbers) {
        assert.deepEqual(emulator.routing(number)?.inboundAgents, splitOf(declared.weight), `${number} after ${step}`);
      }
      return { seconds, requests: emulator.requests.length - sent };
    },
    end: async () => ({ destroy: await pulumiRun(stack, "destroy"), "state a number": (state ?? 0) / size }),
    async remove() {
      await stack.remove();
      await emulator.close();
    },
  };
}
