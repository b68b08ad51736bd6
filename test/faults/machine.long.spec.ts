import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "../../emulator";
import { ProviderError, providerText } from "../support/providerCalls";
import { type ProviderOptions, type ProviderProcess, startProvider } from "../support/providerProcess";

const inboundAgents = [{ agentId: "agent_a", weight: 1 }];
const numbersFrom = (count: number) => Array.from({ length: count }, (_, index) => `+1555${1_000_000 + index}`);

async function checkedGroup(provider: ProviderProcess, count: number) {
  const numbers = `${numbersFrom(count).join("\n")}\n`;
  return (await provider.check(undefined, { numbers, inboundAgents, __provider: providerText("numberGroup") })).inputs;
}

describe("where the machine runs short", () => {
  let emulator: Emulator;
  let provider: ProviderProcess;
  // Ended here, for a process that turns in a circle ends no test.
  afterEach(async () => {
    await provider.close();
    await emulator.close();
  });

  async function start(env: ProviderOptions["env"] = {}): Promise<void> {
    emulator = await startEmulator();
    provider = await startProvider({ env: { ...env, AGENT_PLATFORM_ACCESS_TOKEN: emulator.token } });
    await provider.configure({ "agent-platform:baseUrl": emulator.url });
  }

  it("of memory, the call fails at once and nothing hangs", async () => {
    await start({ NODE_OPTIONS: "--max-old-space-size=40" });
    const error = await checkedGroup(provider, 300_000).catch((thrown: unknown) => thrown);
    assert.equal(error instanceof ProviderError && error.code, 14);
    assert.match(provider.stderr, /JavaScript heap out of memory/);
    assert.deepEqual(emulator.requests, []);
  }).timeout(60_000);

  it("of memory, a process with enough of it takes as much", async () => {
    await start();
    assert.match(String((await checkedGroup(provider, 300_000)).numbers), /^\+1555/);
  });

  it("of readers, for the engine's ends of the pipes are gone: the call under way is answered, and the next one", async () => {
    await start();
    const group = await checkedGroup(provider, 3);
    const chat = {
      workspaceId: 42,
      agentId: "chat_agent_a",
      fromNumber: "+15550000001",
      toNumber: "+15550009999",
      __provider: providerText("smsChat"),
    };
    const started = await provider.create((await provider.check(undefined, chat)).inputs);
    provider.stopReading();
    // A line of progress to standard output, for this takes longer than three seconds.
    emulator.inject({ kind: "slowHeaders", ms: 3100, operation: "assignNumber" });
    const { outs } = await provider.create(group);
    assert.equal(String(outs.numbers).split("\n").length, 4);
    // A warning to standard error: the chat had ended.
    emulator.inject({ kind: "status", status: 410, operation: "endChat" });
    await provider.delete(started.id, started.outs);
    assert.deepEqual(
      numbersFrom(3).map((number) => emulator.routing(number)?.inboundAgents),
      [{ agent_a: 1 }, { agent_a: 1 }, { agent_a: 1 }],
    );
  }).timeout(60_000);
});
