import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import { counted } from "../../provider/words/message";
import type { Declaration } from "../support/miniEngine";
import { type MiniStack, startMiniStack } from "../support/miniStack";
import { many, splits } from "./groupSupport";

/** A group of 60 in which some numbers never work. The platform's store says who has what. */
describe("a group with numbers that never work", () => {
  let stack: MiniStack;
  beforeEach(async () => {
    stack = await startMiniStack();
  });
  afterEach(() => stack.close());

  const all = many(60);
  const program: Declaration[] = [{ name: "emea", kind: "numberGroup", args: { numbers: all, rollout: "front" } }];
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
        number: all[index] ?? "",
        body: { error: "cancelled" },
        times: "always",
      });
    }
  };
  async function up() {
    stack.sent();
    const { isOk } = await stack.up(program);
    return { isOk, sent: stack.sent().length, has: splits(stack.emulator, all) };
  }
  async function begin(percent: number) {
    candidate(percent);
    assert.ok((await up()).isOk);
  }

  /** Numbers that never work, and what they get. A 401 and a 429 might concern every request, but are of these numbers alone. */
  interface Row {
    readonly name: string;
    readonly bad: readonly number[];
    readonly status: number;
    readonly headers?: object;
  }
  const every4th = [...all.keys()].filter((index) => index % 4 === 0);
  const busy = { status: 429, headers: { "Retry-After": "120" } };
  const threeRefused: Row = { name: "the first three are refused", bad: [0, 1, 2], status: 422 };

  const aborts: readonly Row[] = [
    threeRefused,
    { name: "one gets a 403", bad: [30], status: 403 },
    { name: "40 in a row get a server error", bad: [...Array(40).keys()], status: 501 },
    { name: "the first twelve get a 401", bad: [...Array(12).keys()], status: 401 },
    { name: "each fourth gets a 429 for two minutes", bad: every4th, ...busy },
  ];
  for (const { name, bad, status, headers } of aborts) {
    it(`an abort reaches every other number in one run if ${name}`, async () => {
      await begin(10);
      refuse(bad, status, headers);
      abort();
      const has = { "10/90": bad.length, "100": 60 - bad.length };
      for (const sent of [60, bad.length]) {
        assert.deepEqual(await up(), { has, sent, isOk: false });
      }
    });
  }

  const steps: readonly (Row & { readonly runs: number })[] = [
    { name: "the first two get a 401", bad: [0, 1], status: 401, runs: 1 },
    { name: "one in the middle gets a 429 for two minutes", bad: [21], ...busy, runs: 1 },
    { name: "one gets a 403", bad: [22], status: 403, runs: 1 },
    { name: "the first three get a 401", bad: [0, 1, 2], status: 401, runs: 2 },
    { ...threeRefused, runs: 2 },
  ];
  for (const { name, bad, status, headers, runs } of steps) {
    it(`a step reaches every other number within ${counted(runs, "run")} if ${name}`, async () => {
      await begin(10);
      refuse(bad, status, headers);
      candidate(50);
      for (let run = 1; run < runs; run += 1) {
        await up();
      }
      assert.deepEqual((await up()).has, { "10/90": bad.length, "50/50": 60 - bad.length });
    });
  }

  for (const [name, guards] of [
    ["moves more than maxShift", { "agent-platform:maxShift": 20 }],
    ["was saved before a freeze", { "agent-platform:freeze": "audit" }],
  ] as const) {
    it(`an abort is sent after a refresh if what is saved ${name}`, async () => {
      await begin(10);
      refuse([30], 422);
      for (const percent of [30, 50]) {
        candidate(percent);
        assert.equal((await up()).isOk, false);
      }
      // A refresh has the config of the last run.
      Object.assign(stack.config, guards);
      await stack.up(program);
      stack.emulator.clearFaults();
      stack.sent();
      assert.deepEqual((await stack.refresh()).failures, []);
      assert.deepEqual(stack.sent(), []);
      delete stack.config["agent-platform:freeze"];
      abort();
      assert.deepEqual(await up(), { isOk: true, sent: 60, has: { "100": 60 } });
    });
  }

  it("an abort with a rejected token sends one request for each number, and the next run sends them again", async () => {
    await begin(10);
    refuse([...all.keys()], 401);
    abort();
    for (const _ of [1, 2]) {
      assert.deepEqual(await up(), { isOk: false, sent: 60, has: { "10/90": 60 } });
    }
    stack.emulator.clearFaults();
    assert.deepEqual((await up()).has, { "100": 60 });
  });

  it("an abort stops after 32 numbers in a row without a response, and the next run begins with the others", async () => {
    await begin(10);
    for (const index of Array(48).keys()) {
      const number = all[index] ?? "";
      stack.emulator.inject({ kind: "reset", applied: false, number, times: "always" });
    }
    abort();
    stack.sent();
    await stack.up(program);
    const first = new Set(stack.sent());
    assert.ok(first.size >= 32 && first.size < 60, `${first.size} numbers`);
    const next = await up();
    assert.deepEqual(next.has, { "10/90": 48, "100": 12 });
  });

  it("an abort passes numbers with mixed 401, 429 and 403", async () => {
    await begin(10);
    for (const [first, status, headers] of [
      [0, 401, {}],
      [1, 429, { "Retry-After": "120" }],
      [2, 403, {}],
    ] as const) {
      refuse(
        [...all.keys()].filter((index) => index % 5 === first),
        status,
        headers,
      );
    }
    abort();
    assert.deepEqual((await up()).has, { "10/90": 36, "100": 24 });
  });

  it("a first assignment reaches every other number within three runs if the first three are refused", async () => {
    refuse(threeRefused.bad, 422);
    candidate(10);
    await up();
    await up();
    assert.deepEqual((await up()).has, { "": 3, "10/90": 57 });
  });

  it("a return by hand reaches every other number if the first three are refused", async () => {
    await begin(10);
    refuse(threeRefused.bad, 422);
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
      assert.deepEqual([stack.sent().length, splits(stack.emulator, all)], [0, { "10/90": 60 }]);
      abort();
      assert.ok((await stack.up(keeping)).isOk);
      assert.deepEqual([stack.sent().length, splits(stack.emulator, all)], [60, { "100": 60 }]);
      assert.ok((await stack.up(keeping)).isOk);
      assert.equal(stack.sent().length, 0);
    });
  }
});
