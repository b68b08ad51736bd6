import type { Saved } from "../support/miniEngine";
import type { Assigned } from "./platform";
import { isOfNumbers, logicalOf, type Piece, type Program, wantedOf } from "./program";
import type { Lived, Step, World } from "./world";

/** What a judge has to know of a life beside the world that it has come to. */
export interface History {
  /** The program of the last run; empty before the first one. */
  readonly last: Program;
  /** Every way in which a program of this life has declared a number, as text. */
  readonly declared: ReadonlyMap<string, ReadonlySet<string>>;
  /** How often the operator decided that a chat or a voice is posted, and how often it may have been. */
  readonly decided: ReadonlyMap<string, number>;
  readonly posted: ReadonlyMap<string, number>;
  /** Chats whose end got no response: a message says that they may or may not have ended. */
  readonly doubted: ReadonlySet<string>;
  /** Chats, voices and numbers of which a request got no response: a message says so. */
  readonly unanswered: ReadonlySet<string>;
  /** Numbers of which a runbook says to change `triggers`. */
  readonly touched: ReadonlySet<string>;
  /** Numbers that a run which was killed may have given what no state says. */
  readonly unsaved: ReadonlySet<string>;
  /** Numbers whose webhook or outbound agent the platform may have ignored: that is a warning. */
  readonly warned: ReadonlySet<string>;
  /** Has nothing gone wrong in this life? */
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

/** Before a run: what its program declares, and what it decides. */
export function declaring(history: History, { program }: Step): History {
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

/** A chat or a voice is decided on when it comes into the program, and by a retry that the program allows. */
function decidedBy({ decided, last }: History, program: Program): ReadonlyMap<string, number> {
  const next = new Map(decided);
  for (const piece of program.filter((one) => !isOfNumbers(one) && one.adopt === undefined)) {
    const isSame = (one: Piece) => one.name === piece.name || one.name === piece.was;
    const isKnown = last.some((one) => isSame(one) && logicalOf(one) === logicalOf(piece));
    const isRetried =
      piece.retryUnresolved !== undefined && !last.some((one) => one.retryUnresolved === piece.retryUnresolved);
    if (!isKnown || isRetried) {
      add(next, logicalOf(piece));
    }
  }
  return next;
}

const numbersIn = ({ outputs, inputs }: Pick<Saved, "inputs" | "outputs">): readonly string[] =>
  `${JSON.stringify(outputs)}${JSON.stringify(inputs)}`.match(/\+1555\d{7}/g) ?? [];

/** After a run. */
export function after(history: History, step: Step, lived: Lived, before: World): History {
  const isWhole = step.fault === undefined && step.rejects === undefined;
  const next = noted(history, lived, before);
  return { ...next, last: step.program, isCalm: history.isCalm && isWhole && lived.run?.isOk === true };
}

function noted(history: History, { sent, failures, isDead }: Lived, before: World): History {
  const posted = new Map(history.posted);
  for (const logical of postsIn(sent.filter(({ isRefused }) => !isRefused))) {
    add(posted, logical);
  }
  const decided = new Map(history.decided);
  // The declared exception: if the CLI or the provider is killed, nobody has saved what the run sent last, and a POST of it is sent again.
  for (const logical of isDead ? postsIn(sent.filter(({ isRefused }) => !isRefused)) : []) {
    add(decided, logical);
  }
  const unheard = sent.filter(({ isAnswered }) => !isAnswered || isDead);
  const unsaved = isDead ? sent.flatMap(({ number = [] }) => number) : [];
  return {
    ...history,
    posted,
    decided,
    doubted: new Set([...history.doubted, ...unheard.flatMap(({ chatId = [] }) => chatId)]),
    unanswered: new Set([...history.unanswered, ...postsIn(unheard), ...unheard.flatMap(({ number = [] }) => number)]),
    touched: new Set([...history.touched, ...unsaved, ...left(failures, before)]),
    unsaved: new Set([...history.unsaved, ...unsaved]),
    warned: new Set([
      ...history.warned,
      ...sent.flatMap(({ isContradicted, number = [] }) => (isContradicted ? number : [])),
    ]),
  };
}

const postsIn = (sent: Lived["sent"]): readonly string[] =>
  sent.flatMap(({ logical, operation }) => (logical === undefined || operation === "endChat" ? [] : [logical]));

/** Numbers of deletes that failed, and of which the message says what to do if they are kept. */
const left = (failures: Lived["failures"], { kept }: World): readonly string[] =>
  failures
    .filter(({ message }) => message.includes("change `triggers`"))
    .flatMap(({ name }) => kept.state.filter((one) => one.name === name).flatMap(numbersIn));

const add = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

export const textOf = (calls: Assigned["calls"]): string => JSON.stringify(Object.entries(calls).sort());
