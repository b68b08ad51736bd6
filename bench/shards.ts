import { startEmulator } from "../emulator";
import { providerText } from "../test/support/miniEngineProviders";
import { type ProviderProcess, startProvider } from "../test/support/providerProcess";
import { many, type Reading, shown, sideBySide, type Table, timed } from "./measure";
import { agents, lines } from "./provider";

/** A fleet cut into stacks that run at the same time, each with a provider process of its own, under one limit of the platform. */

const LIMIT = 100;

export async function benchShards(fleet: number, rounds: number): Promise<Table> {
  return {
    title: `${shown(fleet)} numbers in stacks at once, limit ${LIMIT} a second`,
    units: { "numbers a second": "", "requests a number": "", "numbers not applied": "" },
    columns: await sideBySide(
      rounds,
      [1, 4, 10].map((stacks) => ({ name: `${stacks} at once`, run: () => applyFleet(fleet, stacks) })),
    ),
  };
}

async function applyFleet(fleet: number, stacks: number): Promise<Reading> {
  const emulator = await startEmulator({ profile: { rateLimit: LIMIT } });
  const providers: ProviderProcess[] = [];
  try {
    for (let index = 0; index < stacks; index += 1) {
      const provider = await startProvider({ env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token } });
      providers.push(provider);
      await provider.configure({ "agent-platform:baseUrl": emulator.url });
    }
    const numbers = many(fleet);
    const share = Math.ceil(fleet / stacks);
    const ms = await timed(() =>
      Promise.all(
        providers.map((provider, index) => applyStack(provider, numbers.slice(index * share, (index + 1) * share))),
      ),
    );
    return {
      "numbers a second": (fleet / ms) * 1000,
      "requests a number": emulator.requests.length / fleet,
      "numbers not applied": numbers.filter((number) => emulator.routing(number) === undefined).length,
    };
  } finally {
    for (const provider of providers) {
      await provider.close();
    }
    await emulator.close();
  }
}

async function applyStack(provider: ProviderProcess, numbers: readonly string[]): Promise<void> {
  const given = { numbers: lines(numbers), inboundAgents: agents(90), __provider: providerText("numberGroup") };
  const { inputs } = await provider.check(undefined, given);
  await provider.create(inputs);
}
