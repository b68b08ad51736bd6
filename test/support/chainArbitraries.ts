import * as fc from "fast-check";
import { type Fault, profiles } from "../../emulator";
import { edits, slots } from "./modelProgram";
import type { Change, RunChoice } from "./modelWorld";

/** What may happen to a stack in a random life. */

interface ChainStep {
  readonly changes: readonly Change[];
  readonly run: RunChoice;
}

export interface Chain {
  readonly profile: string;
  readonly isScoped: boolean;
  readonly attempts: number;
  /** How it is seen at the end that nothing is left to do. */
  readonly idle: readonly RunChoice["command"][];
  readonly steps: readonly ChainStep[];
}

/** Platforms on which the programs of the chains can come out as declared; test/faults/profiles.spec.ts has the others. */
const unfit =
  /^(success=false|importError=true|tokenExpiresAfter=1|rateLimit=10|retryAfter=|sizeLimit=|staleAnswers=|unknownNumbers=404)/;
const fitting = Object.keys(profiles).filter((name) => !unfit.test(name));

const slot = fc.constantFrom(...slots);
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("edit" as const), slot, edit: edits }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("remove" as const, "rename", "move"), slot }) },
  { weight: 1, arbitrary: fc.constant({ do: "baseUrl" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("renameAdopting" as const),
      slot: fc.constantFrom("v1" as const, "c1", "c1", "c1"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("settle" as const),
      slot: fc.constantFrom("v1" as const, "c1"),
      how: fc.constantFrom("look" as const, "retry"),
    }),
  },
);

/** Quick ones: a fault that takes a second of time-out costs as much as a hundred that do not. */
const quickFaults: readonly Fault[] = [
  { kind: "refuse" },
  { kind: "resetBeforeRequest" },
  { kind: "resetAfterRequest", applied: true },
  { kind: "resetAfterRequest", applied: false },
  { kind: "resetInHeaders" },
  { kind: "resetInBody" },
  { kind: "truncated" },
  { kind: "chunkedCut" },
  { kind: "invalidJson" },
  { kind: "deepJson", depth: 2000 },
  { kind: "html" },
  { kind: "bom" },
  { kind: "wrongCharset" },
  { kind: "redirect" },
  { kind: "appliedBut500" },
  { kind: "appliedBut500", status: 503 },
  { kind: "noContent" },
  { kind: "switching101" },
  { kind: "earlyHints103" },
  { kind: "garbageStatusLine" },
  { kind: "keepAliveClosed" },
  ...[400, 401, 403, 404, 408, 409, 410, 422, 423, 429, 500, 501, 502, 503, 504].map(
    (status) => ({ kind: "status", status }) as const,
  ),
];
const slowFaults: readonly Fault[] = [
  { kind: "silence", applied: true },
  { kind: "silence" },
  { kind: "slowHeaders", ms: 900 },
  { kind: "contradict", record: { inbound_agents: [{ agent_id: "agent_else", weight: 100 }] } },
];

const faultOf = (kind: fc.Arbitrary<Fault>): fc.Arbitrary<Fault> =>
  fc
    .record({
      kind,
      after: fc.oneof(fc.constant(0), fc.nat({ max: 4 })),
      times: fc.constantFrom(1, 1, 2, Number.POSITIVE_INFINITY),
      operation: fc.constantFrom(
        undefined,
        undefined,
        "assignNumber" as const,
        "addCommunityVoice" as const,
        "createSmsChat" as const,
        "endChat" as const,
      ),
    })
    .map(({ kind, operation, ...when }) => ({ ...kind, ...when, ...(operation !== undefined && { operation }) }));

const quickFault = faultOf(fc.constantFrom(...quickFaults));
const anyFault = faultOf(
  fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom(...quickFaults) },
    { weight: 1, arbitrary: fc.constantFrom(...slowFaults) },
  ),
);

// A provider's process takes as long to start as ten chains take to live.
const kill = fc.record({
  who: fc.oneof(
    { weight: 1, arbitrary: fc.constant("both" as const) },
    { weight: 9, arbitrary: fc.constant("cli" as const) },
  ),
  at: fc.nat({ max: 4 }),
  applied: fc.boolean(),
});
const noKill = fc.constant(undefined);

function runWith(fault: fc.Arbitrary<Fault>, death: fc.Arbitrary<RunChoice["kill"]>): fc.Arbitrary<RunChoice> {
  return fc.record({
    command: fc.oneof(
      { weight: 8, arbitrary: fc.constant("up" as const) },
      { weight: 3, arbitrary: fc.constantFrom("preview" as const, "refresh", "destroy") },
    ),
    continueOnError: fc.boolean(),
    target: fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: slot }),
    faults: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 3, arbitrary: fc.array(fault, { minLength: 1, maxLength: 2 }) },
    ),
    kill: death,
  });
}

const stepWith = (run: fc.Arbitrary<RunChoice>): fc.Arbitrary<ChainStep> =>
  fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 3 }), run });

/** For the small engine: every fault, every death. */
export const chains: fc.Arbitrary<Chain> = fc.record({
  profile: fc.constantFrom("default", ...fitting),
  isScoped: fc.boolean(),
  attempts: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 2),
  idle: fc.constantFrom<Chain["idle"][]>(["preview"], ["preview"], ["preview"], ["preview", "up", "refresh", "up"]),
  steps: fc.array(
    stepWith(runWith(anyFault, fc.oneof({ weight: 11, arbitrary: noKill }, { weight: 1, arbitrary: kill }))),
    { minLength: 1, maxLength: 6 },
  ),
});

/** For the real CLI, each of whose runs takes seconds: few steps, and nothing that waits. test/faults/kills.long.spec.ts kills its processes. */
export const shortChains: fc.Arbitrary<Chain> = fc.record({
  profile: fc.constantFrom("default", ...fitting),
  isScoped: fc.boolean(),
  attempts: fc.constant(1),
  idle: fc.constantFrom<Chain["idle"][]>(["preview"], ["preview"], ["refresh", "up"]),
  steps: fc.array(stepWith(runWith(quickFault, noKill)), { minLength: 1, maxLength: 3 }),
});
