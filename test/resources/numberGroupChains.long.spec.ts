import assert from "node:assert/strict";
import fc from "fast-check";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { Fault } from "../../emulator";
import { numbersOf } from "../../provider/core/numberList";
import { clearedNumbers } from "../../provider/core/plan";
import { type GroupState, unappliedOf } from "../../provider/core/state";
import type { Declaration } from "../support/miniEngine";
import { type GroupStack, group, groupStack, keepProviders, many, single, split, splitOf } from "./groupSupport";

const numbers = many(100);

interface Step {
  readonly weights: readonly [number, number];
  readonly hook: boolean;
  /** Which numbers are in the group, by index; never none. */
  readonly from: number;
  readonly to: number;
  /** One number in 100 meets it, whatever is sent to it. */
  readonly fault: { number: number; kind: Fault["kind"] | "404" | "422" | "503" } | undefined;
  /** The provider is killed when so many requests have arrived. */
  readonly killAt: number | undefined;
}

const faultKinds = [
  "404",
  "422",
  "503",
  "resetBeforeRequest",
  "resetAfterRequest",
  "resetInHeaders",
  "truncated",
  "invalidJson",
  "html",
  "appliedBut500",
  "redirect",
] as const;

const step = fc.record<Step>({
  weights: fc.constantFrom([90, 10] as const, [50, 50] as const, [1, 99] as const),
  hook: fc.boolean(),
  // Five may leave in one run.
  from: fc.integer({ min: 0, max: 2 }),
  to: fc.integer({ min: 97, max: 100 }),
  fault: fc.option(fc.record({ number: fc.nat(99), kind: fc.constantFrom(...faultKinds) }), { nil: undefined }),
  killAt: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined, freq: 3 }),
});

describe("a NumberGroup through random lifecycles", () => {
  keepProviders();
  let stack: GroupStack;
  beforeEach(async () => {
    stack = await groupStack();
  });
  afterEach(() => stack.close());

  let kills = 0;
  const program = ({ weights, hook, from, to }: Step) => [
    group(numbers.slice(from, to), {
      inboundAgents: split(...weights),
      ...(hook ? { inboundWebhookUrl: "https://hook.example/x" } : {}),
      triggers: [kills],
    }),
  ];

  function inject({ fault }: Step): void {
    if (fault === undefined) {
      return;
    }
    const { kind } = fault;
    const filter = { number: numbers[fault.number] ?? "", times: Number.POSITIVE_INFINITY };
    const status = Number(kind);
    stack.platform.inject(
      Number.isNaN(status)
        ? ({ ...filter, kind } as Fault)
        : { ...filter, kind: "status", status, body: { error: "no" } },
    );
  }

  async function runOnce(one: Step): Promise<void> {
    inject(one);
    const from = stack.platform.requests.length;
    const run = stack.up(program(one));
    if (one.killAt !== undefined) {
      await Promise.race([run, stack.platform.waitForRequests(from + one.killAt)]);
      await stack.kill();
    }
    const { failures } = await run;
    stack.platform.clearFaults();
    if (one.killAt === undefined) {
      return failures.length === 0 ? undefined : assertOnlyMissing(one);
    }
    // Nothing of the run was saved: the same program has to run once more before another one may.
    kills += 1;
    assert.deepEqual((await stack.up(program(one))).failures, []);
  }

  /** What the state says is missing is what the next run sends, and no more. */
  async function assertOnlyMissing(one: Step): Promise<void> {
    const states = stack.engine.state.map(({ outputs }) => outputs as unknown as GroupState);
    const originals = states.filter((_, index) => stack.engine.state[index]?.delete);
    const [live] = states.filter((_, index) => !stack.engine.state[index]?.delete);
    const missing = [...(live === undefined ? [] : unappliedOf(live).keys())];
    const kept = new Set(live === undefined ? [] : numbersOf(live.numbers));
    const leaving = originals.flatMap(clearedNumbers).filter((number) => !kept.has(number));
    if (missing.length + leaving.length === 0) {
      return;
    }
    stack.sent();
    assert.deepEqual((await stack.up(program(one))).failures, []);
    assert.deepEqual([...new Set(stack.sent())].sort(), [...new Set([...missing, ...leaving])].sort());
  }

  function assertDeclared(one: Step): void {
    for (const [index, number] of numbers.entries()) {
      const isIn = index >= one.from && index < one.to;
      assert.equal(splitOf(stack.platform, number), isIn ? one.weights.join("/") : "", number);
      assert.equal(
        stack.platform.routing(number)?.inboundWebhookUrl,
        isIn && one.hook ? "https://hook.example/x" : undefined,
        number,
      );
    }
  }

  it("converges to what is declared, sends only what is missing, and then nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 3 }), async (steps) => {
        for (const one of steps) {
          await runOnce(one);
        }
        const last = steps.at(-1) as Step;
        await stack.up(program(last));
        assert.deepEqual((await stack.up(program(last))).failures, []);
        assertDeclared(last);
        const settled = stack.platform.requests.length;
        assert.deepEqual((await stack.up(program(last))).steps, [{ op: "same", name: "emea" }]);
        assert.equal(stack.platform.requests.length, settled);
        await stack.destroy();
        for (const number of numbers) {
          assert.equal(splitOf(stack.platform, number), "");
        }
      }),
      { numRuns: 8, verbose: true, endOnFailure: true },
    );
  });
});

describe("a number that moves at random between declarations", () => {
  keepProviders();
  let stack: GroupStack;
  beforeEach(async () => {
    stack = await groupStack({}, { "agent-platform:maxRemove": 1000 });
  });
  afterEach(() => stack.close());

  it("ends where the last program has it, whatever came between", async () => {
    const holder = fc.constantFrom("emea", "amer", "single", "nobody");
    const program = fc.record({
      holders: fc.tuple(holder, holder, holder),
      // One number that never moves keeps the groups from being empty.
      weights: fc.constantFrom<[number, number]>([90, 10], [50, 50]),
      isReversed: fc.boolean(),
    });
    type Program = typeof program extends fc.Arbitrary<infer Value> ? Value : never;
    const movers = many(3, 100);
    const declarations = ({ holders, weights, isReversed }: Program): Declaration[] => {
      const held = (name: string) => movers.filter((_, index) => holders[index] === name);
      const args = { inboundAgents: split(...weights) };
      const declared = [
        group(["4001", ...held("emea")], args, "emea"),
        group(["4002", ...held("amer")], args, "amer"),
        ...held("single").map((number) => single(number, args)),
      ];
      return isReversed ? declared.reverse() : declared;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(program, { minLength: 2, maxLength: 5 }), async (programs) => {
        await stack.destroy();
        for (const next of programs) {
          const declared = declarations(next);
          assert.deepEqual((await stack.up(declared)).failures, []);
          const settled = stack.platform.requests.length;
          const again = await stack.up(declared);
          assert.ok(again.steps.every(({ op }) => op === "same"));
          assert.equal(stack.platform.requests.length, settled);
          for (const [index, number] of movers.entries()) {
            const expected = next.holders[index] === "nobody" ? "" : next.weights.join("/");
            assert.equal(splitOf(stack.platform, number), expected);
          }
        }
      }),
      { numRuns: 25, verbose: true },
    );
  });
});
