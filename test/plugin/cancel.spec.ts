import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { startEmulator } from "../../emulator";
import type { NumbersState } from "../../provider/core/change/state";
import { numbersOf } from "../../provider/core/routing/numberList";
import { startPluginWire, urnOf } from "../support/pluginWire";
import { rejectionOf } from "../support/rejected";

const POOL = urnOf("NumberGroup", "pool");
const numbers = Array.from({ length: 6 }, (_, index) => `+1555000000${index}`);

/** What an operator's Ctrl-C is to a plugin: the engine sends Cancel, starts nothing more, and waits for what is in progress. */
describe("a run of a group that is cancelled", () => {
  it("ends the request in progress, saves the rest as not applied, and the next run sends that alone", async () => {
    const emulator = await startEmulator();
    const start = () =>
      startPluginWire({
        settings: { baseUrl: emulator.url },
        env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token, TEST_ATTEMPTS: "1", TEST_CONCURRENCY: "1" },
      });
    const args = { numbers, inboundAgents: { agent_a: 1 } };
    let wire = await start();
    try {
      const inputs = await wire.inputs(POOL, args);
      const held = emulator.inject({ kind: "hold", after: 2 });
      const creating = rejectionOf(wire.create(POOL, inputs));
      await emulator.waitForRequests(3);
      await wire.cancel();
      held.release();
      const saved = wire.savedBy(await creating);
      assert.ok(saved !== undefined);
      const { unapplied = [] } = saved.properties as Partial<NumbersState>;
      const missed = unapplied.flatMap((part) => numbersOf(part.numbers));
      assert.deepEqual([...missed].sort(), numbers.slice(3));
      assert.equal(emulator.requests.length, 3);

      await wire.close();
      wire = await start();
      const again = await wire.inputs(POOL, args, inputs);
      const state = await wire.update(POOL, saved.id, saved.properties, again, inputs);
      assert.equal(state.unapplied, undefined);
      assert.deepEqual(
        emulator.requests.slice(3).map(({ number }) => number),
        numbers.slice(3),
      );
    } finally {
      await wire.close();
      await emulator.close();
    }
  });
});
