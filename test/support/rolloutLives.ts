import assert from "node:assert/strict";
import * as fc from "fast-check";
import { type Emulator, type Fault, startEmulator } from "../../emulator";
import { percentages, type Split } from "../../provider/core/split";
import { type KindOfLife, liveRun, type Stage, type Trouble, token } from "./lives";
import type { Declaration, Engine } from "./miniEngine";
import type { Properties } from "./providerProcess";

/** Random lives of rollouts: promoted, aborted, edited by hand, under guards, with faults and kills. */

const STEPS = [1, 10, 50, 100] as const;
const AGENTS = ["agent_front@1", "agent_front@2", "agent_side", "agent_back@7"] as const;
const NUMBERS = ["+15550000001", "+15550000002", "+15550000003", "+15550000004"] as const;
const SPLITS: readonly Split[] = [
  { "agent_front@1": 100 },
  { "agent_front@1": 60, "agent_front@2": 40 },
  { "agent_front@2": 90, agent_side: 10 },
  { agent_side: 30, "agent_back@7": 70 },
];

interface Rollout {
  readonly stable: string;
  readonly candidate?: string;
  readonly percent?: number;
}

type Edit =
  | { readonly do: "promote" | "abort" | "next" | "webhook" | "join" | "leave" | "move" | "override" }
  | { readonly do: "percent"; readonly percent: number }
  | { readonly do: "candidate" | "stable"; readonly agent: string }
  | { readonly do: "split"; readonly split: Split };

interface Turn extends Trouble {
  readonly edit: Edit;
}

export interface RolloutLife {
  readonly kind: "numberAssignment" | "numberGroup";
  readonly start: Rollout | Split;
  readonly guards: Properties;
  /** Limits that the program sets itself. */
  readonly own: Properties;
  readonly turns: readonly Turn[];
  /** The guards at the time of the abort, and what happens to it. */
  readonly strict: Properties;
  /** Is the stack frozen first? Then nothing but that refuses the abort. */
  readonly isFrozen: boolean;
  readonly abort: readonly (readonly Fault[])[];
}

const agent = fc.constantFrom(...AGENTS);
const percent = fc.constantFrom(0, 1, 5, 10, 25, 50, 99, 100);
const fault: fc.Arbitrary<Fault> = fc
  .record({
    kind: fc.constantFrom<Fault[]>(
      { kind: "status", status: 422 },
      { kind: "status", status: 500 },
      { kind: "resetAfterRequest", applied: true },
      { kind: "resetAfterRequest", applied: false },
      { kind: "refuse" },
    ),
    after: fc.nat({ max: 3 }),
    times: fc.constantFrom(1, 2, Number.POSITIVE_INFINITY),
  })
  .map(({ kind, ...when }) => ({ ...kind, ...when }));
const faults = fc.oneof(
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(fault, { minLength: 1, maxLength: 2 }) },
);

const ofRollout: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("promote" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("abort" as const, "next", "webhook", "join") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("leave" as const, "move", "override") }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("percent" as const), percent }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("candidate" as const, "stable"), agent }) },
);
const byHand: fc.Arbitrary<Edit> = fc.record({ do: fc.constant("split" as const), split: fc.constantFrom(...SPLITS) });

const rollout: fc.Arbitrary<Rollout> = fc
  .record({ pair: fc.shuffledSubarray([...AGENTS], { minLength: 2, maxLength: 2 }), percent })
  .map(({ pair: [stable = "", candidate = ""], percent: part }) => ({ stable, candidate, percent: part }));

const guards = fc.record(
  {
    "agent-platform:steps": fc.constantFrom(JSON.stringify(STEPS), "[5, 25, 100]"),
    "agent-platform:maxShift": fc.constantFrom(10, 25, 60),
    "agent-platform:weightTotal": fc.constantFrom(1, 100, 1000),
    "agent-platform:approvedAgents": fc.constantFrom('["agent_front@1", "agent_front@2"]', '["agent_none@1"]'),
    "agent-platform:maxUnapproved": fc.constantFrom(5, 50),
    "agent-platform:requireVersions": fc.constant("true"),
    "agent-platform:maxRemove": fc.constant(0),
  },
  { requiredKeys: [] },
);
/** Stricter than the stack's guards or looser: an abort waits for neither. */
const own = fc.record(
  { maxShift: fc.constantFrom(1, 10, 80), weightTotal: fc.constantFrom(1, 100, 100) },
  { requiredKeys: [] },
);
const kill = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.record({
      who: fc.constantFrom("cli" as const, "default"),
      at: fc.nat({ max: 2 }),
      applied: fc.boolean(),
    }),
  },
);

