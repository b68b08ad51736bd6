import type { Saved } from "../support/miniEngine";
import type { Assigned } from "./platform";
import { isOfNumbers, logicalOf, type Program, type Resource, wantedOf } from "./program";
import type { RunResult, Step, World } from "./world";

/** What the oracles need to know about the earlier runs of a life. */
export interface History {
  /** The program of the previous run. Empty before the first run. */
  readonly last: Program;
  /** For each number, all splits that programs have declared for it so far, as JSON (see `textOf`). */
  readonly declared: ReadonlyMap<string, ReadonlySet<string>>;
  /** How many times the operator has decided to create each voice and chat, by logical name (see `logicalOf`). */
  readonly decided: ReadonlyMap<string, number>;
  /** How many times each voice and chat may have been created, by logical name. */
  readonly posted: ReadonlyMap<string, number>;
  /** The IDs of chats that may have ended, because the request to end them got no response. */
  readonly doubted: ReadonlySet<string>;
  /** Numbers, and logical names of voices and chats, for which a request got no response. */
  readonly unanswered: ReadonlySet<string>;
  /** Numbers for which a runbook says to change `triggers`. */
  readonly touched: ReadonlySet<string>;
  /** Numbers whose routing may differ from the saved state, because a killed run sent requests for them. */
  readonly unsaved: ReadonlySet<string>;
  /** Numbers whose webhook or outbound agent the platform may have ignored. The provider only warns about this. */
  readonly warned: ReadonlySet<string>;
  /** Whether all runs so far have succeeded without a fault. */
  readonly isCalm: boolean;
  readonly triggers: number;
}

export const BEGINNING: History = {
  last: [],
  declared: new Map(),
  decided: new Map(),
  posted: new Map(),
  doubted: new Set(),
  unanswered: new Set(),
  touched: new Set(),
  unsaved: new Set(),
  warned: new Set(),
  isCalm: true,
  triggers: 0,
};

/**
 * Updates the history before a run. Records the splits that the program declares, and the voices and chats that it
 * decides to create.
 */
export function withProgram(history: History, { program }: Step): History {
  const declared = new Map(history.declared);
  for (const [number, { calls }] of wantedOf(program)) {
    declared.set(number, new Set([...(declared.get(number) ?? []), textOf(calls)]));
  }
  return {
    ...history,
    declared,
    decided: decidedBy(history, program),
  };
}

/**
 * Returns `decided` with 1 added for each voice and chat that is new in the program or has a new `retryUnresolved`.
 * Skips those with `adopt`.
 */
function decidedBy({ decided, last }: History, program: Program): ReadonlyMap<string, number> {
  const next = new Map(decided);
  for (const resource of program.filter((declared) => !isOfNumbers(declared) && declared.adopt === undefined)) {
    const isSame = (old: Resource) => old.name === resource.name || old.name === resource.was;
    const isKnown = last.some((old) => isSame(old) && logicalOf(old) === logicalOf(resource));
    const isRetried =
      resource.retryUnresolved !== undefined && !last.some((old) => old.retryUnresolved === resource.retryUnresolved);
    if (!isKnown || isRetried) {
      increment(next, logicalOf(resource));
    }
  }
  return next;
}

const numbersIn = ({ outputs, inputs }: Pick<Saved, "inputs" | "outputs">): readonly string[] =>
  `${JSON.stringify(outputs)}${JSON.stringify(inputs)}`.match(/\+1555\d{7}/g) ?? [];

/** Returns the history after a run. `before` is the world before the run. */
export function withRun(history: History, step: Step, result: RunResult, before: World): History {
  const isWhole = step.fault === undefined && step.rejects === undefined;
  const next = withRequests(history, result, before);
  return { ...next, last: step.program, isCalm: history.isCalm && isWhole && result.run?.isOk === true };
}

function withRequests(history: History, { sent, failures, isDead }: RunResult, before: World): History {
  const posted = new Map(history.posted);
  for (const logical of postsIn(sent.filter(({ isRefused }) => !isRefused))) {
    increment(posted, logical);
  }
  const decided = new Map(history.decided);
  // A killed run can lose the results of its last requests, so the next run may repeat a POST (see docs/limits.md).
  // Count these POSTs as decided, so that `judgePosts` allows the repeat.
  for (const logical of isDead ? postsIn(sent.filter(({ isRefused }) => !isRefused)) : []) {
    increment(decided, logical);
  }
  const unheard = sent.filter(({ isAnswered }) => !isAnswered || isDead);
  const unsaved = isDead ? sent.flatMap(({ number = [] }) => number) : [];
  return {
    ...history,
    posted,
    decided,
    doubted: new Set([...history.doubted, ...unheard.flatMap(({ chatId = [] }) => chatId)]),
    unanswered: new Set([...history.unanswered, ...postsIn(unheard), ...unheard.flatMap(({ number = [] }) => number)]),
    touched: new Set([...history.touched, ...unsaved, ...numbersToTrigger(failures, before)]),
    unsaved: new Set([...history.unsaved, ...unsaved]),
    warned: new Set([
      ...history.warned,
      ...sent.flatMap(({ isContradicted, number = [] }) => (isContradicted ? number : [])),
    ]),
  };
}

const postsIn = (sent: RunResult["sent"]): readonly string[] =>
  sent.flatMap(({ logical, operation }) => (logical === undefined || operation === "endChat" ? [] : [logical]));

/** Returns the phone numbers of the resources whose error message says to change `triggers`. */
const numbersToTrigger = (failures: RunResult["failures"], { kept }: World): readonly string[] =>
  failures
    .filter(({ message }) => message.includes("change `triggers`"))
    .flatMap(({ name }) => kept.state.filter((saved) => saved.name === name).flatMap(numbersIn));

const increment = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

export const textOf = (calls: Assigned["calls"]): string => JSON.stringify(Object.entries(calls).sort());
