import { readFileSync } from "node:fs";
import { type Emulator, type EmulatorOptions, startEmulator } from "../emulator";
import type { EdgeName } from "../test/support/edges";
import { providerText } from "../test/support/providerCalls";
import { type ProviderProcess, startProvider } from "../test/support/providerProcess";
import { many, type Reading, shown, sideBySide, type Table, timed } from "./measure";

/** The provider's process alone, over its protocol: its start, what a call costs, and what a large group costs and holds. */

export const agents = (weight: number) => [
  { agentId: "agent_front", agentVersion: 12, weight },
  { agentId: "agent_front", agentVersion: 13, weight: 100 - weight },
];
/** The plugin takes a map where the class of a program makes one of a list. */
const splits: Readonly<Record<EdgeName, (weight: number) => object>> = {
  dynamic: agents,
  plugin: (weight) => ({ "agent_front@12": weight, "agent_front@13": 100 - weight }),
};

/** The one group of the benches: a check with other numbers is about the same resource, as in the next run. */
export const GROUP_URN = "urn:pulumi:dev::bench::pulumi-nodejs:dynamic/agent-platform:NumberGroup::bench";

/** As a class of a program hands them over. */
export const lines = (numbers: readonly string[]): string => numbers.map((number) => `${number}\n`).join("");
const numberLists: Readonly<Record<EdgeName, (numbers: readonly string[]) => unknown>> = {
  dynamic: lines,
  plugin: (numbers) => numbers,
};

export async function withProvider<T>(
  options: EmulatorOptions & { readonly edge?: EdgeName },
  work: (provider: ProviderProcess, emulator: Emulator) => Promise<T>,
): Promise<T> {
  const { edge = "dynamic", ...platform } = options;
  const emulator = await startEmulator(platform);
  const provider = await startProvider({ edge, env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token } });
  try {
    await provider.configure({ "agent-platform:baseUrl": emulator.url });
    return await work(provider, emulator);
  } finally {
    await provider.close();
    await emulator.close();
  }
}

const edgeColumns = (edges: readonly EdgeName[], run: (edge: EdgeName) => Promise<Reading>) =>
  edges.map((edge) => ({ name: edge, run: () => run(edge) }));

export async function benchStart(rounds: number, edges: readonly EdgeName[]): Promise<Table> {
  const nothing = { name: "a provider of nothing", run: startOfNothing };
  return {
    title: "The start of the provider's process",
    units: { listens: "ms", "first check answered": "ms", "first create answered": "ms", "most memory": "MB" },
    columns: await sideBySide(rounds, [...edgeColumns(edges, startOf), nothing]),
  };
}

async function startOf(edge: EdgeName): Promise<Reading> {
  const emulator = await startEmulator();
  const begun = performance.now();
  const provider = await startProvider({ edge, env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token } });
  try {
    const listens = performance.now() - begun;
    await provider.configure({ "agent-platform:baseUrl": emulator.url });
    const text = providerText("numberAssignment");
    const declared = { number: "+15551230000", inboundAgents: splits[edge](90), __provider: text };
    const { inputs } = await provider.check(undefined, declared);
    const checked = performance.now() - begun;
    await provider.create(inputs);
    const created = performance.now() - begun;
    const memory = peakOf(provider);
    return {
      listens,
      "first check answered": checked,
      "first create answered": created,
      "most memory": memory,
    };
  } finally {
    await provider.close();
    await emulator.close();
  }
}

async function startOfNothing(): Promise<Reading> {
  const begun = performance.now();
  const provider = await startProvider();
  const listens = performance.now() - begun;
  await provider.configure({});
  await provider.check(undefined, { __provider: "exports.handler = () => ({})" });
  const checked = performance.now() - begun;
  const memory = peakOf(provider);
  await provider.close();
  return { listens, "first check answered": checked, "most memory": memory };
}

/** So many calls, 16 at a time. */
async function pooled(count: number, call: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      await call(next++);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

export async function benchCalls(count: number, rounds: number, edges: readonly EdgeName[]): Promise<Table> {
  return {
    title: `${shown(count)} calls of the provider, 16 at a time`,
    units: { check: "/s", "diff without a change": "/s", create: "/s", update: "/s" },
    columns: await sideBySide(
      rounds,
      edgeColumns(edges, (edge) => callsOf(edge, count)),
    ),
  };
}

const callsOf = (edge: EdgeName, count: number): Promise<Reading> =>
  withProvider({ edge }, async (provider) => {
    const [first = "", ...numbers] = many(count + 1);
    const inputsOf = (number: string, weight: number) => ({
      number,
      inboundAgents: splits[edge](weight),
      __provider: providerText("numberAssignment"),
    });
    const checked = (await provider.check(undefined, inputsOf(first, 90))).inputs;
    const { outs } = await provider.create(checked);
    const of = (index: number) => ({ ...checked, number: numbers[index] });
    const check = (index: number) => provider.check(undefined, inputsOf(numbers[index] ?? "", 90));
    await pooled(Math.min(count, 500), check);
    const rate = async (call: (index: number) => Promise<unknown>) =>
      (count / (await timed(() => pooled(count, call)))) * 1000;
    return {
      check: await rate(check),
      "diff without a change": await rate(() => provider.diff("x", outs, checked)),
      create: await rate((index) => provider.create(of(index))),
      update: await rate((index) =>
        provider.update("x", { ...outs, number: numbers[index] }, { ...of(index), triggers: [1] }),
      ),
    };
  });

/** What check and diff of a large group cost, how long its numbers take one by one, and what the process holds then. */
export async function benchLargeGroups(
  sizes: readonly number[],
  rounds: number,
  edges: readonly EdgeName[],
): Promise<Table> {
  const contenders = sizes.flatMap((size) =>
    edges.map((edge) => ({ name: `${shown(size)} numbers, ${edge}`, run: () => largeGroup(edge, size) })),
  );
  return {
    title: "A group in the provider's process",
    units: {
      check: "ms",
      diff: "ms",
      "most memory before a request": "MB",
      "sending, a number": "ms",
      "most memory": "MB",
    },
    columns: await sideBySide(rounds, contenders),
  };
}

const largeGroup = (edge: EdgeName, size: number): Promise<Reading> =>
  withProvider({ edge }, async (provider) => {
    const declared = (numbers: readonly string[]) => ({
      numbers: numberLists[edge](numbers),
      inboundAgents: splits[edge](90),
      __provider: providerText("numberGroup"),
      __urn: GROUP_URN,
    });
    await provider.check(undefined, declared(many(10)));
    const inputs = declared(many(size));
    const check = await timed(() => provider.check(undefined, inputs));
    const checked = (await provider.check(undefined, inputs)).inputs;
    const diff = await timed(() => provider.diff("x", checked, checked));
    const memory = peakOf(provider);
    const sending = await timed(() => provider.create(checked));
    return {
      check,
      diff,
      "most memory before a request": memory,
      "sending, a number": sending / size,
      "most memory": peakOf(provider),
    };
  });

/** The most that the process has held, in MB, as the kernel counts it. */
function peakOf({ pid }: ProviderProcess): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}
