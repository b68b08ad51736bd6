import assert from "node:assert/strict";
import { number, put, start } from "./support";

const split = (...weights: number[]) => ({
  inboundAgents: weights.map((weight, index) => ({ agent_id: `agent_${"abc"[index]}`, agent_version: 1, weight })),
});

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0);

describe("emulator: calls", () => {
  it("counts calls to nobody where no agent is bound", async () => {
    const emulator = await start();
    assert.deepEqual(emulator.calls(number, 5), { "(no agents)": 5 });
    await put(emulator, split(0, 0));
    assert.deepEqual(emulator.calls(number, 5), { "(no agents)": 5 });
    await put(emulator, { inboundAgents: [] });
    assert.deepEqual(emulator.calls(number, 5), { "(no agents)": 5 });
  });

  it("draws by the weights, whatever they sum to", async () => {
    const emulator = await start();
    for (const [weights, share] of [
      [[90, 10], 0.1],
      [[0.9, 0.1], 0.1],
      [[1, 1], 0.5],
    ] as const) {
      await put(emulator, split(...weights));
      const counts = emulator.calls(number, 10_000);
      assert.equal(sum(counts), 10_000);
      assert.ok(Math.abs((counts["agent_b@1"] ?? 0) / 10_000 - share) < 0.02, JSON.stringify(counts));
    }
  });

  it("never calls an agent of weight 0, and counts it", async () => {
    const emulator = await start();
    await put(emulator, split(0, 1, 0));
    assert.deepEqual(emulator.calls(number, 100), { "agent_a@1": 0, "agent_b@1": 100, "agent_c@1": 0 });
  });

  it("draws the same for the same seed", async () => {
    const emulator = await start();
    await put(emulator, split(50, 50));
    const first = emulator.calls(number, 1000, { seed: 7 });
    assert.deepEqual(emulator.calls(number, 1000, { seed: 7 }), first);
    assert.notDeepEqual(emulator.calls(number, 1000, { seed: 8 }), first);
  });
});
