import { startEmulator } from "../emulator";
import { providerText } from "../test/support/miniEngineProviders";
import { type ProviderProcess, startProvider } from "../test/support/providerProcess";
import { type Figure, many, median, timed } from "./measure";

/** A fleet cut into stacks that run at the same time, each with a provider process of its own, under one limit of the platform. */

const LIMIT = 100;

export async function benchShards(fleet: number, stacks: readonly number[], rounds: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const count of stacks) {
    const runs = [];
    for (let round = 0; round < rounds; round += 1) {
      runs.push(await applyFleet(fleet, count));
    }
    const rate = median(runs.map(({ ms }) => (fleet / ms) * 1000));
    const add = (what: string, value: number, unit: string, ratio?: Figure["ratio"]) =>
      figures.push({
        part: "shards",
        what: `${count} at once${what}`,
        size: fleet,
        value,
        unit,
        ...(ratio && { ratio }),
      });
    add("", rate, "numbers/s", { to: `limit (${LIMIT}/s)`, value: rate / LIMIT });
    add(", requests a number", median(runs.map(({ requests }) => requests / fleet)), "");
    add(", numbers not applied", Math.max(...runs.map(({ missing }) => missing)), "");
  }
  return figures;
}

async function applyFleet(fleet: number, stacks: number) {
  const emulator = await startEmulator({ profile: { rateLimit: LIMIT } });
  const providers: ProviderProcess[] = [];
  for (let index = 0; index < stacks; index += 1) {
    const provider = await startProvider({ env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token } });
    await provider.configure({ "agent-platform:baseUrl": emulator.url });
    providers.push(provider);
  }
  try {
    const numbers = many(fleet);
    const share = Math.ceil(fleet / stacks);
    const ms = await timed(() =>
      Promise.all(
        providers.map((provider, index) => applyStack(provider, numbers.slice(index * share, (index + 1) * share))),
      ),
    );
    const missing = numbers.filter((number) => emulator.routing(number) === undefined).length;
    return { ms, requests: emulator.requests.length, missing };
  } finally {
    for (const provider of providers) {
      await provider.close();
    }
    await emulator.close();
  }
}

async function applyStack(provider: ProviderProcess, numbers: readonly string[]): Promise<void> {
  const inboundAgents = [{ agentId: "agent_front", agentVersion: 12, weight: 100 }];
  const given = { numbers: `${numbers.join("\n")}\n`, inboundAgents, __provider: providerText("numberGroup") };
  const { inputs } = await provider.check(undefined, given);
  await provider.create(inputs);
}
