import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { Emulator, Fault, LoggedRequest } from "../../emulator";
import type { EdgeName } from "./edges";
import { CliKilled, createMiniEngine, type Declaration, type Engine, type Run, type Step } from "./miniEngine";
import { createProviders, type Providers } from "./miniEngineProviders";
import { createRealEngine } from "./realEngine";

/** What random lives of every kind have in common: their machines, faults and deaths, and how one that failed is lived again. */

/** One for all lives: a stack of the real engine has it before its emulator is there. */
export const token = "tok-51b0f2c7a99e4d0c8a17";

export interface Machine {
  readonly engine: Engine;
  readonly providers: Pick<Providers, "said" | "killAll">;
  /** Kills the CLI while a request is under way. Without it the CLI dies when it would save a step. */
  killCli?(): void;
}

/** How much happened. */
export interface Tally {
  lives: number;
  runs: number;
  failed: number;
  requests: number;
  /** Requests that met a fault. */
  faults: number;
  /** Runs in which somebody was killed. */
  kills: number;
  /** Changes that a guard or a check refused. */
  refused: number;
  aborts: number;
}

export const newTally = (): Tally => ({
  lives: 0,
  runs: 0,
  failed: 0,
  requests: 0,
  faults: 0,
  kills: 0,
  refused: 0,
  aborts: 0,
});

/** In which a life is lived. */
export interface Stage {
  readonly machine: Machine;
  readonly tally: Tally;
  /** Gets a line for each thing that happens. */
  trace(line: string): void;
}

export interface Kill {
  /** `default` and `second` are providers. */
  readonly who: "cli" | "default" | "second" | "both";
  /** At which request, or which step, counted from 0. */
  readonly at: number;
  readonly applied: boolean;
}

/** What a run meets. */
export interface Trouble {
  readonly faults: readonly Fault[];
  readonly kill?: Kill | undefined;
}

export interface Lived extends Pick<Run, "said" | "failures"> {
  /** Undefined if the CLI was killed. */
  readonly run: Run | undefined;
  /** Did the CLI or a provider die in it? */
  readonly isKilled: boolean;
  /** The step that a killed CLI could not save. */
  readonly unsaved: Step | undefined;
  /** The requests of this run. */
  readonly sent: readonly LoggedRequest[];
}

/** One run with its faults and its death; `start` hands `beforeSave` to the engine. */
export async function liveRun(
  { machine, tally, trace }: Stage,
  emulators: readonly Emulator[],
  declared: readonly Declaration[],
  { faults, kill, ...choice }: Trouble,
  start: (beforeSave: (step: Step) => void) => Promise<Run>,
): Promise<Lived> {
  const from = emulators.map(({ requests }) => requests.length);
  const isAtSave = kill?.who === "cli" && machine.killCli === undefined;
  let saves = 0;
  let unsaved: Step | undefined;
  for (const emulator of emulators) {
    for (const fault of faults) {
      emulator.inject(fault);
    }
  }
  const running = start((step) => {
    saves += 1;
    if (isAtSave && saves === kill.at + 1) {
      unsaved = step;
      throw new CliKilled();
    }
  });
  const killing = kill === undefined || isAtSave ? undefined : killAtRequest(machine, emulators, kill, running);
  const ended = await running.catch((error: unknown) => {
    if (error instanceof CliKilled) {
      return error;
    }
    throw error;
  });
  await killing;
  for (const emulator of emulators) {
    emulator.clearFaults();
  }
  const run = ended instanceof CliKilled ? undefined : ended;
  const { failures } = ended;
  // Of a run that was killed, what it had said stands on the terminal.
  const said = run?.said ?? (await machine.providers.said());
  const sent = emulators.flatMap(({ requests }, index) => requests.slice(from[index]));
  tally.runs += 1;
  tally.requests += sent.length;
  tally.faults += sent.filter(({ fault }) => fault !== undefined).length;
  tally.failed += run?.isOk ? 0 : 1;
  const isKilled = kill !== undefined && (run === undefined || failures.some(({ code }) => code === 14));
  tally.kills += isKilled ? 1 : 0;
  const lived = { run, isKilled, said, failures, unsaved, sent };
  traceRun(trace, { faults, kill, ...choice }, declared, lived, machine.engine, emulators);
  return lived;
}

async function killAtRequest(
  { providers, killCli }: Machine,
  emulators: readonly Emulator[],
  { who, at, applied }: Kill,
  running: Promise<unknown>,
): Promise<void> {
  const over = running.then(
    () => false,
    () => false,
  );
  const holds = emulators.map((emulator) => emulator.inject({ kind: "hold", after: at, applied, times: 1 }));
  const hits = emulators.map((emulator) =>
    emulator.waitForRequests(emulator.requests.length + at + 1).then(
      () => true,
      () => false,
    ),
  );
  if (await Promise.race([over, ...hits])) {
    await (who === "cli" ? killCli?.() : providers.killAll(who === "both" ? undefined : [who]));
  }
  for (const hold of holds) {
    hold.release();
  }
  await over;
}