const lifeOf = (edit: fc.Arbitrary<Edit>, start: RolloutLife["start"] extends infer S ? fc.Arbitrary<S> : never) =>
  fc.record({
    kind: fc.constantFrom("numberGroup" as const, "numberGroup", "numberAssignment"),
    start,
    guards: fc.oneof(fc.constant({}), guards),
    own: fc.oneof(fc.constant({}), own),
    turns: fc.array(fc.record({ edit, faults, kill }), { minLength: 1, maxLength: 8 }),
    strict: guards,
    isFrozen: fc.boolean(),
    abort: fc.array(faults, { maxLength: 2 }),
  });

/** Rollouts and splits by hand, under any guards. */
const aborts = lifeOf(
  fc.oneof({ weight: 5, arbitrary: ofRollout }, { weight: 1, arbitrary: byHand }),
  fc.oneof(
    { weight: 3, arbitrary: rollout as fc.Arbitrary<Rollout | Split> },
    { weight: 1, arbitrary: fc.constantFrom(...SPLITS) },
  ),
);

/** Rollouts under the guard steps. */
const walks = lifeOf(ofRollout, rollout).map((life) => ({
  ...life,
  guards: { "agent-platform:steps": JSON.stringify(STEPS) },
}));

export const abortLives: KindOfLife<RolloutLife> = { name: "aborts", lives: aborts, live: liveToAbort };
export const walkLives: KindOfLife<RolloutLife> = { name: "walks", lives: walks, live: walkBySteps };

interface World {
  readonly stage: Stage;
  readonly engine: Engine;
  readonly platform: Emulator;
  readonly life: RolloutLife;
  program: Program;
}

interface Program {
  readonly split: Rollout | Split;
  /** Of a group: how many numbers. Of a single number: which one. */
  readonly count: number;
  readonly hasOverride: boolean;
  readonly webhook: string | undefined;
  readonly triggers: number;
}

const isRollout = (split: Rollout | Split): split is Rollout => typeof (split as Rollout).stable === "string";

const numbersOf = ({ kind }: RolloutLife, { count }: Program): readonly string[] =>
  kind === "numberGroup" ? NUMBERS.slice(0, count) : NUMBERS.slice(count - 1, count);

function declarationsOf(life: RolloutLife, program: Program): Declaration[] {
  const { kind, own: limits } = life;
  const { split, webhook, triggers, hasOverride } = program;
  const numbers = numbersOf(life, program);
  const overrides = { [NUMBERS[0]]: { outboundAgentId: "agent_desk" } };
  const args = {
    ...(kind === "numberGroup" ? { numbers } : { number: numbers[0] }),
    ...(kind === "numberGroup" && hasOverride ? { overrides } : {}),
    ...limits,
    ...(isRollout(split) ? { rollout: split } : { inboundAgents: asList(split) }),
    ...(webhook === undefined ? {} : { inboundWebhookUrl: webhook }),
    ...(triggers === 0 ? {} : { triggers: [triggers] }),
  };
  return [{ name: "front", kind, args }];
}

const asList = (split: Split) =>
  Object.entries(split).map(([key, weight]) => {
    const [agentId, version] = key.split("@");
    return { agentId, weight, ...(version !== undefined && { agentVersion: Number(version) }) };
  });

/** What the file says after the edit; undefined where it is none. */
function edited({ split, ...rest }: Program, edit: Edit): Program | undefined {
  if (edit.do === "webhook") {
    return { ...rest, split, webhook: rest.webhook === undefined ? "https://hooks.invalid/in" : undefined };
  }
  if (edit.do === "join" || edit.do === "move") {
    return rest.count < NUMBERS.length ? { ...rest, split, count: rest.count + 1 } : undefined;
  }
  if (edit.do === "leave") {
    return rest.count > 1 ? { ...rest, split, count: rest.count - 1 } : undefined;
  }
  if (edit.do === "override") {
    return { ...rest, split, hasOverride: !rest.hasOverride };
  }
  if (edit.do === "split") {
    return { ...rest, split: edit.split };
  }
  const next = isRollout(split) ? editedRollout(split, edit) : undefined;
  return next === undefined || next.stable === next.candidate ? undefined : { ...rest, split: next };
}

