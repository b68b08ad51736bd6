import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { type Emulator, type LoggedRequest, startEmulator } from "../../emulator";
import { type KindOfLife, type Lived, liveRun, type Stage, token } from "./lives";
import type { Declaration, Engine } from "./miniEngine";
import type { Configs } from "./miniEngineProviders";
import {
  APPROVED,
  declarationsOf,
  expectedOf,
  FALLBACK,
  holders,
  type OrderProgram,
  type OrderRun,
  orders,
  REFUSED,
  twiceIn,
  WRONG_AGENT,
} from "./orderPrograms";
import type { Properties } from "./providerProcess";

/** Lives of a stack whose numbers move about, and their judge: the platform's own record, request by request. */

export const orderLives: KindOfLife<readonly OrderRun[]> = { name: "orders", lives: orders, live: liveOrders };

interface Life {
  readonly stage: Stage;
  readonly emulator: Emulator;
  /** Numbers that somebody's death, or a delete that failed, left to the operator: the runbook bumps `triggers`. */
  readonly touched: Set<string>;
  /** Of those, the numbers on which a death may have left more than is declared: a create knows nothing of it. */
  readonly died: Set<string>;
  declaredBefore: ReadonlySet<string>;
  /** Numbers that went from a resource of one provider to one of another: what only the old one bound stays, and AGP-061 or AGP-077 says so. */
  readonly moved: Set<string>;
  /** Numbers that the platform said not to know: what they had is forgotten with AGP-062, and was there all the same. */
  readonly denied: Set<string>;
}

export async function liveOrders(stage: Stage, runs: readonly OrderRun[]): Promise<void> {
  const emulator = await startEmulator({ token });
  const life: Life = {
    stage,
    emulator,
    touched: new Set(),
    died: new Set(),
    declaredBefore: new Set(),
    moved: new Set(),
    denied: new Set(),
  };
  try {
    for (const run of runs) {
      await perform(life, run, {});
    }
    await settle(life, calmed(runs.at(-1) as OrderRun));
  } finally {
    await emulator.close();
  }
}

/** No faults, and nothing that a guard refuses or that is ignored. */
function calmed(last: OrderRun): OrderRun {
  const choices = Object.fromEntries(
    holders.map((name) => {
      const one = last.program.choices[name];
      const agent = one.agent === REFUSED ? "agent_a" : one.agent;
      return [name, { ...one, agent, ignores: "nothing", mistake: "none" }];
    }),
  ) as OrderProgram["choices"];
  return {
    ...last,
    program: { ...last.program, choices, twice: undefined },
    faults: [],
    kill: undefined,
    continueOnError: true,
  };
}

async function settle(life: Life, run: OrderRun): Promise<void> {
  const { touched } = life;
  let triggers = {};
  let last: Lived | undefined;
  for (let attempt = 0; attempt < 3 && !last?.run?.isOk; attempt += 1) {
    // What the runbooks ask for after a death and after a delete of unknown outcome, and what a delete asks for that waits for another holder.
    triggers = touched.size > 0 ? { triggers: { attempt } } : triggers;
    touched.clear();
    last = await perform(life, run, triggers);
  }
  assert.deepEqual(last?.failures, [], "the third run without faults fails");
  judgeExact(life, run.program, new Set());
  const again = await perform(life, run, triggers);
  assert.deepEqual(again.failures, []);
  assert.deepEqual(again.sent, [], "a run without a change sent something");
  assert.deepEqual(
    again.run?.steps.filter(({ op }) => op !== "same"),
    [],
  );
}

function configs({ emulator: { url } }: Life): Configs {
  const own = {
    "agent-platform:baseUrl": url,
    "agent-platform:accessToken": token,
    "agent-platform:attempts": 1,
    "agent-platform:approvedAgents": [...APPROVED],
    "agent-platform:maxUnapproved": 0,
    "agent-platform:maxRemove": 100,
  };
  return { default: own, second: { ...own, "agent-platform:providerName": "second" } };
}

async function perform(life: Life, run: OrderRun, triggers: object): Promise<Lived> {
  const { stage, emulator, touched, died, denied, moved } = life;
  const { engine } = stage.machine;
  const { program, isRevert: _, ...choice } = run;
  const declared = declarationsOf(program, { ...triggers });
  const alive = new Set([...emulator.numbers.keys()].filter((number) => hasAgent(emulator, number)));
  noteMoves(moved, declared, engine);
  const lived = await liveRun(stage, [emulator], declared, choice, (beforeSave) =>
    engine.up(declared, {
      configs: configs(life),
      continueOnError: run.continueOnError,
      goesOn: run.goesOn,
      isInline: run.isInline,
      isParallel: true,
      beforeSave,
    }),
  );
  const { sent } = lived;
  if (lived.isKilled) {
    noteAll(touched, sent);
    noteAll(died, sent);
  }
  noteDeletes(life, lived);
  noteAll(
    denied,
    sent.filter(({ status }) => status === 404),
  );
  judgeTimeline(life, program, alive, sent);
  life.declaredBefore = new Set(expectedOf(program, ({ ignores }) => ignores !== "numbers").keys());
  if (lived.run?.isOk) {
    judgeExact(life, program, ignoredIn(life, program));
  }
  return lived;
}

