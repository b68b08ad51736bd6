import * as fc from "fast-check";
import { BIRTH, isAmiss, type Life, lived, type Place, recovering } from "./life";
import { declarationsOf } from "./program";
import { lives as randomLives } from "./random";
import { type Kill, killOf, type Told } from "./seen";
import type { Fault, Step, World } from "./world";

/** With fewer, some step of the model is in none of the lives that are chosen. */
const CANDIDATES = 10_000;

/**
 * Lives for the real engine, chosen among random ones: each is taken that shows something which none before it has shown. What a run shows is what the engine does with which kind of resource, what goes wrong, how the run was started, and what was
 * left of the run before.
 */

export interface Chosen {
  readonly runs: readonly (Told & { readonly kill: Kill | undefined })[];
}

type Places = Place & { readonly lived: Told["lived"] };

/** A life with the run that the operator starts after a fault; undefined if the real engine cannot show it. */
async function told(life: Life): Promise<(Chosen & { readonly shown: ReadonlySet<string> }) | undefined> {
  const runs: Chosen["runs"][number][] = [];
  const shown = new Set<string>();
  let place: Place = BIRTH;
  const run = async (from: Place, step: Step): Promise<Places | undefined> => {
    const at = await lived(from, step);
    const one: Told = { step, triggers: from.history.triggers, lived: at.lived };
    const { fault, ...calm } = step;
    const without = fault === undefined ? undefined : (await lived(from, calm)).lived;
    const kill = without && fault?.at !== "request" ? killOf(one, without) : undefined;
    const isMet = fault?.at !== "request" || at.lived.sent.length > fault.index;
    if (
      kill === "not shown" ||
      !isMet ||
      isOutOfOrder(step) ||
      isAnsweredByChance(step) ||
      isEndedByChance(from, one) ||
      (without && deletesIn(without) > 1)
    ) {
      return undefined;
    }
    runs.push({ ...one, kill });
    for (const tag of tagsOf(from, one)) {
      shown.add(tag);
    }
    return at;
  };
  for (const step of life) {
    const at = await run(place, step);
    if (at === undefined) {
      return undefined;
    }
    place = at;
  }
  const last = life.at(-1) as Step;
  for (let more = 0; more < 2 && life.some(({ fault }) => fault !== undefined); more += 1) {
    const { program, guards } = last;
    const next = recovering(place, { program, ...(guards && { guards }) });
    const at = await run(next.place, next.step);
    if (at === undefined || !isAmiss(at)) {
      break;
    }
    place = at;
  }
  return { runs, shown };
}

/** Once a group's first number is applied, the others are sent at the same time, so a fault can meet any of them. */
const isOutOfOrder = ({ fault, program }: Step): boolean =>
  fault?.at === "request" && program.some(({ numbers = [] }) => numbers.length > 2);

/**
 * If a provider dies while it waits for several responses, it may or may not have passed on those that came before its
 * death.
 */
const isAnsweredByChance = ({ fault, order = "serial" }: Step): boolean =>
  fault?.at === "request" && fault.kind.startsWith("dies") && fault.index > 0 && order !== "serial";

/**
 * The engine deletes independent resources in any order. Unless the run goes on after an error, the first delete that fails keeps it from the
 * others, so chance decides which of them is tried at all.
 */
function isEndedByChance({ world }: Place, { step, lived: at }: Told): boolean {
  const declared = declarationsOf(step.program).filter(({ name }) => name !== step.rejects);
  const isDeclared = (saved: { readonly kind: string; readonly name: string }) =>
    declared.some(({ kind, name }) => kind === saved.kind && name === saved.name);
  const toDelete = world.kept.state.filter((saved) => saved.delete || !isDeclared(saved));
  return step.continueOnError !== true && at.failures.length > 0 && toDelete.length > 1;
}

/** The engine deletes what does not depend on one another in any order, so a fault would meet now one of them and now another. */
const deletesIn = ({ run }: Told["lived"]): number =>
  (run?.steps ?? []).filter(({ op }) => op === "delete" || op === "deleteReplaced").length;

function tagsOf({ world }: Place, { step, lived: at }: Told): readonly string[] {
  const kinds = new Map([...world.kept.state, ...declarationsOf(step.program)].map(({ name, kind }) => [name, kind]));
  const { fault, order = "serial", program, guards = {}, ...options } = step;
  return [
    ...(at.run?.steps ?? []).map(({ op, name }) => `${op} ${kinds.get(name)}`),
    ...faultTags(fault, at),
    `resources ${order}`,
    ...Object.keys({ ...options, ...guards }),
    // Of each resource: an alias, adopt, retryUnresolved.
    ...program.flatMap((piece) => [...Object.keys(piece), `routing ${piece.routing}`]),
    ...leftTags(world),
    ...at.failures.map(({ message, code }) =>
      code === 14 ? "a provider is gone" : (/^AGP-\d{3}/.exec(message)?.[0] ?? "a rejected argument"),
    ),
  ];
}

function faultTags(fault: Fault | undefined, { sent }: Told["lived"]): readonly string[] {
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
    const one = await told(life.slice(0, 3));
    if (one !== undefined && [...one.shown].some((tag) => !tags.has(tag))) {
      lives.push(one);
      for (const tag of one.shown) {
        tags.add(tag);
      }
    }
  }
  return { lives, tags };
}