function editedRollout(from: Rollout, edit: Exclude<Edit, { do: "split" }>): Rollout | undefined {
  const { stable, candidate = "agent_back@7", percent: part = 0 } = from;
  switch (edit.do) {
    case "promote":
      return { stable, candidate, percent: STEPS.find((step) => step > part) ?? 100 };
    case "abort":
      return { stable, candidate, percent: 0 };
    case "percent":
      return { stable, candidate, percent: edit.percent };
    case "candidate":
      return { stable, candidate: edit.agent, percent: part };
    case "stable":
      return { stable: edit.agent, candidate, percent: part };
    case "next":
      return {
        stable: candidate,
        candidate: AGENTS[(AGENTS.indexOf(candidate as "agent_side") + 1) % AGENTS.length] ?? "",
        percent: 1,
      };
    default:
      return undefined;
  }
}

const configOf = ({ platform }: Pick<World, "platform">, more: Properties): Properties => ({
  "agent-platform:baseUrl": platform.url,
  "agent-platform:accessToken": platform.token,
  "agent-platform:attempts": 1,
  ...more,
});

const GUARD = /AGP-02\d/;

/** One reviewed change: a preview, and if no guard refuses it an `up`. False where it was refused. */
async function change(world: World, next: Program, guardsNow: Properties, trouble: Trouble): Promise<boolean> {
  const { stage, engine, platform, life } = world;
  const declared = declarationsOf(life, next);
  const configs = { default: configOf(world, guardsNow) };
  const before = platform.requests.length;
  const preview = await engine.preview(declared, { configs });
  assert.equal(platform.requests.length, before, "a preview sent something");
  if (!preview.isOk) {
    assert.match(preview.failures[0]?.message ?? "", /AGP-0(0|2)\d/);
    stage.tally.refused += 1;
    return false;
  }
  world.program = next;
  const { failures, isKilled } = await liveRun(stage, [platform], declared, trouble, (beforeSave) =>
    engine.up(declared, { configs, beforeSave }),
  );
  const refused = failures.find(({ message }) => GUARD.test(message) && !isOfLeaving(message));
  assert.equal(refused, undefined, `refused after its preview: ${refused?.message}`);
  if (isKilled) {
    // The one declared exception: what a killed run has sent is not known, so the runbook sends all of it again.
    world.program = { ...next, triggers: next.triggers + 1 };
  }
  return true;
}

/** Numbers that left in an earlier run and wait for their delete: a limit that was set since then keeps their agents. */
const isOfLeaving = (message: string): boolean => message.startsWith("AGP-024 ");

async function begin(stage: Stage, life: RolloutLife): Promise<World> {
  const platform = await startEmulator({ token });
  const program = { split: life.start, count: 2, webhook: undefined, triggers: 0, hasOverride: false };
  return { stage, engine: stage.machine.engine, platform, life, program };
}

const CALM = { faults: [] };
const callsOf = ({ platform }: World, number: string) =>
  Object.fromEntries(
    Object.entries(percentages(platform.routing(number)?.inboundAgents ?? {})).filter(([, share]) => share > 0),
  );

/** A life that ends with an abort: it is heard, whatever happened before. */
async function liveToAbort(stage: Stage, life: RolloutLife): Promise<void> {
  const world = await begin(stage, life);
  try {
    await change(world, world.program, {}, CALM);
    for (const { edit, ...trouble } of life.turns) {
      const next = edited(world.program, edit);
      if (next !== undefined) {
        await change(world, next, life.guards, trouble);
      }
    }
    await abort(world);
  } finally {
    await world.platform.close();
  }
}

