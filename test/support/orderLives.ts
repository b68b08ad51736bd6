import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { type Emulator, type LoggedRequest, startEmulator } from "../../emulator";
import { CliKilled, type Declaration, type Engine, type Run } from "./miniEngine";
import type { Configs, Providers } from "./miniEngineProviders";
import {
  APPROVED,
  declarationsOf,
  expectedOf,
  FALLBACK,
  holders,
  type OrderProgram,
  type OrderRun,
  REFUSED,
  twiceIn,
  WRONG_AGENT,
} from "./orderPrograms";
import type { Properties } from "./providerProcess";

/** One life of a stack whose numbers move about, and its judge: the platform's own record, request by request. */

export const token = "tok-2d84b1f06c9e4f77a0b3";

export interface OrderMachine {
  readonly engine: Engine;
  readonly providers?: Pick<Providers, "said" | "killAll">;
  /** Kills the CLI while a request is under way. Without it the CLI dies where it would save a step. */
  killCli?(): void;
}

export interface OrderTally {
  readonly runs: number;
  readonly requests: number;
  readonly faults: number;
  readonly kills: number;
  readonly failed: number;
}

interface Life {
  readonly machine: OrderMachine;
  readonly emulator: Emulator;
  readonly trace: (line: string) => void;
  /** Numbers that somebody's death, or a delete that failed, left to the operator: the runbook bumps `triggers`. */
  readonly touched: Set<string>;
  /** Of those, the numbers on which a death may have left more than is declared: a create knows nothing of it. */
  readonly died: Set<string>;
  declaredBefore: ReadonlySet<string>;
  /** Numbers that went from a resource of one provider to one of another: what only the old one bound stays, and AGP-061 or AGP-077 says so. */
  readonly moved: Set<string>;
  /** Numbers that the platform said not to know: what they had is forgotten with AGP-062, and was there all the same. */
  readonly denied: Set<string>;
  readonly tally: { runs: number; kills: number; failed: number };
}

