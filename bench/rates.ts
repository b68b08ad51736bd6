import { type EmulatorOptions, startEmulator } from "../emulator";
import { providerText } from "../test/support/providerCalls";
import { type ProviderProcess, startProvider } from "../test/support/providerProcess";
import { many, type Reading, shown, sideBySide, type Table, timed } from "./measure";
import { agents, GROUP_URN, lines, withProvider } from "./provider";

/** A group of N is created in the provider's process: how near the rate comes to what the platform allows, 16 requests at a time. */

const LIMIT = 100;

interface Platform {
  readonly name: string;
  readonly options: EmulatorOptions;
  /** Numbers a second; without it only the processor limits. */
  readonly possible?: number;
}

const platforms: readonly Platform[] = [
  { name: "responds at once", options: {} },
  { name: "responds after 20 ms", options: { latencyMs: 20 }, possible: 16 / 0.02 },
  { name: "responds after 100 ms", options: { latencyMs: 100 }, possible: 16 / 0.1 },
  {
    name: `allows ${LIMIT} a second, says Retry-After`,
    options: { profile: { rateLimit: LIMIT } },
    possible: LIMIT,
  },
  {
    name: `allows ${LIMIT} a second, says nothing`,
    options: { profile: { rateLimit: LIMIT, retryAfter: "absent" } },
    possible: LIMIT,
  },
];

export async function benchRates(size: number, rounds: number): Promise<Table> {
  return {
    title: `${shown(size)} numbers, where the platform`,
    units: { "numbers a second": "", "of what is possible": "%", "requests a number": "" },
    columns: await sideBySide(
      rounds,
      platforms.map((platform) => ({ name: platform.name, run: () => createGroup(size, platform) })),
    ),
  };
}

const createGroup = (size: number, { options, possible }: Platform): Promise<Reading> =>
  withProvider(options, async (provider, emulator) => {
    // A small group first: got is loaded and connections are open, as in the middle of a long run.
    await provider.create(await checkedGroup(provider, many(32)));
    const inputs = await checkedGroup(provider, many(size));
    emulator.clearRequests();
    const rate = (size / (await timed(() => provider.create(inputs)))) * 1000;
    return {
      "numbers a second": rate,
      ...(possible === undefined ? {} : { "of what is possible": (rate / possible) * 100 }),
      "requests a number": emulator.requests.length / size,
    };
  });

async function checkedGroup(provider: ProviderProcess, numbers: readonly string[]) {
  const inputs = {
    numbers: lines(numbers),
    inboundAgents: agents(90),
    __provider: providerText("numberGroup"),
    __urn: GROUP_URN,
  };
  return (await provider.check(undefined, inputs)).inputs;
}

// --- numbers divided among stacks that run at the same time, each with a provider process of its own, under one limit of the platform

export async function benchStacks(count: number, rounds: number): Promise<Table> {
  return {
    title: `${shown(count)} numbers in stacks at once, limit ${LIMIT} a second`,
    units: { "numbers a second": "", "requests a number": "", "numbers not applied": "" },
    columns: await sideBySide(
      rounds,
      [1, 4, 10].map((stacks) => ({ name: `${stacks} at once`, run: () => applyInStacks(count, stacks) })),
    ),
  };
}

async function applyInStacks(count: number, stacks: number): Promise<Reading> {
  const emulator = await startEmulator({ profile: { rateLimit: LIMIT } });
  const providers: ProviderProcess[] = [];
  try {
    for (let index = 0; index < stacks; index += 1) {
      const provider = await startProvider({ env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token } });
      providers.push(provider);
      await provider.configure({ "agent-platform:baseUrl": emulator.url });
    }
    const numbers = many(count);
    const each = Math.ceil(count / stacks);
    const ms = await timed(() =>
      Promise.all(
        providers.map(async (provider, index) =>
          provider.create(await checkedGroup(provider, numbers.slice(index * each, (index + 1) * each))),
        ),
      ),
    );
    return {
      "numbers a second": (count / ms) * 1000,
      "requests a number": emulator.requests.length / count,
      "numbers not applied": numbers.filter((number) => emulator.routing(number) === undefined).length,
    };
  } finally {
    for (const provider of providers) {
      await provider.close();
    }
    await emulator.close();
  }
}
