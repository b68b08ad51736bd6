import * as fc from "fast-check";
import { hexFrom } from "../../emulator/random";
import { BIRTH, broughtToRest, type Life, lived, previewed } from "./life";
import { ACCOUNT, REQUEST_FAULTS } from "./platform";
import { isOfNumbers, type Piece, type Program, type RoutingName } from "./program";
import type { Fault, Step } from "./world";

/** What lives are made of. No life varies a new field, guard or operation until it is written here. */

const ROUTING: readonly RoutingName[] = ["a", "b", "hook"];

/** The id of the first chat of a life. */
const FIRST_CHAT = `chat_${hexFrom(1, `chat ${ACCOUNT} 0`, 16)}`;

const pieceOf = ({ names, numbers }: Size): fc.Arbitrary<Piece> =>
  fc
    .record({
      kind: fc.constantFrom<Piece["kind"]>("single", "single", "group", "group", "chat", "chat", "voice"),
      name: fc.constantFrom(...names),
      numbers: fc.shuffledSubarray([...numbers], { minLength: 1 }),
      routing: fc.constantFrom(...ROUTING),
      key: fc.constantFrom("1", "2"),
      isAliased: fc.boolean(),
      isAdopted: fc.boolean(),
    })
    .map(({ kind, name, numbers, routing, key, isAliased, isAdopted }): Piece => {
      const common = { kind, name, ...(isAliased && { was: "?" }) };
      if (kind === "single" || kind === "group") {
        return { ...common, numbers, routing };
      }
      return { ...common, key, ...(kind === "chat" && isAdopted && { adopt: FIRST_CHAT }) };
    });

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({
    at: fc.constant("request" as const),
    index: fc.nat({ max: 5 }),
    kind: fc.constantFrom(...REQUEST_FAULTS),
  }),
  fc.record({ at: fc.constant("save" as const), index: fc.nat({ max: 5 }), kind: fc.constantFrom("before", "after") }),
);

const sometimes = <T>(one: fc.Arbitrary<T>, freq: number) => fc.option(one, { nil: undefined, freq });

const stepOf = (size: Size) =>
  fc.record({
    pieces: fc.array(pieceOf(size), { maxLength: size.names.length }),
    order: fc.constantFrom<Step["order"]>("serial", "together", "reversed"),
    continueOnError: fc.boolean(),
    guards: sometimes(fc.constantFrom({ freeze: "audit" }, { maxRemove: 0 }, { maxRemove: null }), 4),
    rejects: sometimes(fc.constantFrom(...size.names), 8),
    isInline: fc.boolean(),
    fault: sometimes(fault, 2),
  });

/** What a program of this life can be: each name and each number once, and an alias only of a resource that is gone. */
function valid(pieces: readonly Piece[], before: Program, isAdoptable: boolean): Program {
  const program: Piece[] = [];
  for (const { was, adopt, ...one } of pieces) {
    const taken = new Set(program.flatMap(({ numbers = [] }) => numbers));
    const numbers = (one.numbers ?? []).filter((digit) => !taken.has(digit)).slice(0, one.kind === "single" ? 1 : 4);
    const isDouble = program.some(({ name }) => name === one.name);
    if (isDouble || (isOfNumbers(one) && numbers.length === 0)) {
      continue;
    }
    const isAdopter = ({ name }: Piece) =>
      isAdoptable && !before.some((old) => old.name === name) && !program.some(({ adopt: other }) => other === adopt);
    const former = was === undefined ? undefined : formerOf(one, before, [...pieces, ...program]);
    program.push({
      ...one,
      ...(isOfNumbers(one) && { numbers }),
      ...(former !== undefined && { was: former }),
      ...(adopt !== undefined && isAdopter(one) && { adopt }),
    });
  }
  return program;
}

function formerOf({ kind, name }: Piece, before: Program, others: Program): string | undefined {
  const isNew = !before.some((one) => one.name === name);
  const isFree = (old: Piece) =>
    old.kind === kind && !others.some((one) => one.name === old.name || one.was === old.name);
  return isNew ? before.find(isFree)?.name : undefined;
}

/** How large the lives are. Small ones meet the same number, name and fault more often. */
interface Size {
  readonly names: readonly string[];
  readonly numbers: readonly number[];
  readonly steps: number;
}

const lifeOf = (size: Size): fc.Arbitrary<Life> =>
  fc.array(stepOf(size), { minLength: 1, maxLength: size.steps }).map((steps) => {
    const life: Step[] = [];
    for (const [index, { pieces, order, guards, rejects, isInline, continueOnError, fault }] of steps.entries()) {
      const program = valid(pieces, life.at(-1)?.program ?? [], hasOneChat(life));
      const isOf = (name: string | undefined) => program.some((one) => one.name === name);
      life.push({
        program,
        ...(order !== "serial" && order !== undefined && { order }),
        ...(continueOnError && { continueOnError: true }),
        // A later run that declares nothing would not hear that the guard is gone (docs/limits.md).
        ...(index === steps.length - 1 && guards !== undefined && { guards }),
        ...(rejects !== undefined && isOf(rejects) && { rejects, ...(isInline && { isInline }) }),
        ...(fault !== undefined && { fault }),
      });
    }
    return life;
  });

/** Is it certain that the first chat of the life is there, and the only one? */
const hasOneChat = ([first, ...others]: Life): boolean =>
  first !== undefined &&
  others.length === 0 &&
  first.program.filter(({ kind }) => kind === "chat").length === 1 &&
  [first.fault, first.rejects, first.guards].every((one) => one === undefined);

export const lives: fc.Arbitrary<Life> = fc.oneof(
  { weight: 2, arbitrary: lifeOf({ names: ["x", "y"], numbers: [1, 2], steps: 3 }) },
  { weight: 1, arbitrary: lifeOf({ names: ["x", "y", "z", "w"], numbers: [1, 2, 3, 4], steps: 6 }) },
);

/** A life from its birth to its rest, with a preview before each run. Throws what does not hold. */
export async function liveWhole(life: Life): Promise<void> {
  let place = BIRTH;
  for (const step of life) {
    await previewed(place, step);
    place = await lived(place, step);
  }
  await broughtToRest(place, { program: life.at(-1)?.program ?? [] });
}