function noteMoves(moved: Set<string>, declared: readonly Declaration[], { state }: Engine): void {
  const numbersIn = (value: unknown): readonly string[] => JSON.stringify(value).match(/\+1555\d{7}/g) ?? [];
  for (const { name, provider, outputs } of state) {
    const elsewhere = declared.filter((one) => one.provider !== provider);
    // With `ignoreChanges` the resource keeps the numbers of its state, and takes them to the other provider.
    const kept = elsewhere.some((one) => one.name === name && one.ignoreChanges?.includes("numbers")) ? outputs : [];
    const others = new Set([...elsewhere.map(({ args }) => args), kept].flatMap(numbersIn));
    for (const number of numbersIn(outputs).filter((one) => others.has(one))) {
      moved.add(number);
    }
  }
}

function noteAll(touched: Set<string>, sent: readonly LoggedRequest[]): void {
  for (const { number } of sent) {
    if (number !== undefined) {
      touched.add(number);
    }
  }
}

/** A delete that failed says so, and what to do should the resource be kept. */
function noteDeletes({ touched, stage: { machine } }: Life, { failures }: Lived): void {
  for (const { name, message } of failures) {
    if (message.includes("change `triggers`")) {
      // The whole group: what of it was cleared before another number failed, the message only counts.
      const saved = machine.engine.state.filter((one) => one.name === name).map(({ outputs }) => outputs);
      for (const number of JSON.stringify([message, saved]).match(/\+1555\d{7}/g) ?? []) {
        touched.add(number);
      }
    }
  }
}

const hasAgent = (emulator: Emulator, number: string): boolean =>
  Object.keys(emulator.routing(number)?.inboundAgents ?? {}).some((agent) => agent !== FALLBACK);

interface WireAgent {
  readonly agent_id: string;
  readonly weight: number;
}

/** At no moment is a number without an agent that was declared, is declared, and had one. Nobody is ever bound whom a guard refused. */
function judgeTimeline(
  { declaredBefore }: Life,
  program: OrderProgram,
  alive: ReadonlySet<string>,
  sent: readonly LoggedRequest[],
): void {
  // What `ignoreChanges` keeps away from the engine is not declared.
  const declared = expectedOf(program, ({ ignores }) => ignores !== "numbers");
  const twice = twiceIn(program);
  const boundTwice = new Set<string>();
  for (const { number = "", applied, body, index } of sent) {
    const given = (body as { inboundAgents?: readonly WireAgent[] | null } | undefined)?.inboundAgents;
    if (!applied || given === undefined) {
      continue;
    }
    const bound = (given ?? []).map(({ agent_id }) => agent_id);
    assert.ok(!bound.includes(WRONG_AGENT), `request ${index} bound an agent that is none`);
    assert.ok(!(given ?? []).some(({ weight }) => weight < 0), `request ${index} has a weight below 0`);
    if (number === twice) {
      for (const agent of bound) {
        boundTwice.add(agent);
      }
    }
    assert.ok(!bound.includes(REFUSED), `request ${index} bound an agent to ${number} that the guard refuses`);
    const isKept = declaredBefore.has(number) && declared.has(number) && alive.has(number);
    const isDead = bound.length === 0 || bound.includes(FALLBACK);
    assert.ok(!isKept || !isDead, `request ${index} left ${number} without its agent, and the program declares it`);
  }
  assert.ok(boundTwice.size < 2, `${twice} is declared twice, and both holders were sent: ${[...boundTwice].join()}`);
}

/** What `ignoreChanges` keeps from the program is not as the program says. */
function ignoredIn({ touched }: Life, { choices }: OrderProgram): ReadonlySet<string> | "all" {
  return holders.some((name) => choices[name].ignores !== "nothing") ? "all" : touched;
}

function judgeExact(
  { emulator, died, moved, denied }: Life,
  program: OrderProgram,
  except: ReadonlySet<string> | "all",
): void {
  const expected = expectedOf(program);
  for (const [number, wanted] of except === "all" ? [] : expected) {
    const held = emulator.routing(number);
    const shown: Properties = { ...held };
    const fields = Object.keys(
      [died, moved, denied].some((lost) => lost.has(number)) ? wanted : { ...wanted, ...shown },
    );
    const isRight = fields.every((field) => isDeepStrictEqual(shown[field], wanted[field]));
    assert.ok(
      except !== "all" && (except.has(number) || isRight),
      `${number} holds ${JSON.stringify(held)} after a run that succeeded, and is declared ${JSON.stringify(wanted)}`,
    );
  }
}
