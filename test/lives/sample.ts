import * as fc from "fast-check";
import { BIRTH, type Life, needsAnotherRun, type Place, recoveryFrom, upAndJudge } from "./life";
import { declarationsOf } from "./program";
import { lives as randomLives } from "./random";
import { type Kill, killOf, type SimulatedRun } from "./seen";
import type { Fault, RunResult, Step, World } from "./world";

/** The number of random lives to choose from. With fewer, the chosen lives would miss some of the model's steps. */
const CANDIDATES = 10_000;

/**
 * Chooses which random lives to run on the real engine. Each life must show something new, such as a new fault (see
 * `tagsOf`).
 */

export interface Chosen {
  readonly runs: readonly (SimulatedRun & { readonly kill: Kill | undefined })[];
}

type JudgedPlace = Place & { readonly result: RunResult };

/**
 * Simulates a life and, if it has a fault, up to two more runs in which an operator recovers from it. Returns undefined
 * if the real engine can't reproduce the life.
 */
async function simulate(life: Life): Promise<(Chosen & { readonly shown: ReadonlySet<string> }) | undefined> {
  const runs: Chosen["runs"][number][] = [];
  const shown = new Set<string>();
  let place: Place = BIRTH;
  const run = async (from: Place, step: Step): Promise<JudgedPlace | undefined> => {
    const judged = await upAndJudge(from, step);
    const simulated: SimulatedRun = { step, triggers: from.history.triggers, result: judged.result };
    const { fault, ...calmStep } = step;
    const calmResult = fault === undefined ? undefined : (await upAndJudge(from, calmStep)).result;
    const kill = calmResult && fault?.at !== "request" ? killOf(simulated, calmResult) : undefined;
    const isMet = fault?.at !== "request" || judged.result.sent.length > fault.index;
    if (
      kill === "not shown" ||
      !isMet ||
      isOutOfOrder(step) ||
      isAnsweredByChance(step) ||
      isEndedByChance(from, simulated) ||
      (calmResult && deletesIn(calmResult) > 1)
    ) {
      return undefined;
    }
    runs.push({ ...simulated, kill });
    for (const tag of tagsOf(from, simulated)) {
      shown.add(tag);
    }
    return judged;
  };
  for (const step of life) {
    const judged = await run(place, step);
    if (judged === undefined) {
      return undefined;
    }
    place = judged;
  }
  const last = life.at(-1) as Step;
  for (let more = 0; more < 2 && life.some(({ fault }) => fault !== undefined); more += 1) {
    const { program, guards } = last;
    const next = recoveryFrom(place, { program, ...(guards && { guards }) });
    const recovered = await run(next.place, next.step);
    if (recovered === undefined || !needsAnotherRun(recovered)) {
      break;
    }
    place = recovered;
  }
  return { runs, shown };
}

/**
 * Whether the fault could hit any of several requests. Once a group's first number is applied, the provider sends the
 * requests for the others at the same time.
 */
const isOutOfOrder = ({ fault, program }: Step): boolean =>
  fault?.at === "request" && program.some(({ numbers = [] }) => numbers.length > 2);

/**
 * Whether the provider is killed while it waits for several responses. It's a matter of chance which results it has
 * returned by then.
 */
const isAnsweredByChance = ({ fault, order = "serial" }: Step): boolean =>
  fault?.at === "request" && fault.kind.startsWith("dies") && fault.index > 0 && order !== "serial";

/**
 * Whether chance decides which deletes the engine tries. Their order is arbitrary, and the first failure stops the
 * rest.
 */
function isEndedByChance({ world }: Place, { step, result }: SimulatedRun): boolean {
  const declared = declarationsOf(step.program).filter(({ name }) => name !== step.rejects);
  const isDeclared = (saved: { readonly kind: string; readonly name: string }) =>
    declared.some(({ kind, name }) => kind === saved.kind && name === saved.name);
  const toDelete = world.kept.state.filter((saved) => saved.delete || !isDeclared(saved));
  return step.continueOnError !== true && result.failures.length > 0 && toDelete.length > 1;
}

/**
 * Returns the number of deletes in a run. If there are several, a fault could hit any of them, because the engine
 * deletes independent resources in any order.
 */
const deletesIn = ({ run }: RunResult): number =>
  (run?.steps ?? []).filter(({ op }) => op === "delete" || op === "deleteReplaced").length;

function tagsOf({ world }: Place, { step, result }: SimulatedRun): readonly string[] {
  const kinds = new Map([...world.kept.state, ...declarationsOf(step.program)].map(({ name, kind }) => [name, kind]));
  const { fault, order = "serial", program, guards = {}, ...options } = step;
  return [
    ...(result.run?.steps ?? []).map(({ op, name }) => `${op} ${kinds.get(name)}`),
    ...faultTags(fault, result),
    `resources ${order}`,
    ...Object.keys({ ...options, ...guards }),
    // Add a tag for each field that a resource sets, such as `was`, `adopt` or `retryUnresolved`.
    ...program.flatMap((resource) => [...Object.keys(resource), `routing ${resource.routing}`]),
    ...leftTags(world),
    ...result.failures.map(({ message, code }) =>
      code === 14 ? "a provider is gone" : (/^AGP-\d{3}/.exec(message)?.[0] ?? "a rejected argument"),
    ),
  ];
}

function faultTags(fault: Fault | undefined, { sent }: RunResult): readonly string[] {
  if (fault === undefined) {
    return [];
  }
  return fault.at === "request"
    ? [`${fault.kind} ${sent[fault.index]?.operation}`]
    : [`the CLI is killed ${fault.kind} a save`];
}

const leftTags = ({ kept }: World): readonly string[] =>
  kept.state.flatMap((saved) => [
    ...(saved.delete ? ["after an original that waits for its delete"] : []),
    ...(saved.initErrors.length > 0 ? ["after a failure that was saved"] : []),
    ...(saved.outputs.unresolved === true ? ["after a POST of unknown outcome"] : []),
  ]);

export async function chosenLives(): Promise<{
  readonly lives: readonly Chosen[];
  readonly tags: ReadonlySet<string>;
}> {
  const tags = new Set<string>();
  const lives: Chosen[] = [];
  for (const life of fc.sample(randomLives, { seed: 31, numRuns: CANDIDATES })) {
    const candidate = await simulate(life.slice(0, 3));
    if (candidate !== undefined && [...candidate.shown].some((tag) => !tags.has(tag))) {
      lives.push(candidate);
      for (const tag of candidate.shown) {
        tags.add(tag);
      }
    }
  }
  return { lives, tags };
}