function traceRun(
  trace: Stage["trace"],
  choice: object,
  declared: readonly Declaration[],
  { run, said, failures, sent }: Lived,
  { state }: Engine,
  emulators: readonly Emulator[],
): void {
  trace(`--- ${JSON.stringify(choice)}`);
  for (const one of declared) {
    trace(`  declares ${JSON.stringify(one)}`);
  }
  trace(`  steps ${run?.steps.map(({ op, name }) => `${op} ${name}`).join(", ") ?? "killed"}\n${said}`);
  for (const { name, message, code } of failures) {
    trace(`  FAILED ${name} (${code}): ${message}`);
  }
  for (const { operation, number = "", body, status, applied } of sent) {
    trace(`  request ${operation} ${number} ${JSON.stringify(body)} -> ${status} ${applied ? "applied" : ""}`);
  }
  for (const { url, numbers, voices, chats } of emulators) {
    trace(`  platform ${url} ${JSON.stringify({ numbers: [...numbers.values()], voices, chats })}`);
  }
  for (const { inputs: _, outputs, ...saved } of state) {
    const { __provider: __, ...shown } = outputs;
    trace(`  state ${JSON.stringify({ ...saved, outputs: shown })}`);
  }
}

export interface LivesOptions {
  readonly runs: number;
  readonly seed: number;
  /** The small engine on the real provider process, or the real CLI. @default "small" */
  readonly engine?: "small" | "real";
  /** Over whose wire the small engine speaks. @default that of the environment */
  readonly edge?: EdgeName | undefined;
  /** Lives under way at once, each with processes of its own. @default 4 */
  readonly workers?: number;
  /** Draws no further lives after so many seconds. */
  readonly seconds?: number | undefined;
  /** Of a life that failed: lives it again. */
  readonly path?: string | undefined;
  /** Look for the smallest life that fails in the same way? @default true */
  readonly shrinks?: boolean;
  readonly trace?: Stage["trace"];
}

export interface LivesResult extends Tally {
  /** How to live the life again, the life itself, and what does not hold. */
  readonly failures: readonly string[];
}

export interface KindOfLife<Life> {
  readonly name: string;
  readonly lives: fc.Arbitrary<Life>;
  /** For the real CLI, each of whose runs takes seconds. @default lives */
  readonly shortLives?: fc.Arbitrary<Life>;
  /** Throws if something that must hold does not. */
  live(stage: Stage, life: Life): Promise<void>;
}

/** Lives random lives; a worker stops at its first failure. */
export async function liveAll<Life>(kind: KindOfLife<Life>, options: LivesOptions): Promise<LivesResult> {
  const { runs, workers = 4, seed } = options;
  const tally = newTally();
  const own = (index: number) => ({ ...options, seed: seed + index, runs: Math.ceil(runs / workers) });
  const all = Array.from({ length: workers }, (_, index) => work(kind, own(index), tally));
  const failures = (await Promise.all(all)).filter((failure) => failure !== undefined);
  return { ...tally, failures };
}

export const inWords = ({ failures, ...tally }: LivesResult): string =>
  Object.entries({ ...tally, "that do not hold": failures.length })
    .map(([what, count]) => `${count} ${what}`)
    .join(", ");

/** For a test. Lives in which nothing happens would prove nothing. */
export async function holdAll<Life>(
  kind: KindOfLife<Life>,
  options: LivesOptions,
  isEventful: (tally: Tally) => boolean,
): Promise<void> {
  const result = await liveAll(kind, options);
  assert.equal(result.failures.join("\n\n"), "");
  assert.ok(result.lives >= options.runs && isEventful(result), inWords(result));
}

/** Until one fails. */
async function work<Life>(kind: KindOfLife<Life>, options: LivesOptions, tally: Tally): Promise<string | undefined> {
  const { engine = "small", edge, trace = () => {}, path, seconds, shrinks = true, seed, runs } = options;
  const { lives, shortLives = lives, live } = kind;
  const machines = engine === "real" ? realMachines : smallMachines(edge);
  const property = fc.asyncProperty(engine === "real" ? shortLives : lives, async (life) => {
    const machine = await machines.open();
    tally.lives += 1;
    await live({ machine, tally, trace }, life).finally(() => machine.close?.());
  });
  try {
    const details = await fc.check(property, {
      seed,
      numRuns: runs,
      endOnFailure: !shrinks,
      ...(path !== undefined && { path }),
      ...(seconds !== undefined && { interruptAfterTimeLimit: seconds * 1000 }),
    });
    const again = `${kind.name} --seed ${details.seed} --path "${details.counterexamplePath}"${engine === "real" ? " --real" : ""} --trace`;
    return details.failed
      ? [
          `To live it again: node -r tsx/cjs test/random/livesByHand.ts ${again}`,
          JSON.stringify(details.counterexample?.[0]),
          details.errorInstance instanceof Error ? details.errorInstance.stack : String(details.errorInstance),
        ].join("\n")
      : undefined;
  } finally {
    await machines.close();
  }
}

interface Machines {
  open(): Promise<Machine & { close?(): Promise<void> }>;
  close(): Promise<void>;
}

/** The provider processes live on from life to life. */
function smallMachines(edge: EdgeName | undefined): Machines {
  const providers = createProviders(edge);
  return { open: async () => ({ engine: createMiniEngine(providers), providers }), close: () => providers.close() };
}

const realMachines: Machines = {
  async open() {
    const engine = await createRealEngine(token);
    return {
      engine,
      providers: { said: async () => "", killAll: async () => engine.kill("provider") },
      killCli: () => engine.kill("cli"),
      close: () => engine.close(),
    };
  },
  close: async () => {},
};

/** The same machine, whose engine does some of it otherwise: for a test of whether a judge sees that. */
export function spoilt({ engine, ...machine }: Machine, spoil: (engine: Engine) => Partial<Engine>): Machine {
  const state = { get: () => engine.state };
  return { ...machine, engine: Object.defineProperty({ ...engine, ...spoil(engine) }, "state", state) };
}
