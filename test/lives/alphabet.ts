import { hexFrom } from "../../emulator/random";
import type { Chapter, Next } from "./explore";
import { ACCOUNT } from "./platform";
import type { Piece, Program } from "./program";
import type { Order, Step } from "./world";

/** What the lives are made of, by hand: no life varies a new field, guard or operation until it is written here. */

const single = (name: string, number: number, more: Partial<Piece> = {}): Piece => ({
  kind: "single",
  name,
  numbers: [number],
  ...more,
});
const group = (name: string, numbers: readonly number[], more: Partial<Piece> = {}): Piece => ({
  kind: "group",
  name,
  numbers,
  ...more,
});

// --- numbers of one resource or another

const FIRSTS: readonly Program[] = [
  [single("x", 1)],
  [group("x", [1])],
  [group("x", [1, 2])],
  [single("x", 1), single("y", 2)],
  [single("x", 1), group("y", [2])],
  [group("x", [1]), group("y", [2])],
].map((program) => program.map((piece) => ({ ...piece, routing: "hook" })));

const SHAPES = [
  (name: string, number: number) => single(name, number),
  (name: string, number: number) => group(name, [number]),
];

function* nextPrograms(first: Program): Iterable<Program> {
  const names = first.length === 1 ? ["x", "y"] : ["x", "y", "z"];
  yield [];
  for (const routing of ["hook", "b"] as const) {
    for (const name of names) {
      for (const piece of [single(name, 1), single(name, 2), group(name, [1]), group(name, [2]), group(name, [1, 2])]) {
        yield [{ ...piece, routing }];
      }
    }
    for (const [one, two] of names.flatMap((a) => names.filter((b) => a !== b).map((b) => [a, b] as const))) {
      for (const [first1, second2] of SHAPES.flatMap((a) => SHAPES.map((b) => [a(one, 1), b(two, 2)] as const))) {
        yield [
          { ...first1, routing },
          { ...second2, routing },
        ];
      }
    }
  }
}

/** The same program, with an alias for each new name that can have one. */
function aliased(first: Program, next: Program): Program | undefined {
  const leaving = first.filter(({ name }) => !next.some((one) => one.name === name));
  const with1 = next.map((piece): Piece => {
    const isNew = !first.some(({ name }) => name === piece.name);
    const was = isNew ? leaving.find(({ kind }) => kind === piece.kind)?.name : undefined;
    return was === undefined ? piece : { ...piece, was };
  });
  const isChanged = with1.some(({ was }) => was !== undefined);
  return isChanged && new Set(with1.map(({ was }) => was)).size === with1.length ? with1 : undefined;
}

const ORDERS_OF_ONE: readonly Order[] = ["serial", "together"];
const ORDERS_OF_TWO: readonly Order[] = ["serial", "together", "reversed"];

function* ordered(program: Program): Iterable<Next> {
  const plain: Step = { program };
  yield { step: plain, isFaulty: true };
  const orders = program.length < 2 ? ORDERS_OF_ONE : ORDERS_OF_TWO;
  for (const order of orders.slice(1)) {
    yield { step: { program, order, continueOnError: true }, isFaulty: order === "together" && program.length === 2 };
  }
  if (program.length === 2) {
    for (const order of orders) {
      yield {
        step: { program: [...program].reverse(), ...(order !== "serial" && { order, continueOnError: true }) },
        isFaulty: false,
      };
    }
  }
}

/** What else a run may be: of a program that fails, under a guard. */
function* modesOf(program: Program): Iterable<Next> {
  for (const { name: rejects } of program) {
    yield { step: { program, rejects }, isFaulty: false };
    yield { step: { program, rejects, isInline: true }, isFaulty: false };
    yield { step: { program: [...program].reverse(), rejects, isInline: true, order: "together" }, isFaulty: false };
  }
  yield { step: { program, guards: { freeze: "audit" } }, isFaulty: false };
  yield { step: { program, guards: { maxRemove: 0 } }, isFaulty: false };
  // The default.
  yield { step: { program, guards: { maxRemove: null } }, isFaulty: false };
}

/** @param count how many resources there are at first */
export function* holderChapters(count: 1 | 2): Iterable<Chapter> {
  for (const first of FIRSTS.filter(({ length }) => length === count)) {
    const back: readonly Step[] = [{ program: first }];
    const programs = [...nextPrograms(first)].flatMap((next) =>
      [next, aliased(first, next) ?? []].filter((one, index) => index === 0 || one.length > 0),
    );
    const nexts = programs.flatMap((program) => [...ordered(program), ...modesOf(program)]);
    yield {
      first: { program: first },
      // A third change after each fault, of the order that an ordinary run has.
      nexts: nexts.map((next) => (next.isFaulty && next.step.order === undefined ? { ...next, thirds: back } : next)),
    };
  }
}

// --- chats and voices, alone and beside a number

const chat = (name: string, more: Partial<Piece> = {}): Piece => ({ kind: "chat", name, ...more });
const voice = (name: string, more: Partial<Piece> = {}): Piece => ({ kind: "voice", name, ...more });
const line = single("n", 1, { routing: "hook" });

const POST_FIRSTS: readonly Program[] = [[chat("x")], [voice("x")], [chat("x"), line]];

function* nextPosts(first: Program): Iterable<Program> {
  const [{ kind = "chat" } = {}] = first;
  const post = kind === "voice" ? voice : chat;
  yield [];
  const choices = [
    post("x"),
    post("x", { key: "2" }),
    post("y"),
    post("y", { was: "x" }),
    post("y", { was: "x", key: "2" }),
  ];
  for (const piece of choices) {
    yield [piece];
    yield [piece, line];
    yield [piece, { ...line, routing: "b" }];
    yield [piece, { ...line, name: "m" }];
  }
  yield [post("x"), post("y")];
  yield [post("x", { key: "2" }), post("y")];
}

/** The id of the first chat of a life. */
const FIRST_CHAT = `chat_${hexFrom(1, `chat ${ACCOUNT} 0`, 16)}`;

/** A rename without an alias: the new name adopts the chat, and the delete of the old one comes after that. */
function* adoptions(first: Program): Iterable<Next> {
  const [{ kind = "voice", name = "x" } = {}, ...others] = first;
  if (kind !== "chat") {
    return;
  }
  const program = [chat("y", { adopt: FIRST_CHAT }), ...others];
  for (const order of ORDERS_OF_ONE) {
    yield { step: { program, order, continueOnError: true }, isFaulty: false };
  }
  yield { step: { program: [chat(name), ...program] }, isFaulty: false };
}

export function* postChapters(): Iterable<Chapter> {
  for (const first of POST_FIRSTS) {
    const programs = [...nextPosts(first)];
    const nexts = [...programs.flatMap((program) => [...ordered(program), ...modesOf(program)]), ...adoptions(first)];
    yield {
      first: { program: first },
      nexts: nexts.map((next) => (next.isFaulty ? { ...next, thirds: [{ program: first }] } : next)),
    };
  }
}
