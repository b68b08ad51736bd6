import { type Emulator, type EmulatorOptions, startEmulator } from "../emulator";
import { providerText } from "../test/support/miniEngineProviders";
import { type ProviderProcess, startProvider } from "../test/support/providerProcess";
import { peakOf } from "./groups";
import { type Figure, many, median, timed } from "./measure";

/** The provider process alone, over its protocol: what a call costs, how near its sending comes to the ideal, and its start. */

const agents = (weight: number) => [
  { agentId: "agent_front", agentVersion: 12, weight },
  { agentId: "agent_front", agentVersion: 13, weight: 100 - weight },
];

async function withProvider<T>(
  options: EmulatorOptions,
  work: (provider: ProviderProcess, emulator: Emulator) => Promise<T>,
): Promise<T> {
  const emulator = await startEmulator(options);
  const provider = await startProvider({ env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token } });
  try {
    await provider.configure({ "agent-platform:baseUrl": emulator.url });
    return await work(provider, emulator);
  } finally {
    await provider.close();
    await emulator.close();
  }
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

export async function benchCalls(count: number): Promise<Figure[]> {
  const rates = await withProvider({}, async (provider) => {
    const inputsOf = (index: number, weight: number) => ({
      number: `+1555${1_000_000 + index}`,
      inboundAgents: agents(weight),
      __provider: providerText("numberAssignment"),
    });
    const checked = (await provider.check(undefined, inputsOf(0, 90))).inputs;
    const { outs } = await provider.create(checked);
    await pooled(500, (index) => provider.check(undefined, inputsOf(index, 90)));
    const rate = async (call: (index: number) => Promise<unknown>) =>
      (count / (await timed(() => pooled(count, call)))) * 1000;
    const of = (index: number) => ({ ...checked, number: `+1555${1_000_000 + index}` });
    return {
      check: await rate((index) => provider.check(undefined, inputsOf(index, 90))),
      "diff without change": await rate(() => provider.diff("x", outs, checked)),
      create: await rate((index) => provider.create(of(index))),
      update: await rate((index) =>
        provider.update("x", { ...outs, number: of(index).number }, { ...of(index), triggers: [1] }),
      ),
    };
  });
  return Object.entries(rates).map(([what, value]) => ({
    part: "protocol",
    what,
    size: count,
    value,
    unit: "calls/s",
  }));
}

export async function benchStart(rounds: number): Promise<Figure[]> {
  const times: Record<string, number[]> = {
    listens: [],
    "first check answered": [],
    "first create answered": [],
    floor: [],
  };
  for (let round = 0; round < rounds; round += 1) {
    const emulator = await startEmulator();
    const begun = performance.now();
    const provider = await startProvider({ env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token } });
    const note = (what: string) => times[what]?.push(performance.now() - begun);
    note("listens");
    await provider.configure({ "agent-platform:baseUrl": emulator.url });
    const inputs = { number: "+15551230000", inboundAgents: agents(90), __provider: providerText("numberAssignment") };
    const checked = (await provider.check(undefined, inputs)).inputs;
    note("first check answered");
    await provider.create(checked);
    note("first create answered");
    await provider.close();
    await emulator.close();
    times.floor?.push(await timed(startFloor));
  }
  return Object.entries(times).map(([what, values]) => ({
    part: "start",
    what: what === "floor" ? "first check answered, a provider of nothing" : what,
    size: 0,
    value: median(values),
    unit: "ms",
  }));
}

async function startFloor(): Promise<void> {
  const provider = await startProvider();
  await provider.configure({});
  await provider.check(undefined, { __provider: "exports.handler = () => ({})" });
  await provider.close();
}

/** A group of N is created: the rate, against what the limit or the latency allows at 16 at a time. */
export async function benchRates(size: number, rounds: number): Promise<Figure[]> {
  const cases: { what: string; options: EmulatorOptions; size: number; ideal: number | undefined }[] = [
    { what: "latency 0", options: {}, size, ideal: undefined },
    { what: "latency 20 ms", options: { latencyMs: 20 }, size, ideal: 16 / 0.02 },
    { what: "latency 100 ms", options: { latencyMs: 100 }, size, ideal: 16 / 0.1 },
    { what: "limit 100/s", options: { profile: { rateLimit: 100 } }, size: Math.min(size, 2000), ideal: 100 },
    {
      what: "limit 100/s, no Retry-After",
      options: { profile: { rateLimit: 100, retryAfter: "absent" } },
      size: Math.min(size, 2000),
      ideal: 100,
    },
  ];
  const figures: Figure[] = [];
  for (const one of cases) {
    const runs = [];
    for (let round = 0; round < rounds; round += 1) {
      runs.push(await createGroup(one.size, one.options));
    }
    const rate = median(runs.map(({ ms }) => (one.size / ms) * 1000));
    const requests = median(runs.map((run) => run.requests / one.size));
    figures.push({
      part: "rate",
      what: one.what,
      size: one.size,
      value: rate,
      unit: "numbers/s",
      ...(one.ideal === undefined ? {} : { ratio: { to: `ideal (${one.ideal}/s)`, value: rate / one.ideal } }),
    });
    figures.push({ part: "rate", what: `${one.what}, requests a number`, size: one.size, value: requests, unit: "" });
  }
  return figures;
}

function createGroup(size: number, options: EmulatorOptions): Promise<{ ms: number; requests: number }> {
  return withProvider(options, async (provider, emulator) => {
    // A small group first: got is loaded and connections are open, as in the middle of a long run.
    await provider.create(await checkedGroup(provider, 32));
    const inputs = await checkedGroup(provider, size);
    emulator.clearRequests();
    const ms = await timed(() => provider.create(inputs));
    return { ms, requests: emulator.requests.length };
  });
}

async function checkedGroup(provider: ProviderProcess, size: number) {
  const inputs = { numbers: lines(size), inboundAgents: agents(90), __provider: providerText("numberGroup") };
  return (await provider.check(undefined, inputs)).inputs;
}

/** As the class hands them over. */
const lines = (size: number): string =>
  many(size)
    .map((number) => `${number}\n`)
    .join("");

/** What check and diff of a large group cost, and what the process holds then. */
export async function benchLargeGroup(sizes: readonly number[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of sizes) {
    const times = await withProvider({}, async (provider) => {
      const inputs = { numbers: lines(size), inboundAgents: agents(90), __provider: providerText("numberGroup") };
      await provider.check(undefined, { ...inputs, numbers: many(10) });
      const check = await timed(() => provider.check(undefined, inputs));
      const checked = (await provider.check(undefined, inputs)).inputs;
      const diff = await timed(() => provider.diff("x", checked, checked));
      const memory = peakOf(provider.pid ?? 0);
      await provider.create(checked);
      return { check, diff, memory, memoryAfter: peakOf(provider.pid ?? 0) };
    });
    const add = (what: string, value: number, unit: string) =>
      figures.push({ part: "large group", what, size, value, unit });
    add("check", times.check, "ms");
    add("diff", times.diff, "ms");
    add("provider process, most memory so far", times.memory, "MB");
    add("and after the first create", times.memoryAfter, "MB");
  }
  return figures;
}