async function abort(world: World): Promise<void> {
  const { stage, life, program } = world;
  const { rollout: saved, previous } = (savedOf(world)?.outputs ?? {}) as {
    rollout?: Rollout;
    previous?: { stable?: Split };
  };
  const split = saved === undefined ? previous?.stable : { ...saved, ...(saved.candidate && { percent: 0 }) };
  if (split === undefined) {
    return;
  }
  stage.tally.aborts += 1;
  // An outbound agent that no run has assigned yet is no part of an abort either: the guards judge it by itself.
  const next = { ...program, split, hasOverride: savedOf(world)?.inputs.overrides !== undefined };
  const strict = isLeaving(world, next) ? { ...life.strict, "agent-platform:maxRemove": NUMBERS.length } : life.strict;
  if (life.isFrozen) {
    await meetFreeze(world, next, strict);
  }
  for (const trouble of [...life.abort.map((one) => ({ faults: one })), CALM]) {
    assert.ok(await change(world, next, strict, trouble), "the abort is refused");
  }
  const wanted = isRollout(split) ? { [split.stable]: 100 } : percentages(split);
  for (const number of numbersOf(life, next)) {
    const calls = callsOf(world, number);
    assert.deepEqual(Object.keys(calls).sort(), Object.keys(wanted).sort(), `${number} has other agents`);
    for (const [key, share] of Object.entries(wanted)) {
      assert.ok(Math.abs((calls[key] ?? 0) - share) < 1e-6, `${number} has other percentages`);
    }
  }
}

/** What is replaced and waits for its delete is not what callers reach. */
const savedOf = ({ engine }: World) => engine.state.find((one) => !one.delete);

/** Is a number still to leave, because no run has done it? That is no part of an abort, and has its own guard. */
function isLeaving(world: World, next: Program): boolean {
  const saved = savedOf(world)?.inputs.numbers;
  const numbers = numbersOf(world.life, next);
  return typeof saved === "string" && saved.split("\n").some((one) => one !== "" && !numbers.includes(one));
}

/** A freeze refuses it, unless there is nothing to send; and nothing else does. */
async function meetFreeze({ engine, life, ...world }: World, next: Program, strict: Properties): Promise<void> {
  const guards = { ...strict, "agent-platform:freeze": "launch week" };
  const { failures } = await engine.preview(declarationsOf(life, next), {
    configs: { default: configOf(world, guards) },
  });
  assert.ok(
    failures.every(({ message }) => /^AGP-025 [^\n]*$/.test(message.trim())),
    failures[0]?.message,
  );
}

/** A life under the guard steps: no agent gets more than one step at once, but for what was stable. */
async function walkBySteps(stage: Stage, life: RolloutLife): Promise<void> {
  const world = await begin(stage, life);
  const stables = new Set<string>();
  try {
    await change(world, world.program, {}, CALM);
    stables.add((life.start as Rollout).stable);
    for (const { edit, ...trouble } of life.turns) {
      const next = edited(world.program, edit);
      const before = NUMBERS.map((number) => possible(world, number));
      if (next !== undefined && (await change(world, next, life.guards, trouble))) {
        for (const [index, number] of NUMBERS.entries()) {
          judgeRise(number, before[index] ?? {}, callsOf(world, number), stables);
        }
      }
      for (const calls of NUMBERS.map((number) => callsOf(world, number))) {
        const [sole = "", ...others] = Object.keys(calls);
        stables.add(others.length === 0 ? sole : "");
      }
    }
  } finally {
    await world.platform.close();
  }
}

/** What a number has, and what the state says that it has: after a kill they differ. */
function possible(world: World, number: string): Record<string, number> {
  const saved = (savedOf(world)?.outputs.inboundAgents ?? {}) as Split;
  const calls = callsOf(world, number);
  const known = Object.keys(calls).length === 0 ? {} : percentages(saved);
  return Object.fromEntries(AGENTS.map((one) => [one, Math.max(calls[one] ?? 0, known[one] ?? 0)]));
}

function judgeRise(
  number: string,
  before: Record<string, number>,
  after: Record<string, number>,
  stables: Set<string>,
) {
  if (Object.values(before).every((share) => share === 0)) {
    return;
  }
  for (const [key, share] of Object.entries(after)) {
    const had = before[key] ?? 0;
    const next = STEPS.find((step) => step > had + 1e-6) ?? 100;
    assert.ok(share <= Math.max(had, next) + 1e-6 || stables.has(key), `${number}: ${key} from ${had} % to ${share} %`);
  }
}
