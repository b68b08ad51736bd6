import * as fc from "fast-check";
import type { Fault } from "../../emulator";
import type { Trouble } from "./lives";
import type { Declaration } from "./miniEngine";
import type { Properties } from "./providerProcess";

/** The programs of the lives in test/random/orders.long.spec.ts: a few holders, among which numbers move, declared in any order. */

export const holders = ["g1", "g2", "a1", "a2", "a3"] as const;
export type Holder = (typeof holders)[number];

const pool = [1, 2, 3, 4, 5, 6].map((digit) => `+1555000000${digit}`);
const agents = ["agent_a", "agent_b", "agent_c"] as const;
/** No stack approves it. */
export const REFUSED = "agent_refused";
export const APPROVED: readonly string[] = [...agents, "agent_fallback"];
export const FALLBACK = "agent_fallback";
const WEBHOOK = "https://hooks.invalid/in";

export interface HolderChoice {
  readonly agent: string;
  readonly hasWebhook: boolean;
  readonly hasFallback: boolean;
  readonly provider: "default" | "second";
  /** A rename makes it another resource. */
  readonly generation: 0 | 1;
  readonly ignores: "nothing" | "numbers" | "inboundAgents";
  /** What is wrong with it: a weight, an agent's id, or an output of the program that fails. */
  readonly mistake: "none" | "weight" | "agent" | "output";
  readonly delayMs: number;
  /** Positions in the order, each of which it waits for if it comes before. */
  readonly waitsFor: readonly Holder[];
}

export interface OrderProgram {
  /** Who has each number of the pool. */
  readonly owners: readonly (Holder | undefined)[];
  readonly choices: Readonly<Record<Holder, HolderChoice>>;
  readonly order: readonly Holder[];
  /** A group that declares a number which another holder has. */
  readonly twice: { readonly index: number; readonly by: "g1" | "g2" } | undefined;
}

export interface OrderRun extends Trouble {
  readonly program: OrderProgram;
  readonly continueOnError: boolean;
  readonly goesOn: boolean;
  /** A program of the Automation API: it counts as done although an output of it failed. */
  readonly isInline: boolean;
  /** Goes back to the program of the run before. */
  readonly isRevert: boolean;
}

const holder = fc.constantFrom(...holders);
const agent = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom<string[]>(...agents) },
  { weight: 1, arbitrary: fc.constant(REFUSED) },
);

const choice: fc.Arbitrary<HolderChoice> = fc.record({
  agent,
  hasWebhook: fc.constantFrom(false, false, true),
  hasFallback: fc.constantFrom(false, false, false, true),
  provider: fc.constantFrom("default", "default", "default", "second"),
  generation: fc.constantFrom(0, 0, 0, 1),
  ignores: fc.constantFrom(
    "nothing",
    "nothing",
    "nothing",
    "nothing",
    "nothing",
    "nothing",
    "numbers",
    "inboundAgents",
  ),
  mistake: fc.oneof(
    { weight: 25, arbitrary: fc.constant("none" as const) },
    { weight: 1, arbitrary: fc.constantFrom("weight" as const, "agent", "output") },
  ),
  delayMs: fc.constantFrom(0, 0, 0, 2, 8),
  waitsFor: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.uniqueArray(holder, { minLength: 1, maxLength: 2 }) },
  ),
});

const program: fc.Arbitrary<OrderProgram> = fc.record({
  owners: fc.array(fc.oneof({ weight: 5, arbitrary: holder }, { weight: 1, arbitrary: fc.constant(undefined) }), {
    minLength: pool.length,
    maxLength: pool.length,
  }),
  choices: fc.record({ g1: choice, g2: choice, a1: choice, a2: choice, a3: choice }),
  order: fc.shuffledSubarray([...holders], { minLength: holders.length }),
  twice: fc.oneof(
    { weight: 12, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.record({ index: fc.nat({ max: pool.length - 1 }), by: fc.constantFrom("g1" as const, "g2") }),
    },
  ),
});

const faultKinds: readonly Fault[] = [
  { kind: "status", status: 422 },
  { kind: "status", status: 422 },
  { kind: "status", status: 404 },
  { kind: "status", status: 403 },
  { kind: "status", status: 503 },
  { kind: "status", status: 503 },
  { kind: "appliedBut500" },
  { kind: "appliedBut500" },
  { kind: "resetInBody" },
  { kind: "resetBeforeRequest" },
];

const fault: fc.Arbitrary<Fault> = fc
  .record({
    kind: fc.constantFrom(...faultKinds),
    number: fc.oneof(fc.constant(undefined), fc.constantFrom(...pool)),
    after: fc.constantFrom(0, 0, 1, 3),
    times: fc.constantFrom(1, 2, Number.POSITIVE_INFINITY),
  })
  .map(({ kind, number, ...when }) => ({ ...kind, ...when, ...(number !== undefined && { number }) }));

const run: fc.Arbitrary<OrderRun> = fc.record({
  program,
  continueOnError: fc.boolean(),
  goesOn: fc.boolean(),
  isInline: fc.boolean(),
  faults: fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fault, { minLength: 1, maxLength: 2 }) },
  ),
  kill: fc.oneof(
    { weight: 15, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.record({
        who: fc.constantFrom("cli" as const, "cli", "cli", "default", "second", "second", "both"),
        at: fc.nat({ max: 4 }),
        applied: fc.boolean(),
      }),
    },
  ),
  isRevert: fc.constantFrom(false, false, false, false, true),
});

