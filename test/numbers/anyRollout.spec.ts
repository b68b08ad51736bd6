import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import { splitOf as splitOfRollout } from "../../provider/routing/rollout";
import { percentages, type Split, shift } from "../../provider/routing/split";
import type { Rollout } from "../../provider/routing/types";
import { type Change, dryStack, type Fates } from "./dryStack";

/** What holds for every rollout under every guard, whatever becomes of its requests. A failure prints seed and path. */

const NUMBERS = ["4001", "4002"] as const;
const [a1, a2, a3, typo] = ["agent_a@1", "agent_a@2", "agent_a@3", "agent_typo@9"] as const;

/** What becomes of a request, and does the platform act on it? */
const FATES = {
  applied: { became: "applied", acts: true },
  refused: { became: "rejected", acts: false },
  lostBefore: { became: "unknown", acts: false },
  lostAfter: { became: "unknown", acts: true },
  notSent: { became: "not sent", acts: false },
} as const;
type Fate = keyof typeof FATES;

const change: fc.Arbitrary<Change> = fc.oneof(
  fc
    .record({
      stable: fc.constantFrom(a1, a2, typo),
      percent: fc.constantFrom(0, 10, 50, 100),
      candidate: fc.constant(a3),
    })
    .map((rollout) => ({ rollout })),
  fc.constantFrom(0, 10, 50, 100).map((percent) => ({ rollout: { stable: a1, candidate: a2, percent } })),
  fc.constantFrom(a1, a2, typo).map((stable) => ({ rollout: { stable } })),
  fc.constantFrom("2026-11-24T10:00:00Z", "2026-11-24T11:00:00Z").map((at) => ({
    rollout: { stable: a1, candidate: a2, percent: 0, aborted: { agent: a2, percent: 10, at } },
  })),
  fc.constantFrom(a1, a2).map((agent) => ({ inboundAgents: { [agent]: 1 } })),
);
const fates = fc.tuple(
  fc.constantFrom<Fate>(...(Object.keys(FATES) as Fate[])),
  fc.constantFrom<Fate>("applied", "lostAfter", "refused"),
);
const runs = fc.array(fc.tuple(change, fates), { minLength: 1, maxLength: 6 });
const guards = fc.constantFrom<object>(
  {},
  { maxShift: 20 },
  { maxShift: 50 },
  { steps: [10, 50, 100] },
  { approvedAgents: [a1, a2, a3] },
);

/** The calls that callers of each number have, and have had. */
function newCallers() {
  const calls = new Map<string, Split>(NUMBERS.map((number) => [number, {}]));
  const had = new Set<string>();
  const text = (split: Split) => JSON.stringify(percentages(split));
  return {
    of: (number: string): Split => calls.get(number) ?? {},
    hasHad: (split: Split) => had.has(text(split)),
    give(number: string, split: Split): void {
      calls.set(number, split);
      had.add(text(split));
    },
  };
}

/** Lives through the runs that no guard refuses. `judge` sees each before its requests. */
function liveThrough(
  settings: object,
  all: readonly (readonly [Change, readonly [Fate, Fate]])[],
  judge: (change: Change, stack: ReturnType<typeof dryStack>, callers: ReturnType<typeof newCallers>) => void,
) {
  const stack = dryStack(settings as never);
  const callers = newCallers();
  for (const [next, became] of all) {
    if (stack.refused(next).length > 0) {
      continue;
    }
    judge(next, stack, callers);
    const fates = Object.fromEntries(NUMBERS.map((number, index) => [number, became[index] ?? "applied"]));
    const results = Object.fromEntries(Object.entries(fates).map(([number, fate]) => [number, FATES[fate].became]));
    for (const number of stack.run([next], results as Fates)) {
      if (FATES[fates[number] as Fate].acts) {
        callers.give(number, stack.state().inboundAgents ?? {});
      }
    }
  }
  return { stack, callers };
}

describe("any rollout", () => {
  const splitOf = ({ rollout, inboundAgents = {} }: Change): Split =>
    rollout === undefined ? inboundAgents : splitOfRollout(rollout as unknown as Rollout);

  it("never shifts more calls than maxShift except in a rollback", () =>
    fc.assert(
      fc.property(fc.constantFrom(20, 50), runs, (maxShift, all) => {
        liveThrough({ maxShift }, all, (next, stack, callers) => {
          const wanted = splitOf(next);
          const last = stack.state().rollout?.stable;
          const isStable = last !== undefined && Object.keys(wanted).join() === last;
          for (const number of NUMBERS) {
            const before = callers.of(number);
            const isMoved = Object.keys(before).length > 0 && !isStable && !callers.hasHad(wanted);
            assert.ok(!isMoved || shift(before, wanted) <= maxShift, `${number}: ${JSON.stringify([before, wanted])}`);
          }
        });
      }),
      { numRuns: 200 },
    ));

  it("never routes calls to an unapproved agent", () =>
    fc.assert(
      fc.property(runs, (all) => {
        liveThrough({ approvedAgents: [a1, a2, a3] }, all, (next) =>
          assert.equal(splitOf(next)[typo], undefined, `${typo} gets calls`),
        );
      }),
      { numRuns: 200 },
    ));

  it("returns every number to the stable agent after an abort", () => {
    let heard = 0;
    fc.assert(
      fc.property(guards, runs, (settings, all) => {
        const { stack } = liveThrough(settings, all, () => undefined);
        const { rollout } = stack.state();
        if (rollout?.candidate === undefined) {
          return;
        }
        heard += 1;
        const aborted = { agent: rollout.candidate, percent: rollout.percent, at: "2026-11-25T10:00:00Z" };
        const { name: _, ...entry } = rollout;
        assert.deepEqual(stack.run([{ rollout: { ...entry, percent: 0, aborted } }]), NUMBERS);
        assert.deepEqual(stack.state().inboundAgents, { [rollout.stable]: 100 });
      }),
      { numRuns: 200 },
    );
    assert.ok(heard >= 50, `${heard} of 200 had a candidate to abort`);
  });

  it("sends no requests when a successful run is repeated", () =>
    fc.assert(
      fc.property(guards, runs, (settings, all) => {
        const { stack, callers } = liveThrough(settings, all, () => undefined);
        const [last] = all.findLast(([next]) => stack.refused(next).length === 0) ?? [];
        if (last === undefined) {
          return;
        }
        for (const number of stack.run([last])) {
          callers.give(number, stack.state().inboundAgents ?? {});
        }
        for (const number of NUMBERS) {
          assert.deepEqual(percentages(callers.of(number)), percentages(splitOf(last)));
        }
        assert.deepEqual([stack.state().unapplied, stack.run([last])], [undefined, []]);
      }),
      { numRuns: 200 },
    ));
});
