import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../emulator";
import { type PluginWire, startPluginWire, urnOf } from "../support/pluginWire";
import { rejectionOf } from "../support/rejected";

const POOL = urnOf("NumberGroup", "pool");
const numbers = Array.from({ length: 6 }, (_, index) => `+1555000000${index}`);
const args = (agent: string) => ({ numbers, inboundAgents: { [agent]: 1 } });

/** What an operator's Ctrl-C is to a plugin: the engine sends Cancel, starts nothing more, and waits for what is under way. */
describe("a run that is interrupted", () => {
  let emulator: Emulator;
  let wire: PluginWire;

  beforeEach(async () => {
    emulator = await startEmulator();
    wire = await start();
  });
  afterEach(async () => {
    await wire.close();
    await emulator.close();
  });

  const start = () =>
    startPluginWire({
      settings: { baseUrl: emulator.url, concurrency: 1 },
      env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
    });

  it("finishes the group that is under way and saves all of it; the next run has nothing to do", async () => {
    const inputs = await wire.inputs(POOL, args("agent_a"));
    const held = emulator.inject({ kind: "hold", after: 2 });
    const creating = wire.create(POOL, inputs);
    await emulator.waitForRequests(3);
    await wire.cancel();
    held.release();
    const { id, state } = await creating;
    assert.equal(emulator.numbers.size, numbers.length);
    assert.equal(state.unapplied, undefined);

    await wire.close();
    wire = await start();
    const again = await wire.inputs(POOL, args("agent_a"), inputs);
    assert.equal((await wire.diff(POOL, id, state, again, inputs)).changes, false);
    assert.equal(emulator.requests.length, numbers.length);
  });

  it("records what was sent of a group that fails meanwhile, and the next run sends the rest alone", async () => {
    const inputs = await wire.inputs(POOL, args("agent_a"));
    const held = emulator.inject({ kind: "hold", after: 1 });
    emulator.inject({ kind: "status", status: 422, number: "+15550000003", times: 1 });
    const creating = rejectionOf(wire.create(POOL, inputs));
    await emulator.waitForRequests(2);
    await wire.cancel();
    held.release();
    const saved = wire.savedBy(await creating);
    assert.ok(saved !== undefined);
    const sent = emulator.requests.length;

    await wire.close();
    wire = await start();
    const again = await wire.inputs(POOL, args("agent_a"), inputs);
    assert.equal((await wire.diff(POOL, saved.id, saved.properties, again, inputs)).changes, true);
    const state = await wire.update(POOL, saved.id, saved.properties, again, inputs);
    assert.deepEqual(
      emulator.requests.slice(sent).map(({ number }) => number),
      ["+15550000003"],
    );
    assert.equal(state.unapplied, undefined);
    assert.deepEqual(
      numbers.map((number) => emulator.routing(number)?.inboundAgents),
      numbers.map(() => ({ agent_a: 1 })),
    );
  });
});
