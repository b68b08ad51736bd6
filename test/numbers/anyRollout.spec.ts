import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import { splitOf as splitOfRollout } from "../../provider/routing/rollout";
import { percentages, type Split, shift } from "../../provider/routing/split";
import type { Rollout } from "../../provider/routing/types";
import { type Change, dryStack, type Fates } from "./dryStack";

/**
 * Property-based tests that run random rollouts in which some requests fail. A failing test prints the seed and path
 * that reproduce it.
 */

const NUMBERS = ["4001", "4002"] as const;
const [a1, a2, a3, typo] = ["agent_a@1", "agent_a@2", "agent_a@3", "agent_typo@9"] as const;

/**
 * The possible outcomes of a request: what the provider records, and whether the platform actually applied the request.
 */
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

/** Tracks each number's current split on the platform, and every split that any number has had. */
function trackCallers() {
  const splits = new Map<string, Split>(NUMBERS.map((number) => [number, {}]));
  const everySplit = new Set<string>();
  const keyOf = (split: Split) => JSON.stringify(percentages(split));
  return {
    current: (number: string): Split => splits.get(number) ?? {},
    wasAssigned: (split: Split) => everySplit.has(keyOf(split)),
    assign(number: string, split: Split): void {
      splits.set(number, split);
      everySplit.add(keyOf(split));
    },
  };
}

/**
 * Runs the changes one after the other, skipping those that a guard refuses.
 * @param history the changes, each with the outcomes of the requests for the two numbers
 * @param beforeRun called before each run that isn't refused
 */
function runAllowed(
  settings: object,
  history: readonly (readonly [Change, readonly [Fate, Fate]])[],
  beforeRun: (change: Change, stack: ReturnType<typeof dryStack>, callers: ReturnType<typeof trackCallers>) => void,
) {
  const stack = dryStack(settings as never);
  const callers = trackCallers();
  for (const [next, outcomes] of history) {
    if (stack.refused(next).length > 0) {
      continue;
    }
    beforeRun(next, stack, callers);
    const fates = Object.fromEntries(NUMBERS.map((number, index) => [number, outcomes[index] ?? "applied"]));
    const results = Object.fromEntries(Object.entries(fates).map(([number, fate]) => [number, FATES[fate].became]));
    for (const number of stack.run([next], results as Fates)) {
      if (FATES[fates[number] as Fate].acts) {
        callers.assign(number, stack.state().inboundAgents ?? {});
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
      fc.property(fc.constantFrom(20, 50), runs, (maxShift, history) => {
        runAllowed({ maxShift }, history, (next, stack, callers) => {
          const declared = splitOf(next);
          const savedStable = stack.state().rollout?.stable;
          const isStable = savedStable !== undefined && Object.keys(declared).join() === savedStable;
          for (const number of NUMBERS) {
            const before = callers.current(number);
            const isMoved = Object.keys(before).length > 0 && !isStable && !callers.wasAssigned(declared);
            assert.ok(
              !isMoved || shift(before, declared) <= maxShift,
              `${number}: ${JSON.stringify([before, declared])}`,
            );
          }
        });
      }),
      { numRuns: 200 },
    ));

  it("never routes calls to an unapproved agent", () =>
    fc.assert(
      fc.property(runs, (history) => {
        runAllowed({ approvedAgents: [a1, a2, a3] }, history, (next) =>
          assert.equal(splitOf(next)[typo], undefined, `${typo} receives calls`),
        );
      }),
      { numRuns: 200 },
    ));

  it("returns every number to the stable agent after an abort", () => {
    let abortCount = 0;
    fc.assert(
      fc.property(guards, runs, (settings, history) => {
        const { stack } = runAllowed(settings, history, () => undefined);
        const { rollout } = stack.state();
        if (rollout?.candidate === undefined) {
          return;
        }
        abortCount += 1;
        const aborted = { agent: rollout.candidate, percent: rollout.percent, at: "2026-11-25T10:00:00Z" };
        const { name: _, ...entry } = rollout;
        assert.deepEqual(stack.run([{ rollout: { ...entry, percent: 0, aborted } }]), NUMBERS);
        assert.deepEqual(stack.state().inboundAgents, { [rollout.stable]: 100 });
      }),
      { numRuns: 200 },
    );
    assert.ok(abortCount >= 50, `only ${abortCount} of 200 rollouts had a candidate to abort`);
  });

  it("sends no requests when a successful run is repeated", () =>
    fc.assert(
      fc.property(guards, runs, (settings, history) => {
        const { stack, callers } = runAllowed(settings, history, () => undefined);
        const [last] = history.findLast(([next]) => stack.refused(next).length === 0) ?? [];
        if (last === undefined) {
          return;
        }
        for (const number of stack.run([last])) {
          callers.assign(number, stack.state().inboundAgents ?? {});
        }
        for (const number of NUMBERS) {
          assert.deepEqual(percentages(callers.current(number)), percentages(splitOf(last)));
        }
        assert.deepEqual([stack.state().unapplied, stack.run([last])], [undefined, []]);
      }),
      { numRuns: 200 },
    ));
});
