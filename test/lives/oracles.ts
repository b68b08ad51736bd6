import { isDeepStrictEqual } from "node:util";
import { type History, textOf } from "./history";
import { type Assigned, assignedIn, type Sent } from "./platform";
import { isOfNumbers, logicalOf, numberOf, type Piece, type Program, wantedOf } from "./program";
import type { Lived, Step, World } from "./world";

/** Invariants of every life, judged by the platform's own store. */

/** A violated invariant, with the oracle that found it. */
class Broken extends Error {
  override readonly name = "Broken";
  constructor(oracle: Oracle, message: string) {
    super(`${oracle}: ${message}`);
  }
}

type Oracle = "agents" | "posts" | "silence" | "guards" | "rest" | "words";

/** After each run, whatever has happened to it. */
export function judgeRun(history: History, step: Step, before: World, lived: Lived): void {
  judgeWords(lived);
  judgeAgents(history, step, before, lived.sent);
  judgePosts(history, lived.world);
  judgeUnchanged(history, step, lived.sent);
  if (isHeard(step, before)) {
    judgeFreeze(step, lived.sent);
    judgeLosses(step, lived.sent);
  }
}

function judgeWords({ failures, world }: Lived): void {
  for (const { message, code } of failures) {
    const isSaid = code === 14 || /^AGP-\d{3} /.test(message) || message === "an output of the program failed";
    demand(isSaid, "words", `a failure without a code: ${message}`);
  }
  for (const { id, name } of world.kept.state) {
    demand(id !== "", "words", `${name} is saved without an id`);
  }
}

/** No declared number is without agents, or has agents that no program of the life has declared for it. */
function judgeAgents({ declared }: History, { program }: Step, before: World, sent: readonly Sent[]): void {
  const now = wantedOf(program);
  const alive = new Set(
    [...before.store.numbers.values()].filter((one) => isAlive(assignedIn(one))).map(({ number }) => number),
  );
  for (const { number, after } of sent) {
    if (number === undefined || after === undefined) {
      continue;
    }
    const isKnown = declared.get(number)?.has(textOf(after.calls)) === true;
    demand(isKnown || !isAlive(after), "agents", `${number} gets ${textOf(after.calls)}, which no program declares`);
    const isLost = now.has(number) && alive.has(number) && !isAlive(after);
    demand(!isLost, "agents", `${number} is left without agents, and the program declares it`);
  }
}

const isAlive = ({ calls }: Assigned): boolean => Object.keys(calls).length > 0;

/** A POST is sent at most once for each create that the operator decided; and no chat is ended that the program goes on with. */
function judgePosts({ decided, posted, doubted }: History, { kept, store }: World): void {
  for (const [logical, count] of posted) {
    demand(
      count <= (decided.get(logical) ?? 0),
      "posts",
      `${logical} was posted ${count} times, and decided ${decided.get(logical) ?? 0} times`,
    );
  }
  const held = new Set(kept.state.filter((one) => !one.delete).map(({ id }) => id));
  for (const { chatId, ended } of store.chats) {
    demand(
      !ended || !held.has(chatId) || doubted.has(chatId),
      "posts",
      `chat ${chatId} is ended, and the state has it`,
    );
  }
}

/** An unchanged resource sends nothing. */
function judgeUnchanged({ isCalm, last }: History, { program, fault }: Step, sent: readonly Sent[]): void {
  if (!isCalm || fault !== undefined) {
    return;
  }
  const others = (all: Program, name: string) =>
    all.filter((one) => one.name !== name).flatMap(({ numbers = [] }) => numbers);
  for (const piece of program.filter((one) => last.some((old) => isDeepStrictEqual(old, one)))) {
    const shared = new Set([...others(last, piece.name), ...others(program, piece.name)]);
    const numbers = (piece.numbers ?? []).filter((digit) => !shared.has(digit)).map(numberOf);
    const extra = sent.find((one) => numbers.includes(one.number ?? "") || isPostOf(piece, one));
    demand(extra === undefined, "silence", `${piece.name} is unchanged, and ${extra?.operation} was sent for it`);
  }
}

const isPostOf = (piece: Piece, { logical }: Sent): boolean => !isOfNumbers(piece) && logical === logicalOf(piece);

