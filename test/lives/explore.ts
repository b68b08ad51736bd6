import { placeOf } from "./history";
import { BIRTH, broughtToRest, type Life, lived, type Place, previewed } from "./life";
import { Broken } from "./oracles";
import type { Fault, Lived, Step } from "./world";

/** Tries every life of an alphabet: each run with each fault that can meet it, and from there to its rest. */

export interface Tally {
  /** From birth to rest. */
  lives: number;
  /** Those of them that had come to a place from which another life had been lived already. */
  shared: number;
  runs: number;
  faults: number;
  refused: number;
}

const newTally = (): Tally => ({ lives: 0, shared: 0, runs: 0, faults: 0, refused: 0 });

/** A life that does not hold, as data. */
export interface Failed {
  readonly life: Life;
  readonly broken: Broken;
}

/** A beginning, and what may come after it. */
export interface Chapter {
  readonly first: Step;
  readonly nexts: readonly Next[];
}

export interface Next {
  readonly step: Step;
  /** Is it tried with each fault? */
  readonly isFaulty: boolean;
  /** What may come after it, beside the rest. */
  readonly thirds?: readonly Step[];
}

/** More of them say nothing new. */
const MOST_FAILURES = 20;

export function newExploration() {
  const tally = newTally();
  const failed: Failed[] = [];
  const rests = new Set<string>();
  const previews = new Set<string>();

  async function attempt<T>(life: Life, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Broken)) {
        const what = error instanceof Error ? error.message : String(error);
        throw new Error(`the product or the model threw: ${what}\nin the last run of ${JSON.stringify(life)}`, {
          cause: error,
        });
      }
      failed.push({ life, broken: error });
      return undefined;
    }
  }

  const run = async (place: Place, life: Life): Promise<(Place & { lived: Lived }) | undefined> => {
    tally.runs += 1;
    const at = await attempt(life, () => lived(place, life.at(-1) as Step));
    tally.refused += at !== undefined && isRefused(at.lived) ? 1 : 0;
    return at;
  };

  /** To the rest, and through each third change to the rest, unless another life has been there. */
  async function finish(place: Place & { lived: Lived }, life: Life, next: Pick<Next, "thirds">): Promise<void> {
    const step = life.at(-1) as Step;
    await rest(place, life, step);
    for (const third of next.thirds ?? []) {
      const whole = [...life, third];
      await once(place, third, async () => {
        const at = await run(place, whole);
        if (at !== undefined) {
          await bringToRest(at, whole, third);
        }
      });
    }
  }

  /** Does the work if no other life has done it from this place. */
  async function once(place: Place, step: Step, work: () => Promise<unknown>): Promise<void> {
    tally.lives += 1;
    const key = `${JSON.stringify(step)} ${placeOf(place.world, place.history)}`;
    if (rests.has(key)) {
      tally.shared += 1;
      return;
    }
    rests.add(key);
    await work();
  }

  const rest = (place: Place, life: Life, { program, guards }: Step): Promise<void> => {
    const step: Step = { program, ...(guards !== undefined && { guards }) };
    return once(place, step, () => bringToRest(place, life, step));
  };

  async function bringToRest(place: Place, life: Life, step: Step): Promise<void> {
    tally.runs += 2;
    await attempt(life, () => broughtToRest(place, { program: step.program }));
  }

  async function preview(place: Place, life: Life): Promise<void> {
    const step = life.at(-1) as Step;
    const key = `${JSON.stringify(step)} ${placeOf(place.world, place.history)}`;
    if (!previews.has(key)) {
      previews.add(key);
      tally.runs += 1;
      await attempt(life, () => previewed(place, step));
    }
  }

  async function faulted(
    place: Place,
    life: Life,
    clean: Lived,
    work: (place: Place & { lived: Lived }, life: Life) => Promise<void>,
  ) {
    const step = life.at(-1) as Step;
    for (const fault of faultsOf(clean)) {
      tally.faults += 1;
      const whole: Life = [...life.slice(0, -1), { ...step, fault }];
      const at = await run(place, whole);
      if (at !== undefined) {
        await work(at, whole);
      }
    }
  }

  return {
    tally,
    failed,
    async live(chapter: Chapter): Promise<void> {
      const { first, nexts } = chapter;
      await preview(BIRTH, [first]);
      const begun = await run(BIRTH, [first]);
      if (begun === undefined) {
        return;
      }
      await rest(begun, [first], first);
      for (const next of nexts) {
        await second(begun, [first, next.step], next);
      }
      await faultyFirst(chapter, begun.lived);
    },
  };

  async function second(begun: Place, life: Life, next: Next): Promise<void> {
    if (failed.length >= MOST_FAILURES) {
      return;
    }
    if (next.step.order === undefined) {
      await preview(begun, life);
    }
    const at = await run(begun, life);
    if (at === undefined) {
      return;
    }
    await finish(at, life, next);
    if (next.isFaulty) {
      await faulted(begun, life, at.lived, (place, whole) => finish(place, whole, next));
    }
  }

  async function faultyFirst({ first, nexts }: Chapter, clean: Lived): Promise<void> {
    await faulted(BIRTH, [first], clean, async (place, life) => {
      await rest(place, life, first);
      for (const { step } of nexts.filter((one) => one.isFaulty && one.step.order === undefined)) {
        await once(place, step, async () => {
          const at = await run(place, [...life, step]);
          if (at !== undefined) {
            await bringToRest(at, [...life, step], step);
          }
        });
      }
    });
  }
}

const isRefused = ({ failures }: Lived): boolean => failures.some(({ message }) => /^AGP-02\d/.test(message));
export const PUT_FAULTS = [
  "refused",
  "lostBefore",
  "lostAfter",
  "contradicting",
  "tooMany",
  "diesBefore",
  "diesAfter",
] as const;
const POST_FAULTS = ["refused", "lostBefore", "lostAfter", "tooMany", "diesBefore", "diesAfter"] as const;

/** Every fault that can meet a run which does this. */
export function* faultsOf({ sent, saves }: Lived): Iterable<Fault> {
  for (const [index, { operation }] of sent.entries()) {
    for (const kind of operation === "assignNumber" ? PUT_FAULTS : POST_FAULTS) {
      yield { at: "request", index, kind };
    }
  }
  for (let index = 0; index < saves; index += 1) {
    yield { at: "save", index, kind: "before" };
    yield { at: "save", index, kind: "after" };
  }
}
