import * as fc from "fast-check";
import { hexFrom } from "../../emulator/random";
import { BIRTH, bringToRest, type Life, previewAndJudge, upAndJudge } from "./life";
import { ACCOUNT, REQUEST_FAULTS } from "./platform";
import { isOfNumbers, type Program, type Resource, type RoutingName } from "./program";
import type { Fault, Step } from "./world";

/**
 * Generates random lives (see `Life`). If you add a field, a guard or an operation to the provider, add it here too.
 * Otherwise, the lives don't cover it.
 */

const ROUTING: readonly RoutingName[] = ["a", "b", "hook"];

/** The ID of the first chat in a life. The emulator generates the same ID in every life. */
const FIRST_CHAT = `chat_${hexFrom(1, `chat ${ACCOUNT} 0`, 16)}`;

const resourceOf = ({ names, numbers }: Size): fc.Arbitrary<Resource> =>
  fc
    .record({
      kind: fc.constantFrom<Resource["kind"]>("single", "single", "group", "group", "chat", "chat", "voice"),
      name: fc.constantFrom(...names),
      numbers: fc.shuffledSubarray([...numbers], { minLength: 1 }),
      routing: fc.constantFrom(...ROUTING),
      key: fc.constantFrom("1", "2"),
      isAliased: fc.boolean(),
      isAdopted: fc.boolean(),
    })
    .map(({ kind, name, numbers, routing, key, isAliased, isAdopted }): Resource => {
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

const sometimes = <T>(arbitrary: fc.Arbitrary<T>, freq: number) => fc.option(arbitrary, { nil: undefined, freq });

const stepOf = (size: Size) =>
  fc.record({
    resources: fc.array(resourceOf(size), { maxLength: size.names.length }),
    order: fc.constantFrom<Step["order"]>("serial", "together", "reversed"),
    continueOnError: fc.boolean(),
    guards: sometimes(fc.constantFrom({ freeze: "audit" }, { maxRemove: 0 }, { maxRemove: null }), 4),
    rejects: sometimes(fc.constantFrom(...size.names), 8),
    isInline: fc.boolean(),
    fault: sometimes(fault, 2),
  });

/** Makes a valid program. Drops repeated names and numbers, and any `adopt` that couldn't succeed. */
function valid(resources: readonly Resource[], before: Program, isAdoptable: boolean): Program {
  const program: Resource[] = [];
  for (const { was, adopt, ...resource } of resources) {
    const taken = new Set(program.flatMap(({ numbers = [] }) => numbers));
    const numbers = (resource.numbers ?? [])
      .filter((digit) => !taken.has(digit))
      .slice(0, resource.kind === "single" ? 1 : 4);
    const isDouble = program.some(({ name }) => name === resource.name);
    if (isDouble || (isOfNumbers(resource) && numbers.length === 0)) {
      continue;
    }
    const isAdopter = ({ name }: Resource) =>
      isAdoptable && !before.some((old) => old.name === name) && !program.some(({ adopt: other }) => other === adopt);
    // A generated `was` is only a placeholder. Use the name of a removed resource instead.
    const former = was === undefined ? undefined : formerOf(resource, before, [...resources, ...program]);
    program.push({
      ...resource,
      ...(isOfNumbers(resource) && { numbers }),
      ...(former !== undefined && { was: former }),
      ...(adopt !== undefined && isAdopter(resource) && { adopt }),
    });
  }
  return program;
}

function formerOf({ kind, name }: Resource, before: Program, others: Program): string | undefined {
  const isNew = !before.some((old) => old.name === name);
  const isFree = (old: Resource) =>
    old.kind === kind && !others.some((other) => other.name === old.name || other.was === old.name);
  return isNew ? before.find(isFree)?.name : undefined;
}

/** The size of the generated lives. Small lives reuse the same names and numbers more often. */
interface Size {
  readonly names: readonly string[];
  readonly numbers: readonly number[];
  readonly steps: number;
}

const lifeOf = (size: Size): fc.Arbitrary<Life> =>
  fc.array(stepOf(size), { minLength: 1, maxLength: size.steps }).map((steps) => {
    const life: Step[] = [];
    for (const [index, { resources, order, guards, rejects, isInline, continueOnError, fault }] of steps.entries()) {
      const program = valid(resources, life.at(-1)?.program ?? [], hasOneChat(life));
      const isDeclared = (name: string) => program.some((resource) => resource.name === name);
      life.push({
        program,
        ...(order !== "serial" && order !== undefined && { order }),
        ...(continueOnError && { continueOnError: true }),
        // Set guards only in the last run. If an earlier run set them, a later run without resources would still use
        // them (see docs/limits.md).
        ...(index === steps.length - 1 && guards !== undefined && { guards }),
        ...(rejects !== undefined && isDeclared(rejects) && { rejects, ...(isInline && { isInline }) }),
        ...(fault !== undefined && { fault }),
      });
    }
    return life;
  });

/**
 * Whether the runs so far are certain to have created exactly one chat. Always false after a second run, or if the
 * first run had a fault, a rejected argument or a guard.
 */
const hasOneChat = ([first, ...others]: Life): boolean =>
  first !== undefined &&
  others.length === 0 &&
  first.program.filter(({ kind }) => kind === "chat").length === 1 &&
  [first.fault, first.rejects, first.guards].every((option) => option === undefined);

export const lives: fc.Arbitrary<Life> = fc.oneof(
  { weight: 2, arbitrary: lifeOf({ names: ["x", "y"], numbers: [1, 2], steps: 3 }) },
  { weight: 1, arbitrary: lifeOf({ names: ["x", "y", "z", "w"], numbers: [1, 2, 3, 4], steps: 6 }) },
);

/** Simulates a whole life, with a preview before each run. Throws if an invariant is violated. */
export async function runLife(life: Life): Promise<void> {
  let place = BIRTH;
  for (const step of life) {
    await previewAndJudge(place, step);
    place = await upAndJudge(place, step);
  }
  await bringToRest(place, { program: life.at(-1)?.program ?? [] });
}