export async function liveOrders(
  machine: OrderMachine,
  runs: readonly OrderRun[],
  trace: (line: string) => void = () => {},
): Promise<OrderTally> {
  const emulator = await startEmulator({ token });
  const tally = { runs: 0, kills: 0, failed: 0 };
  const life: Life = {
    machine,
    emulator,
    trace,
    touched: new Set(),
    died: new Set(),
    declaredBefore: new Set(),
    moved: new Set(),
    denied: new Set(),
    tally,
  };
  try {
    for (const run of runs) {
      await perform(life, run, {});
    }
    await settle(life, calmed(runs.at(-1) as OrderRun));
    const { requests } = emulator;
    const faults = requests.filter(({ fault }) => fault !== undefined).length;
    return { ...tally, requests: requests.length, faults };
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
  const { emulator, touched } = life;
  let triggers = {};
  let last: Run | undefined;
  for (let attempt = 0; attempt < 3 && !last?.isOk; attempt += 1) {
    // What the runbooks ask for after a death and after a delete of unknown outcome, and what a delete asks for that waits for another holder.
    triggers = touched.size > 0 ? { triggers: { attempt } } : triggers;
    touched.clear();
    last = await perform(life, run, triggers);
  }
  assert.deepEqual(last?.failures, [], "the third run without faults fails");
  judgeExact(life, run.program, new Set());
  const before = emulator.requests.length;
  const again = await perform(life, run, triggers);
  assert.deepEqual(again?.failures, []);
  assert.deepEqual(emulator.requests.slice(before), [], "a run without a change sent something");
  assert.deepEqual(
    again?.steps.filter(({ op }) => op !== "same"),
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

async function perform(life: Life, run: OrderRun, triggers: object): Promise<Run | undefined> {
  const { machine, emulator, trace, touched, tally } = life;
  const { engine, providers } = machine;
  const declared = declarationsOf(run.program, { ...triggers });
  const from = emulator.requests.length;
  const alive = new Set([...emulator.numbers.keys()].filter((number) => hasAgent(emulator, number)));
  tally.runs += 1;
  noteMoves(life.moved, declared, engine);
  const dies = run.kill && (run.kill.who === "cli" && machine.killCli === undefined ? "at a save" : "at a request");
  let saves = 0;
  for (const fault of run.faults) {
    emulator.inject(fault);
  }
  const running = engine.up(declared, {
    configs: configs(life),
    continueOnError: run.continueOnError,
    goesOn: run.goesOn,
    isInline: run.isInline,
    isParallel: true,
    beforeSave: () => {
      saves += 1;
      if (dies === "at a save" && saves === (run.kill?.at ?? 0) + 1) {
        throw new CliKilled();
      }
    },
  });
  const killing = run.kill !== undefined && dies === "at a request" ? killAt(life, run.kill, running) : undefined;
  const result = await running.catch((error: unknown) => {
    if (error instanceof CliKilled) {
      return undefined;
    }
    throw error;
  });
  await killing;
  emulator.clearFaults();
  const sent = emulator.requests.slice(from);
  const said = result?.said ?? (await providers?.said()) ?? "";
  traceRun(trace, run, declared, result, sent, engine, said);
  if (run.kill !== undefined && (result === undefined || result.failures.some(({ code }) => code === 14))) {
    tally.kills += 1;
    noteAll(touched, sent);
    noteAll(life.died, sent);
  }
  tally.failed += result?.isOk ? 0 : 1;
  noteDeletes(life, result);
  noteAll(
    life.denied,
    sent.filter(({ status }) => status === 404),
  );
  judgeTimeline(life, run.program, alive, sent);
  life.declaredBefore = new Set(expectedOf(run.program, ({ ignores }) => ignores !== "numbers").keys());
  if (result?.isOk) {
    judgeExact(life, run.program, ignoredIn(life, run.program));
  }
  return result;
}

function noteMoves(moved: Set<string>, declared: readonly Declaration[], { state }: Engine): void {
  const numbersIn = (value: unknown): readonly string[] => JSON.stringify(value).match(/\+1555\d{7}/g) ?? [];
  for (const { provider, outputs } of state) {
    const others = new Set(declared.filter((one) => one.provider !== provider).flatMap(({ args }) => numbersIn(args)));
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
function noteDeletes({ touched, machine }: Life, result: Run | undefined): void {
  for (const { name, message } of result?.failures ?? []) {
    if (message.includes("change `triggers`")) {
      // The whole group: what of it was cleared before another number failed, the message only counts.
      const saved = machine.engine.state.filter((one) => one.name === name).map(({ outputs }) => outputs);
      for (const number of JSON.stringify([message, saved]).match(/\+1555\d{7}/g) ?? []) {
        touched.add(number);
      }
    }
  }
}

async function killAt(
  { machine, emulator }: Life,
  { who, at, applied }: NonNullable<OrderRun["kill"]>,
  running: Promise<unknown>,
): Promise<void> {
  const over = running.then(
    () => false,
    () => false,
  );
  const handle = emulator.inject({ kind: "hold", after: at, applied, times: 1 });
  const hit = emulator.waitForRequests(emulator.requests.length + at + 1).then(
    () => true,
    () => false,
  );
  if (await Promise.race([over, hit])) {
    await (who === "cli"
      ? machine.killCli?.()
      : machine.providers?.killAll(who === "both" ? ["default", "second"] : [who]));
  }
  handle.release();
  await over;
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

function traceRun(
  trace: (line: string) => void,
  run: OrderRun,
  declared: readonly unknown[],
  result: Run | undefined,
  sent: readonly LoggedRequest[],
  { state }: Engine,
  said: string,
): void {
  const { program: _, ...rest } = run;
  trace(`--- up ${JSON.stringify(rest)}`);
  for (const one of declared) {
    trace(`  declares ${JSON.stringify(one)}`);
  }
  trace(`  steps ${result?.steps.map(({ op, name }) => `${op} ${name}`).join(", ") ?? "killed"}`);
  trace(said);
  for (const { name, message, code } of result?.failures ?? []) {
    trace(`  FAILED ${name} (${code}): ${message}`);
  }
  for (const { index, number, body, status, applied } of sent) {
    trace(`  request ${index} ${number} ${JSON.stringify(body)} -> ${status} ${applied ? "applied" : ""}`);
  }
  for (const { name, delete: isOriginal, outputs } of state) {
    const { __provider: _, endpoint: __, ...shown } = outputs;
    trace(`  state ${name}${isOriginal ? " (original)" : ""} ${JSON.stringify(shown)}`);
  }
}
