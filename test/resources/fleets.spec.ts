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
  const refuse = (indexes: readonly number[], status: number, headers = {}) => {
    for (const index of indexes) {
      stack.emulator.inject({
        operation: "assignNumber",
        kind: "status",
        status,
        headers,
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

  /** Responses that might concern every request, but are of these numbers alone. */
  const Later = () => new Date(Date.now() + 300_000).toUTCString();
  const ofOne = {
    "401": () => [401, {}],
    "429 for two minutes": () => [429, { "Retry-After": "120" }],
    "429 until a date": () => [429, { "Retry-After": Later() }],
  } as const satisfies Record<string, () => readonly [number, object]>;
  const Places = {
    first: [0],
    "in the middle": [21],
    last: [59],
    "the first two": [0, 1],
    "the first twelve": [...Array(12).keys()],
    "many, with others between": [...Array(60).keys()].filter((index) => index % 4 === 0),
  };
  for (const [what, response] of Object.entries(ofOne)) {
    for (const [where, bad] of Object.entries(Places)) {
      it(`an abort reaches every other number in one run if a number gets a ${what}: ${where}`, async () => {
        await begin(10);
        refuse(bad, ...response());
        abort();
        for (const sent of [60, bad.length]) {
          const run = await up();
          assert.deepEqual([run.has, run.sent], [{ "10/90": bad.length, "100": 60 - bad.length }, sent]);
        }
      });
    }

    for (const [where, bad, runs] of [
      ["first", [0], 1],
      ["the first two", [0, 1], 1],
      ["the first three", Front, 2],
      ["in the middle", [21], 1],
    ] as const) {
      it(`a step reaches every other number within two runs if a number gets a ${what}: ${where}`, async () => {
        await begin(10);
        refuse(bad, ...response());
        candidate(50);
        let last = await up();
        for (let run = 1; run < runs; run += 1) {
          last = await up();
        }
        assert.deepEqual(last.has, { "10/90": bad.length, "50/50": 60 - bad.length });
      });
    }
  }

  it("a token that is no good costs few requests, and the next run begins with other numbers", async () => {
    await begin(10);
    refuse([...fleet.keys()], 401);
    abort();
    const sent: string[][] = [];
    for (const _ of [1, 2]) {
      stack.sent();
      await stack.up(program);
      sent.push(stack.sent());
    }
    assert.deepEqual(
      sent.map(({ length }) => length <= 17),
      [true, true],
    );
    assert.deepEqual(
      sent[1]?.filter((number) => sent[0]?.includes(number)),
      [],
    );
    stack.emulator.clearFaults();
    assert.deepEqual((await up()).has, { "100": 60 });
  });

  it("numbers that are refused for different reasons do not keep others waiting", async () => {
    await begin(10);
    for (const [first, status, headers] of [
      [0, 401, {}],
      [1, 429, { "Retry-After": "120" }],
      [2, 403, {}],
    ] as const) {
      refuse(
        [...fleet.keys()].filter((index) => index % 5 === first),
        status,
        headers,
      );
    }
    abort();
    assert.deepEqual((await up()).has, { "10/90": 36, "100": 24 });
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
