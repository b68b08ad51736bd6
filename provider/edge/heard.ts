import type { Heard, Holder, Told } from "../resources/run";

/** One line of the run's file. */
export type Sentence = { readonly pid: number; readonly isProgram?: boolean } & Told;

interface Declared extends Holder {
  readonly isOfThisRun: boolean;
  readonly isProgram: boolean;
}

/** Adds up what the processes of a run have told. */
export function newHeard(): { take(sentence: Sentence, isOfThisRun: boolean): void; readonly heard: Heard } {
  const declared = new Map<string, Declared[]>();
  const checked = new Set<string>();
  const applied = new Map<string, readonly string[]>();
  const awaited = new Set<string>();
  const sums = { removed: 0, hasFailed: false };

  function declare(sentence: Extract<Sentence, { declares: unknown }>, isOfThisRun: boolean): void {
    const { pid, by, declares, isSecret = false, isProgram = false } = sentence;
    const holder = { urn: by, isSecret, pid, isProgram, isOfThisRun };
    for (const key of declares) {
      const holders = declared.get(key);
      if (holders === undefined) {
        declared.set(key, [holder]);
      } else if (!holders.some((one) => one.urn === by && one.pid === pid && one.isProgram === isProgram)) {
        holders.push(holder);
      }
    }
    if (isOfThisRun && !isProgram) {
      checked.add(by);
    }
  }

  /** The program begins again in the same process: what it declared before no longer counts. */
  function forgetProgram(pid: number): void {
    for (const [key, holders] of declared) {
      declared.set(
        key,
        holders.filter((one) => !(one.isProgram && one.pid === pid)),
      );
    }
  }

  function noteApplied({ applied: keys, fields }: Extract<Sentence, { applied: unknown }>): void {
    for (const key of keys) {
      applied.set(key, fields);
    }
  }

  function take(sentence: Sentence, isOfThisRun: boolean): void {
    if ("declares" in sentence) {
      declare(sentence, isOfThisRun);
    }
    // A process that had ended before this one began may belong to an earlier run. What else it told does not count.
    if (isOfThisRun) {
      note(sentence);
    }
  }

  function note(sentence: Sentence): void {
    if ("starts" in sentence) {
      forgetProgram(sentence.pid);
    } else if ("awaitsCreate" in sentence) {
      awaited.add(`${sentence.pid} ${sentence.by}`);
    } else if ("begins" in sentence) {
      awaited.delete(`${sentence.pid} ${sentence.by}`);
    } else if ("applied" in sentence) {
      noteApplied(sentence);
    } else if ("removes" in sentence) {
      sums.removed += sentence.removes;
    } else if ("failed" in sentence) {
      sums.hasFailed = true;
    }
  }

  const holders = (key: string, isWanted: (one: Declared) => boolean) => (declared.get(key) ?? []).filter(isWanted);

  /** Does it count as a declaration of this run? After the check of a resource only the check counts: `ignoreChanges` may keep other numbers. */
  const isClaim = (key: string, { isProgram, isOfThisRun, urn }: Declared): boolean =>
    isOfThisRun &&
    (!isProgram || !checked.has(urn) || holders(key, (other) => !other.isProgram && other.urn === urn).length > 0);

  return {
    take,
    heard: {
      firstHolderOf: (key) => declared.get(key)?.find((one) => isClaim(key, one)),
      holdersOf: (key) => holders(key, ({ isProgram, isOfThisRun }) => isOfThisRun && !isProgram),
      mayBeHeld: (key) => holders(key, ({ isProgram, isOfThisRun }) => !isOfThisRun && !isProgram).length > 0,
      // The process of the program ends before the first delete, so it need not be alive.
      isLeftOut: (key) =>
        checked.size > 0 && holders(key, ({ isProgram, urn }) => isProgram && !checked.has(urn)).length > 0,
      fieldsApplied: (key) => applied.get(key),
      get awaitsCreate() {
        return awaited.size > 0;
      },
      get hasFailed() {
        return sums.hasFailed;
      },
      get isDeclaring() {
        return checked.size > 0;
      },
      get removed() {
        return sums.removed;
      },
    },
  };
}
