import { isDeepStrictEqual } from "node:util";
import { type History, textOf } from "./history";
import { type Assigned, assignedIn, type Sent } from "./platform";
import { isOfNumbers, logicalOf, numberOf, type Program, type Resource, wantedOf } from "./program";
import type { RunResult, Step, World } from "./world";

/**
 * The invariants that every life must maintain. Oracles check them against the requests and the data that the platform
 * stores.
 */

/** A violated invariant, with the oracle that found it. */
class Broken extends Error {
  override readonly name = "Broken";
  constructor(oracle: Oracle, message: string) {
    super(`${oracle}: ${message}`);
  }
}

type Oracle = "agents" | "posts" | "silence" | "guards" | "rest" | "words";

/** Checks the invariants that hold after every run, even a failed or killed one. */
export function judgeRun(history: History, step: Step, before: World, result: RunResult): void {
  judgeWords(result);
  judgeAgents(history, step, before, result.sent);
  judgePosts(history, result.world);
  judgeUnchanged(history, step, result.sent);
  if (usesCurrentSettings(step, before)) {
    judgeFreeze(step, result.sent);
    judgeLosses(step, result.sent);
  }
}

function judgeWords({ failures, world }: RunResult): void {
  for (const { message, code } of failures) {
    const isExplained = code === 14 || /^AGP-\d{3} /.test(message) || message === "an output of the program failed";
    demand(isExplained, "words", `a failure without a code: ${message}`);
  }
  for (const { id, name } of world.kept.state) {
    demand(id !== "", "words", `${name} is saved without an id`);
  }
}

/**
 * Checks that no declared number loses its agents. If a request gives a number a split, also checks that a program in
 * this life has declared that split for that number.
 */
function judgeAgents({ declared }: History, { program }: Step, before: World, sent: readonly Sent[]): void {
  const now = wantedOf(program);
  const alive = new Set(
    [...before.store.numbers.values()].filter((stored) => isAlive(assignedIn(stored))).map(({ number }) => number),
  );
  for (const { number, after } of sent) {
    if (number === undefined || after === undefined) {
      continue;
    }
    const isKnown = declared.get(number)?.has(textOf(after.calls)) === true;
    demand(isKnown || !isAlive(after), "agents", `${number} gets ${textOf(after.calls)}, which no program declares`);
    const isLost = now.has(number) && alive.has(number) && !isAlive(after);
    demand(!isLost, "agents", `${number} is left without agents, although the program declares it`);
  }
}

const isAlive = ({ calls }: Assigned): boolean => Object.keys(calls).length > 0;

/**
 * Checks that no voice or chat was created more often than decided, and that no chat in the state has ended, unless the
 * request to end it got no response.
 */
function judgePosts({ decided, posted, doubted }: History, { kept, store }: World): void {
  for (const [logical, count] of posted) {
    demand(
      count <= (decided.get(logical) ?? 0),
      "posts",
      `${logical} was posted ${count} times, but decided only ${decided.get(logical) ?? 0} times`,
    );
  }
  const savedIds = new Set(kept.state.filter((saved) => !saved.delete).map(({ id }) => id));
  for (const { chatId, ended } of store.chats) {
    demand(
      !ended || !savedIds.has(chatId) || doubted.has(chatId),
      "posts",
      `chat ${chatId} has ended, but is still in the state`,
    );
  }
}

/** Checks that nothing is sent for an unchanged resource, as long as all runs have succeeded without a fault. */
function judgeUnchanged({ isCalm, last }: History, { program, fault }: Step, sent: readonly Sent[]): void {
  if (!isCalm || fault !== undefined) {
    return;
  }
  const numbersOfOthers = (resources: Program, name: string) =>
    resources.filter((other) => other.name !== name).flatMap(({ numbers = [] }) => numbers);
  for (const resource of program.filter((declared) => last.some((old) => isDeepStrictEqual(old, declared)))) {
    const shared = new Set([...numbersOfOthers(last, resource.name), ...numbersOfOthers(program, resource.name)]);
    const numbers = (resource.numbers ?? []).filter((digit) => !shared.has(digit)).map(numberOf);
    const extra = sent.find((request) => numbers.includes(request.number ?? "") || isPostOf(resource, request));
    demand(extra === undefined, "silence", `${resource.name} is unchanged, but ${extra?.operation} was sent for it`);
  }
}

