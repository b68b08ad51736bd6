import * as fc from "fast-check";
import { PUT_FAULTS } from "./explore";
import { BIRTH, broughtToRest, type Life, lived } from "./life";
import { isOfNumbers, type Piece, type Program, type RoutingName } from "./program";
import type { Fault, Step } from "./world";

/** Lives that are larger than those of which every one is tried: four resources, four numbers, six runs, a fault in each. */

const NAMES = ["x", "y", "z", "w"] as const;
const DIGITS = [1, 2, 3, 4] as const;
const ROUTING: readonly RoutingName[] = ["a", "b", "hook"];

const piece: fc.Arbitrary<Piece> = fc
  .record({
    kind: fc.constantFrom<Piece["kind"]>("single", "single", "group", "group", "group", "chat", "voice"),
    name: fc.constantFrom(...NAMES),
    numbers: fc.shuffledSubarray([...DIGITS], { minLength: 1 }),
    routing: fc.constantFrom(...ROUTING),
    key: fc.constantFrom("1", "2"),
    isAliased: fc.boolean(),
  })
  .map(({ kind, name, numbers, routing, key, isAliased }): Piece => {
    const common = { kind, name, ...(isAliased && { was: "?" }) };
    return kind === "chat" || kind === "voice" ? { ...common, key } : { ...common, numbers, routing };
  });

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({
    at: fc.constant("request" as const),
    index: fc.nat({ max: 5 }),
    kind: fc.constantFrom(...PUT_FAULTS),
  }),
  fc.record({ at: fc.constant("save" as const), index: fc.nat({ max: 5 }), kind: fc.constantFrom("before", "after") }),
);

const sometimes = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 2 });

const step = fc.record({
  pieces: fc.array(piece, { maxLength: 4 }),
  order: fc.constantFrom<Step["order"]>("serial", "together", "reversed"),
  continueOnError: fc.boolean(),
  rejects: fc.option(fc.constantFrom(...NAMES), { nil: undefined, freq: 8 }),
  isInline: fc.boolean(),
  fault: sometimes(fault),
});

/** What a program of this life can be: each name and each number once, and an alias only of a resource that is gone. */
function valid(pieces: readonly Piece[], before: Program): Program {
  const program: Piece[] = [];
  for (const { was, ...one } of pieces) {
    const taken = new Set(program.flatMap(({ numbers = [] }) => numbers));
    const numbers = (one.numbers ?? []).filter((digit) => !taken.has(digit)).slice(0, one.kind === "single" ? 1 : 4);
    const isDouble = program.some(({ name }) => name === one.name);
    if (isDouble || (isOfNumbers(one) && numbers.length === 0)) {
      continue;
    }
    const former = was === undefined ? undefined : formerOf(one, before, [...pieces, ...program]);
    program.push({
      ...one,
      ...(isOfNumbers(one) && { numbers }),
      ...(former !== undefined && { was: former }),
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

export const lives: fc.Arbitrary<Life> = fc.array(step, { minLength: 2, maxLength: 6 }).map((steps) => {
  let before: Program = [];
  return steps.map(({ pieces, order, rejects, isInline, ...more }): Step => {
    const program = valid(pieces, before);
    before = program;
    const isOf = (name: string | undefined) => program.some((one) => one.name === name);
    return {
      program,
      ...(order !== "serial" && order !== undefined && { order }),
      ...(more.continueOnError && { continueOnError: true }),
      ...(rejects !== undefined && isOf(rejects) && { rejects, ...(isInline && { isInline }) }),
      ...(more.fault !== undefined && { fault: more.fault }),
    };
  });
});

/** A life from its birth to its rest. Throws what does not hold. */
export async function liveWhole(life: Life): Promise<void> {
  let place = BIRTH;
  for (const one of life) {
    place = await lived(place, one);
  }
  await broughtToRest(place, { program: life.at(-1)?.program ?? [] });
}
