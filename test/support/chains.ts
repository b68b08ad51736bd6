import assert from "node:assert/strict";
import * as fc from "fast-check";
import { type Fault, type Profile, profiles } from "../../emulator";
import type { Run } from "./miniEngine";
import { createProviders, type Providers } from "./miniEngineProviders";
import { judgeNumbers, judgePosted, judgeRun } from "./modelOracle";
import { edits, slots } from "./modelProgram";
import { type Change, createWorld, type RunChoice, type World } from "./modelWorld";

/** Random lives of a stack (faults.md section 3, properties 7 to 14), at the level of the real provider process. */

export interface ChainStep {
  readonly changes: readonly Change[];
  readonly run: RunChoice;
}

export interface Chain {
  readonly profile: string;
  readonly isScoped: boolean;
  readonly retries: number;
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

const fault: fc.Arbitrary<Fault> = fc
  .record({
    kind: fc.oneof(
      { weight: 60, arbitrary: fc.constantFrom(...quickFaults) },
      { weight: 1, arbitrary: fc.constantFrom(...slowFaults) },
    ),
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

const kill = fc.record({
  who: fc.constantFrom("provider" as const, "cli", "cli", "cli"),
  at: fc.nat({ max: 4 }),
  applied: fc.boolean(),
});

const run: fc.Arbitrary<RunChoice> = fc.record({
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
  kill: fc.oneof({ weight: 11, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: kill }),
});

const step = fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 3 }), run });

export const chains: fc.Arbitrary<Chain> = fc.record({
  profile: fc.constantFrom("default", ...fitting),
  isScoped: fc.boolean(),
  retries: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 2),
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
});

const calmRun = (command: RunChoice["command"]): RunChoice => ({
  command,
  continueOnError: true,
  target: undefined,
  faults: [],
  kill: undefined,
});

/** Lives one chain, and throws where something that must hold does not. */
export async function liveChain(
  providers: Providers,
  chain: Chain,
  trace?: (line: string) => void,
): Promise<{ requests: number }> {
  const { profile } = chain;
  const onProfile: Partial<Profile> = profiles[profile as keyof typeof profiles];
  const needsScope = onProfile.requiredFields !== undefined && onProfile.requiredFields !== "none";
  // One that answers with another account than was declared is refused for ever, and rightly so.
  const isScoped = (chain.isScoped && onProfile.answerAccount !== "different") || needsScope;
  const world = await createWorld(providers, { ...chain, onProfile, isScoped, trace });
  try {
    for (const { changes, run } of chain.steps) {
      for (const one of changes) world.change(one);
      await perform(world, run);
    }
    await converge(world);
    await destroy(world);
    return { requests: world.requestCount() };
  } finally {
    await world.close();
  }
}

async function perform(world: World, choice: RunChoice): Promise<Run | undefined> {
  const before = world.requestCount();
  const result = await world.run(choice);
  // Property 14, and refresh has no endpoint to ask.
  if (choice.command === "preview" || choice.command === "refresh") {
    assert.equal(world.requestCount(), before, `${choice.command} sent something`);
  }
  judgeRun(world, result);
  return result;
}

/** The faults are over: at most two `up` come to what is declared, and then nothing is sent any more. */
async function converge(world: World): Promise<void> {
  world.calm();
  const first = await perform(world, calmRun("up"));
  forgetElsewhere(world, first);
  adoptWhatIsThere(world, first);
  const second = first?.isOk ? first : await perform(world, calmRun("up"));
  assert.deepEqual(second?.failures, [], "the second `up` without faults fails");
  judgeNumbers(world);
  judgePosted(world);
  for (const command of ["preview", "up", "refresh", "up"] as const) {
    const before = world.requestCount();
    const again = await perform(world, calmRun(command));
    assert.deepEqual(again?.failures, []);
    assert.equal(world.requestCount(), before, `${command} without a change sent something`);
    if (command === "refresh") continue;
    // An unresolved entry is updated for ever, which sends nothing (design 5.2).
    const open = new Set(world.engine.state.filter(({ outputs }) => outputs.unresolved).map(({ name }) => name));
    const changed = again?.steps.filter(({ op, name }) => op !== "same" && !open.has(name));
    assert.deepEqual(changed, [], `${command} without a change has steps`);
  }
}

/** What a message says belongs to another platform cannot be deleted from here; the message names `pulumi state delete`. */
function forgetElsewhere(world: World, result: Run | undefined): void {
  for (const { name, message } of result?.failures ?? []) if (message.includes("AGP-060")) world.forget(name);
}

/** A platform that takes a voice once only says that it is there: the operator looks it up and adopts it. */
function adoptWhatIsThere(world: World, result: Run | undefined): void {
  for (const { message } of result?.failures ?? []) if (message.includes("already in the library")) world.adoptVoice();
}

async function destroy(world: World): Promise<void> {
  const first = await perform(world, calmRun("destroy"));
  forgetElsewhere(world, first);
  assert.deepEqual(world.engine.state, [], "destroy leaves something in the state");
  for (const slot of slots) world.change({ do: "remove", slot });
  judgeNumbers(world);
  judgePosted(world);
}

export interface ChainsOptions {
  readonly runs: number;
  readonly seed: number;
  /** Chains under way at once, each with provider processes of its own. */
  readonly workers?: number;
  /** Draws no further chains after so many seconds. */
  readonly seconds?: number;
  /** Of a chain that failed. */
  readonly path?: string;
  /** Look for the smallest chain that fails in the same way? @default true */
  readonly shrinks?: boolean;
  readonly trace?: (line: string) => void;
}

export interface ChainsResult {
  readonly chains: number;
  readonly requests: number;
  readonly seconds: number;
  /** With seed and path, fit to live the chain again. */
  readonly failures: readonly string[];
}

/** Lives random chains; a worker stops at its first failure. */
export async function runChains(options: ChainsOptions): Promise<ChainsResult> {
  const { runs, workers = 6 } = options;
  const started = performance.now();
  const total = { chains: 0, requests: 0 };
  const failures = await Promise.all(
    Array.from({ length: workers }, (_, index) =>
      runWorker({ ...options, seed: options.seed + index, runs: Math.ceil(runs / workers) }, total),
    ),
  );
  const seconds = (performance.now() - started) / 1000;
  return { ...total, seconds, failures: failures.filter((failure) => failure !== undefined) };
}

async function runWorker(
  { runs, seed, seconds, path, shrinks = true, trace }: ChainsOptions,
  total: { chains: number; requests: number },
): Promise<string | undefined> {
  const providers = createProviders();
  const property = fc.asyncProperty(chains, async (chain) => {
    total.requests += (await liveChain(providers, chain, trace)).requests;
    total.chains += 1;
  });
  try {
    const details = await fc.check(property, {
      seed,
      numRuns: runs,
      endOnFailure: !shrinks,
      ...(path !== undefined && { path }),
      ...(seconds !== undefined && { interruptAfterTimeLimit: seconds * 1000 }),
    });
    if (!details.failed) return undefined;
    const where = `--seed ${details.seed} --path "${details.counterexamplePath}"`;
    const cause = details.errorInstance instanceof Error ? details.errorInstance.stack : String(details.errorInstance);
    return `${where}\n${JSON.stringify(details.counterexample?.[0])}\n${cause}`;
  } finally {
    await providers.close();
  }
}
