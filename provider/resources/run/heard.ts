import type * as messages from "../../core/messages";

/** What the processes of a run tell each other, and what that adds up to. */

/** What a process tells the others before it sends anything. Keys are hashes. */
export type Announced =
  /** The program begins. One process may run it several times. */
  | { readonly starts: true }
  | { readonly by: string; readonly declares: readonly string[]; readonly isSecret?: true }
  /** A check of a new resource, or of a replacement, has passed: its create comes next. */
  | { readonly by: string; readonly awaitsCreate: true }
  | { readonly by: string; readonly begins: true }
  | { readonly removes: number };

/** What a process tells the others after it has sent something, or because something failed. Names of fields are not secret. */
export type Reported =
  | { readonly applied: readonly string[]; readonly fields: readonly string[] }
  /** The key of a chat that a request has started. */
  | { readonly by: string; readonly started: string }
  | { readonly failed: true };

/** What was told, and the process that told it: one line of the run's file. */
export type RunLine = { readonly pid: number; readonly isProgram?: boolean } & (Announced | Reported);

/** A resource that has declared a key, and the process that told it. */
export interface Holder {
  readonly urn: string;
  readonly isSecret: boolean;
  readonly pid: number;
}

interface ToldHolder extends Holder {
  readonly isOfThisRun: boolean;
}

/** What the processes of the run have told so far. */
export type Heard = ReturnType<typeof newHeard>["heard"];

/** How the processes of a run tell each other what they remember. */
export interface RunFile {
  /** The key of a number or of a chat in the file. */
  keyOf(identity: readonly string[]): string;
  /** Tells the others before a request. Throws if they cannot be told: then nothing may be sent. */
  announce(told: Announced): void;
  /** Tells the others after a request, and so it never throws. If they cannot be told, it returns a warning once, and from then on no process of the run clears anything. */
  report(told: Reported): messages.Message | undefined;
  heard(): Heard;
  /** Throws if the file cannot be read: then it is not known what the others declare, and nothing may be cleared. */
  refuseIfUnusable(): void;
  isAlive(pid: number): boolean;
}

/** Which resources have declared which keys. */
function newHolders() {
  const declared = new Map<string, ToldHolder[]>();
  /** The resources that the engine has asked a process of this run to check. */
  const checked = new Set<string>();
  const holdersIn = (key: string): readonly ToldHolder[] => declared.get(key) ?? [];
  const isHeld = (key: string, isWanted: (one: ToldHolder) => boolean): boolean => holdersIn(key).some(isWanted);

  return {
    checked,
    declare(
      { pid, by, ...told }: Extract<RunLine, { declares: unknown } | { started: unknown }>,
      isOfThisRun: boolean,
    ): void {
      const { declares, isSecret = false } = "started" in told ? { declares: [told.started] } : told;
      const holder = { urn: by, isSecret, pid, isOfThisRun };
      for (const key of declares) {
        if (!isHeld(key, (one) => one.urn === by && one.pid === pid)) {
          declared.set(key, [...holdersIn(key), holder]);
        }
      }
      if (isOfThisRun) {
        checked.add(by);
      }
    },
    answers: {
      /** The first resource that declared the key. */
      firstHolderOf: (key: string): Holder | undefined => holdersIn(key).find(({ isOfThisRun }) => isOfThisRun),
      /** The resources that declared the key in a check of this run, in this order. */
      holdersOf: (key: string): readonly Holder[] => holdersIn(key).filter(({ isOfThisRun }) => isOfThisRun),
      /** Did a process declare the key that had ended before this one began? It may belong to an earlier run whose engine had the same address. */
      mayBeHeld: (key: string): boolean => isHeld(key, ({ isOfThisRun }) => !isOfThisRun),
    },
  };
}

/** Adds up what the processes of a run have told. */
export function newHeard() {
  const { checked, declare, answers } = newHolders();
  const applied = new Map<string, readonly string[]>();
  const awaited = new Set<string>();
  const sums = { removed: 0, hasFailed: false };
  let failedProgram: number | undefined;

  function take(line: RunLine, isOfThisRun: boolean): void {
    if ("declares" in line || "started" in line) {
      declare(line, isOfThisRun);
    }
    if (line.isProgram) {
      noteProgram(line);
    }
    // A process that had ended before this one began may belong to an earlier run. What else it told does not count.
    if (isOfThisRun) {
      note(line);
    }
  }

  /** The program ends before the first delete, so its failure counts although its process has ended. A run has one program: another one is of a later run. */
  function noteProgram(line: RunLine): void {
    if ("failed" in line) {
      failedProgram = line.pid;
    } else if ("starts" in line && line.pid !== failedProgram) {
      failedProgram = undefined;
    }
  }

  function note(line: RunLine): void {
    if ("awaitsCreate" in line) {
      awaited.add(`${line.pid} ${line.by}`);
    } else if ("begins" in line) {
      awaited.delete(`${line.pid} ${line.by}`);
    } else if ("applied" in line) {
      for (const key of line.applied) {
        applied.set(key, line.fields);
      }
    } else if ("removes" in line) {
      sums.removed += line.removes;
    } else if ("failed" in line) {
      sums.hasFailed = true;
    }
  }

  return {
    take,
    heard: {
      ...answers,
      /** The fields that a request of this run bound to the number, if there was one. */
      fieldsApplied: (key: string): readonly string[] | undefined => applied.get(key),
      /** Has a check of a new resource, or of a replacement, passed whose create has not begun? */
      get awaitsCreate(): boolean {
        return awaited.size > 0;
      },
      get hasFailed(): boolean {
        return sums.hasFailed || failedProgram !== undefined;
      },
      /** Was any provider process asked to check a resource? A destroy asks for none. */
      get isDeclaring(): boolean {
        return checked.size > 0;
      },
      /** How many numbers the deletes of this run have cleared. */
      get removed(): number {
        return sums.removed;
      },
    },
  };
}
