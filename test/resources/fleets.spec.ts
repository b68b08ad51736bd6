import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { Declaration } from "../support/miniEngine";
import { type MiniStack, startMiniStack } from "../support/miniStack";
import { many, splits } from "./groupSupport";

/** A group of 60 in which some numbers never work. The platform's store says who has what. */
describe("a fleet with numbers that never work", () => {
  let stack: MiniStack;
  beforeEach(async () => {
    stack = await startMiniStack();
  });
  afterEach(() => stack.close());

  const fleet = many(60);
  const program: Declaration[] = [{ name: "emea", kind: "numberGroup", args: { numbers: fleet, rollout: "front" } }];
  const rollout = (entry: object) => {
    stack.config["agent-platform:rollouts"] = JSON.stringify({ front: { stable: "agent_old@1", ...entry } });
  };
  const candidate = (percent: number) => rollout({ candidate: "agent_new@1", percent });
  const abort = () => rollout({ aborted: { agent: "agent_new@1", percent: 10, at: "2026-11-25T10:00:00Z" } });
  /** Of these numbers, now and for ever. */
  const refuse = (indexes: readonly number[], status: number) => {
    for (const index of indexes) {
      stack.emulator.inject({
        operation: "assignNumber",
        kind: "status",
        status,
        number: fleet[index] ?? "",
        body: { error: "cancelled" },
        times: Number.POSITIVE_INFINITY,
      });
    }
  };
  async function up() {
    stack.sent();
    const { isOk, failures } = await stack.up(program);
    return { isOk, message: failures[0]?.message ?? "", sent: stack.sent().length, has: splits(stack.emulator, fleet) };
  }
  async function begin(percent: number) {
    candidate(percent);
    assert.ok((await up()).isOk);
  }
  const Front = [0, 1, 2];

  it("an abort reaches every other number if the first three are refused", async () => {
    await begin(10);
    refuse(Front, 422);
    abort();
    const { sent, has, isOk } = await up();
    assert.deepEqual([sent, has, isOk], [60, { "10/90": 3, "100": 57 }, false]);
    const next = await up();
    assert.deepEqual([next.sent, next.has, next.isOk], [3, { "10/90": 3, "100": 57 }, false]);
  });

  it("an abort reaches every other number if one of them gets a 403", async () => {
    await begin(10);
    refuse([30], 403);
    abort();
    const { sent, has } = await up();
    assert.deepEqual([sent, has], [60, { "10/90": 1, "100": 59 }]);
  });

  it("an abort reaches every other number if more in a row than stop a change get a server error", async () => {
    await begin(10);
    refuse([...Array(40).keys()], 501);
    abort();
    assert.deepEqual((await up()).has, { "10/90": 40, "100": 20 });
  });

  for (const [what, bad, status] of [
    ["the first three are refused", Front, 422],
    ["one of them gets a 403", [22], 403],
  ] as const) {
    it(`a step reaches every other number within three runs if ${what}`, async () => {
      await begin(10);
      refuse(bad, status);
      candidate(50);
      let last = await up();
      for (const _ of [2, 3]) {
        last = await up();
      }
      assert.deepEqual(last.has, { "10/90": bad.length, "50/50": 60 - bad.length });
    });
  }

  it("a first assignment reaches every other number within three runs if the first three are refused", async () => {
    refuse(Front, 422);
    candidate(10);
    await up();
    await up();
    assert.deepEqual((await up()).has, { "": 3, "10/90": 57 });
  });

  it("a return by hand reaches every other number if the first three are refused", async () => {
    await begin(10);
    refuse(Front, 422);
    candidate(0);
    assert.deepEqual((await up()).has, { "10/90": 3, "100": 57 });
  });

  it("a change is refused by three different numbers before it stops, and then others are tried", async () => {
    await begin(10);
    refuse([0, 1, 2, 3], 422);
    candidate(50);
    assert.deepEqual((await up()).sent, 3);
    assert.deepEqual((await up()).has, { "10/90": 4, "50/50": 56 });
  });

  for (const ignored of [["rollout"], ["rollout", "inboundAgents", "numbers"]]) {
    it(`an abort goes through ignoreChanges: ${JSON.stringify(ignored)}, and a step does not`, async () => {
      await begin(10);
      const keeping = program.map((one) => ({ ...one, ignoreChanges: ignored }));
      candidate(50);
      stack.sent();
      await stack.up(keeping);
      assert.deepEqual([stack.sent().length, splits(stack.emulator, fleet)], [0, { "10/90": 60 }]);
      abort();
      assert.ok((await stack.up(keeping)).isOk);
      assert.deepEqual([stack.sent().length, splits(stack.emulator, fleet)], [60, { "100": 60 }]);
      assert.ok((await stack.up(keeping)).isOk);
      assert.equal(stack.sent().length, 0);
    });
  }
});