/** A provider that no resource of the program uses has the settings of the last run (docs/limits.md). */
const isHeard = ({ program }: Step, { kept }: World): boolean => program.length > 0 || kept.state.length === 0;

/** While the stack is frozen, nothing is sent. */
function judgeFreeze(step: Step, sent: readonly Sent[]): void {
  const isBroken = step.guards?.freeze !== undefined && sent.length > 0;
  demand(!isBroken, "guards", `${sent[0]?.operation} was sent while the stack is frozen`);
}

/** A run unassigns no more numbers than maxRemove allows. */
function judgeLosses({ guards = {}, program }: Step, sent: readonly Sent[]): void {
  const { maxRemove = Number.POSITIVE_INFINITY } = guards as { readonly maxRemove?: number | null };
  const cleared = new Set(
    sent
      .filter(({ before, after }) => before !== undefined && isAlive(before) && after !== undefined && !isAlive(after))
      .map(({ number }) => number),
  );
  const isDestroy = program.length === 0;
  // Of two numbers the default lets one go.
  const isKept = isDestroy || cleared.size <= (maxRemove ?? 1);
  demand(isKept, "guards", `${cleared.size} numbers lost their agents`);
}

/** A preview sends nothing. */
export function judgePreview({ sent }: Lived): void {
  demand(sent.length === 0, "silence", `a preview sent ${sent[0]?.operation}`);
}

/** After two runs without faults the platform has what is declared, */
export function judgeRest(history: History, program: Program, { world, failures }: Lived): void {
  demand(failures.length === 0, "rest", `the second run without faults fails: ${failures[0]?.message}`);
  const wanted = wantedOf(program);
  for (const [number, one] of wanted) {
    const stored = world.store.numbers.get(number);
    const held = stored && assignedIn(stored);
    const isExtra = history.unsaved.has(number);
    const fields = history.warned.has(number) ? ["calls"] : Object.keys({ ...(!isExtra && held), ...one });
    const isRight = fields.every((field) => isDeepStrictEqual(Reflect.get(held ?? {}, field), Reflect.get(one, field)));
    demand(
      isRight,
      "rest",
      `${number} has ${JSON.stringify(held) ?? "nothing"}, and is declared as ${JSON.stringify(one)}`,
    );
  }
  for (const stored of world.store.numbers.values()) {
    const { calls, ...others } = assignedIn(stored);
    const isLeft = Object.keys(calls).length > 0 || Object.values(others).some((value) => value !== undefined);
    const isNamed = history.unsaved.has(stored.number);
    demand(
      wanted.has(stored.number) || !isLeft || isNamed,
      "rest",
      `${stored.number} has ${JSON.stringify(assignedIn(stored))}, and is not declared`,
    );
  }
  judgeKept(history, program, world);
}

/** Each chat that is declared is open, and the state has it. */
function judgeKept({ unanswered, doubted }: History, program: Program, { kept, store }: World): void {
  for (const piece of program.filter(({ kind }) => kind === "chat")) {
    const saved = kept.state.find(({ name, kind }) => name === piece.name && kind === "smsChat");
    const chat = store.chats.find(({ chatId }) => chatId === saved?.id);
    const isOpen = chat !== undefined && (!chat.ended || doubted.has(chat.chatId));
    demand(isOpen, "rest", `chat ${piece.name} is not open`);
  }
  const ids = new Set(kept.state.map(({ id }) => id));
  for (const { chatId, ended, metadata } of store.chats) {
    const isTold = unanswered.has(String(metadata?.logical));
    demand(ended || ids.has(chatId) || isTold, "rest", `chat ${chatId} is open, and the state does not have it`);
  }
}

/** and the next run sends nothing. */
export function judgeIdle({ sent, run, failures }: Lived): void {
  demand(failures.length === 0, "rest", `a run without a change fails: ${failures[0]?.message}`);
  demand(sent.length === 0, "rest", `a run without a change sent ${sent[0]?.operation} ${sent[0]?.number ?? ""}`);
  const changed = run?.steps.find(({ op }) => op !== "same");
  demand(changed === undefined, "rest", `a run without a change has the step ${changed?.op} ${changed?.name}`);
}

function demand(isTrue: boolean, oracle: Oracle, message: string): asserts isTrue {
  if (!isTrue) {
    throw new Broken(oracle, message);
  }
}
