import { isDeepStrictEqual } from "node:util";
import { type History, textOf } from "./history";
import { type Assigned, assignedIn, type Sent } from "./platform";
import { isOfNumbers, logicalOf, numberOf, type Piece, type Program, ROUTINGS, stablesIn, wantedOf } from "./program";
import type { Lived, Step, World } from "./world";

/** What must hold in every life. The platform's own store is the judge. */

/** What does not hold, and the oracle that saw it. */
export class Broken extends Error {
  override readonly name = "Broken";
  readonly oracle: Oracle;
  constructor(oracle: Oracle, message: string) {
    super(`${oracle}: ${message}`);
    this.oracle = oracle;
  }
}

export type Oracle = "agents" | "posts" | "silence" | "guards" | "rest" | "abort" | "words";

/** After each run, whatever has happened to it. */
export function judgeRun(history: History, step: Step, before: World, lived: Lived): void {
  judgeWords(lived);
  judgeAgents(history, step, before, lived.sent);
  judgePosts(history, lived.world);
  judgeUnchanged(history, step, lived.sent);
  if (isHeard(step, before)) {
    judgeFreeze(step, lived.sent);
    judgeGuards(history, step, lived.sent);
    judgeNaming(history, step, before, lived);
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

/** A resource that is not changed sends nothing. */
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

/** What each guard keeps, whoever has judged it. */
function judgeGuards(history: History, { guards = {}, program }: Step, sent: readonly Sent[]): void {
  const { maxRemove = Number.POSITIVE_INFINITY } = guards as Guards;
  const changes = sent.flatMap(({ number, before, after }) =>
    number === undefined || after === undefined ? [] : [{ number, before: before?.calls ?? {}, after: after.calls }],
  );
  const isNone = (calls: Assigned["calls"]) => Object.keys(calls).length === 0;
  const cleared = new Set(
    changes.filter(({ before, after }) => isNone(after) && !isNone(before)).map(({ number }) => number),
  );
  const isDestroy = program.length === 0;
  demand(
    // Of two numbers the default lets one go.
    isDestroy || cleared.size <= (maxRemove ?? 1),
    "guards",
    `${cleared.size} numbers lost their agents`,
  );
  // Calls that a number has had before in this life may come back.
  for (const change of changes.filter(({ number, after }) => !history.had.get(number)?.has(textOf(after)))) {
    judgeShift(history, program, guards as Guards, change);
  }
}

interface Change {
  readonly number: string;
  readonly before: Assigned["calls"];
  readonly after: Assigned["calls"];
}

function judgeShift(
  { had, stables, unanswered }: History,
  program: Program,
  { maxShift, approvedAgents, steps }: Guards,
  { number, before, after }: Change,
): void {
  const rises = Object.entries(after)
    .map(([agent, to]) => ({ agent, from: before[agent] ?? 0, to }))
    .filter(({ from, to }) => to > from);
  for (const { agent } of rises) {
    const isApproved = approvedAgents?.includes(agent) ?? true;
    demand(isApproved, "guards", `${agent} gets calls of ${number}, and nobody approved it`);
  }
  // From no agent nothing shifts, and not from what a lost request has left, which no guard knows.
  if (Object.keys(before).length === 0 || unanswered.has(number)) {
    return;
  }
  // An abort gives all calls to an agent that was judged when it was named.
  const [only = "", ...others] = Object.keys(after);
  if (others.length === 0 && stables.get(number)?.has(only)) {
    return;
  }
  const shift = rises.reduce((sum, { from, to }) => sum + to - from, 0);
  demand(maxShift === undefined || shift <= maxShift, "guards", `${shift} % of the calls of ${number} moved at once`);
  for (const { agent, from, to } of isRollout(program, number) ? rises : []) {
    const next = steps?.find((one) => one > from) ?? 100;
    const isHeard = to <= next || isStableOf(had, number, agent) || stables.get(number)?.has(agent) === true;
    demand(isHeard, "guards", `${agent} rises from ${from} to ${to} % at ${number}`);
  }
}

/** Who names an agent as stable gives it the right to all calls, so that is judged as if it got them. */
function judgeNaming(
  { stables, had, unanswered }: History,
  { guards = {}, program }: Step,
  { store }: World,
  { failures }: Lived,
): void {
  const { maxShift } = guards as Guards;
  const named = failures.length === 0 && maxShift !== undefined ? stablesIn(program) : [];
  for (const [number, agent] of named) {
    const stored = store.numbers.get(number);
    const calls = stored === undefined ? {} : assignedIn(stored).calls;
    const isNew = Object.keys(calls).length === 0 || unanswered.has(number);
    const isKnown = stables.get(number)?.has(agent) || had.get(number)?.has(textOf({ [agent]: 100 }));
    const shift = 100 - (calls[agent] ?? 0);
    demand(isNew || isKnown || shift <= (maxShift ?? 100), "guards", `${agent} is named as stable for ${number}`);
  }
}

/** The guard steps judges no split that the program writes itself. */
const isRollout = (program: Program, number: string): boolean =>
  program.some(
    ({ numbers = [], routing = "a" }) => numbers.map(numberOf).includes(number) && "rollout" in ROUTINGS[routing],
  );

interface Guards {
  readonly maxRemove?: number | null;
  readonly maxShift?: number;
  readonly approvedAgents?: readonly string[];
  readonly steps?: readonly number[];
}

/** Has the agent had all calls before? Then a rollout may give them back at once. */
const isStableOf = (had: History["had"], number: string, agent: string): boolean =>
  had.get(number)?.has(textOf({ [agent]: 100 })) === true;

/** An abort is heard, and ends every call to the candidate. */
export function judgeAbort({ world, failures }: Lived, numbers: readonly string[], stable: string): void {
  demand(failures.length === 0, "abort", `the abort is refused: ${failures[0]?.message}`);
  for (const number of numbers) {
    const stored = world.store.numbers.get(number);
    const calls = stored ? assignedIn(stored).calls : {};
    demand(isDeepStrictEqual(calls, { [stable]: 100 }), "abort", `${number} has ${textOf(calls)} after the abort`);
  }
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