const isPostOf = (resource: Resource, { logical }: Sent): boolean =>
  !isOfNumbers(resource) && logical === logicalOf(resource);

/**
 * Whether this run uses its own settings. If its program declares no resources, the provider deletes the old ones with
 * the settings of an earlier run (see docs/limits.md).
 */
const usesCurrentSettings = ({ program }: Step, { kept }: World): boolean =>
  program.length > 0 || kept.state.length === 0;

/** Checks that nothing is sent while the stack is frozen. */
function judgeFreeze(step: Step, sent: readonly Sent[]): void {
  const isBroken = step.guards?.freeze !== undefined && sent.length > 0;
  demand(!isBroken, "guards", `${sent[0]?.operation} was sent while the stack is frozen`);
}

/** Checks that a run doesn't unassign more numbers than `maxRemove` allows. A destroy has no limit. */
function judgeLosses({ guards = {}, program }: Step, sent: readonly Sent[]): void {
  const { maxRemove = Number.POSITIVE_INFINITY } = guards as { readonly maxRemove?: number | null };
  const cleared = new Set(
    sent
      .filter(({ before, after }) => before !== undefined && isAlive(before) && after !== undefined && !isAlive(after))
      .map(({ number }) => number),
  );
  const isDestroy = program.length === 0;
  // The default limit is 5% of the numbers, but at least 1. For programs as small as these, it is 1.
  const isKept = isDestroy || cleared.size <= (maxRemove ?? 1);
  demand(isKept, "guards", `${cleared.size} numbers lost their agents`);
}

/** Checks that a preview sends nothing. */
export function judgePreview({ sent }: RunResult): void {
  demand(sent.length === 0, "silence", `a preview sent ${sent[0]?.operation}`);
}

/**
 * Checks that declared numbers have their routing and all others are cleared, unless an earlier fault explains a
 * difference.
 */
export function judgeRest(history: History, program: Program, { world, failures }: RunResult): void {
  demand(failures.length === 0, "rest", `the second run without faults fails: ${failures[0]?.message}`);
  const wanted = wantedOf(program);
  for (const [number, declared] of wanted) {
    const stored = world.store.numbers.get(number);
    const actual = stored && assignedIn(stored);
    const isUnsaved = history.unsaved.has(number);
    const fields = history.warned.has(number) ? ["calls"] : Object.keys({ ...(!isUnsaved && actual), ...declared });
    const isRight = fields.every((field) =>
      isDeepStrictEqual(Reflect.get(actual ?? {}, field), Reflect.get(declared, field)),
    );
    demand(
      isRight,
      "rest",
      `${number} has ${JSON.stringify(actual) ?? "no routing"}, but is declared as ${JSON.stringify(declared)}`,
    );
  }
  for (const stored of world.store.numbers.values()) {
    const { calls, ...others } = assignedIn(stored);
    const isLeft = Object.keys(calls).length > 0 || Object.values(others).some((value) => value !== undefined);
    const isUnsaved = history.unsaved.has(stored.number);
    demand(
      wanted.has(stored.number) || !isLeft || isUnsaved,
      "rest",
      `${stored.number} has ${JSON.stringify(assignedIn(stored))}, but is not declared`,
    );
  }
  judgeKept(history, program, world);
}

/**
 * Checks that each declared chat is open, and that each open chat is in the state. Exempts chats whose requests got no
 * response.
 */
function judgeKept({ unanswered, doubted }: History, program: Program, { kept, store }: World): void {
  for (const resource of program.filter(({ kind }) => kind === "chat")) {
    const saved = kept.state.find(({ name, kind }) => name === resource.name && kind === "smsChat");
    const chat = store.chats.find(({ chatId }) => chatId === saved?.id);
    const isOpen = chat !== undefined && (!chat.ended || doubted.has(chat.chatId));
    demand(isOpen, "rest", `chat ${resource.name} is not open`);
  }
  const ids = new Set(kept.state.map(({ id }) => id));
  for (const { chatId, ended, metadata } of store.chats) {
    const isUnanswered = unanswered.has(String(metadata?.logical));
    demand(ended || ids.has(chatId) || isUnanswered, "rest", `chat ${chatId} is open, but is not in the state`);
  }
}

/** Checks that a run without changes neither sends nor changes anything. */
export function judgeIdle({ sent, run, failures }: RunResult): void {
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