/** Most programs differ from the one before in a few things. */
export const orders: fc.Arbitrary<readonly OrderRun[]> = fc
  .array(fc.tuple(run, fc.array(fc.nat({ max: pool.length - 1 }), { maxLength: 3 }), fc.boolean()), {
    minLength: 2,
    maxLength: 6,
  })
  .map((runs) => {
    let before: OrderProgram | undefined;
    let last: OrderProgram | undefined;
    return runs.map(([one, moved, isNew]): OrderRun => {
      const next = nextProgram(one, last, before, moved, isNew);
      before = last;
      last = next;
      return { ...one, program: next };
    });
  });

function nextProgram(
  { program: drawn, isRevert }: OrderRun,
  last: OrderProgram | undefined,
  before: OrderProgram | undefined,
  moved: readonly number[],
  isNew: boolean,
): OrderProgram {
  if (last === undefined) {
    return drawn;
  }
  if (isRevert && before !== undefined) {
    return { ...before, order: drawn.order };
  }
  const owners = last.owners.map((owner, index) => (moved.includes(index) ? drawn.owners[index] : owner));
  const kept = Object.fromEntries(
    holders.map((name) => {
      const { agent: _, provider: __, generation: ___, hasWebhook: ____, ...rest } = drawn.choices[name];
      return [name, { ...last.choices[name], ...rest }];
    }),
  ) as OrderProgram["choices"];
  return { owners, order: drawn.order, twice: drawn.twice, choices: isNew ? drawn.choices : kept };
}

/** By holder: a group has any number of them, an assignment the first that is its own. */
function numbersOf({ owners }: OrderProgram): Readonly<Partial<Record<Holder, readonly string[]>>> {
  const had = Object.fromEntries(
    holders.map((name) => [name, pool.filter((_, index) => owners[index] === name)] as const),
  ) as Record<Holder, string[]>;
  return Object.fromEntries(
    holders.flatMap((name) => {
      const own = name.startsWith("a") ? had[name].slice(0, 1) : had[name];
      return own.length === 0 ? [] : [[name, own]];
    }),
  );
}

const nameOf = (holder: Holder, { generation }: HolderChoice): string => `${holder}-${generation}`;

const all = (agentId: string) => [{ agentId, weight: 100 }];

/** No platform gets a request with one of these. */
export const WRONG_AGENT = "wrong_agent";
const WRONG_WEIGHT = -1;

function agentsOf({ agent: agentId, mistake }: HolderChoice): Properties[] {
  if (mistake === "weight") {
    return [{ agentId, weight: WRONG_WEIGHT }];
  }
  return all(mistake === "agent" ? WRONG_AGENT : agentId);
}

/** The numbers of a holder, with the one that another holder has as well. */
function withTwice(name: Holder, own: readonly string[], { twice }: OrderProgram): readonly string[] {
  const more = twice?.by === name ? pool[twice.index] : undefined;
  return more === undefined || own.includes(more) ? own : [...own, more];
}

/** The number that two holders declare, if there is one. */
export function twiceIn(program: OrderProgram): string | undefined {
  const { twice, owners } = program;
  const owner = twice && owners[twice.index];
  const isTwice =
    owner !== undefined && owner !== twice?.by && expectedOf(program).has(pool[twice?.index ?? 0] as string);
  return isTwice && numbersOf(program)[twice?.by as Holder] !== undefined ? pool[twice?.index ?? 0] : undefined;
}

export function declarationsOf(program: OrderProgram, triggers: Properties): Declaration[] {
  const numbers = numbersOf(program);
  const declared = program.order.filter((name) => numbers[name] !== undefined);
  return declared.map((name, position): Declaration => {
    const { hasWebhook, hasFallback, provider, ignores, waitsFor, delayMs, mistake } = program.choices[name];
    const own = withTwice(name, numbers[name] ?? [], program);
    const ignored = ignores === "numbers" && name.startsWith("a") ? "nothing" : ignores;
    return {
      name: nameOf(name, program.choices[name]),
      kind: name.startsWith("g") ? "numberGroup" : "numberAssignment",
      provider,
      delayMs,
      dependsOn: declared
        .slice(0, position)
        .filter((other) => waitsFor.includes(other))
        .map((other) => nameOf(other, program.choices[other])),
      ...(ignored !== "nothing" && { ignoreChanges: [ignored] }),
      ...(mistake === "output" && { isRejected: true }),
      args: {
        ...(name.startsWith("g") ? { numbers: own } : { number: own[0] }),
        inboundAgents: agentsOf(program.choices[name]),
        ...(hasWebhook && { inboundWebhookUrl: WEBHOOK }),
        ...(hasFallback && { onDelete: { inboundAgents: all(FALLBACK) } }),
        ...triggers,
      },
    };
  });
}

/** What the emulator is to hold of each number. */
export function expectedOf(
  program: OrderProgram,
  isJudged: (choice: HolderChoice) => boolean = () => true,
): Map<string, Properties> {
  const expected = new Map<string, Properties>();
  const owned = Object.entries(numbersOf(program)) as [Holder, readonly string[]][];
  for (const [name, numbers] of owned.filter(([holder]) => isJudged(program.choices[holder]))) {
    const { agent: agentId, hasWebhook } = program.choices[name];
    for (const number of numbers) {
      expected.set(number, {
        inboundAgents: { [agentId]: 100 },
        ...(hasWebhook && { inboundWebhookUrl: WEBHOOK }),
      });
    }
  }
  return expected;
}
