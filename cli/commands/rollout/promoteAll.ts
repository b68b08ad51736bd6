import { nearest } from "../../../provider/core/common/nearest";
import { UsageError } from "../../errors";
import type { Io } from "../../io";
import { groupBy, inOrder, present } from "../../lists";
import type { ProjectFile } from "../../pulumi/projectFile";
import { stacksNamed } from "../../pulumi/stackNames";
import { nameMeant, parseAfter, stackAlone } from "../../rollout/after";
import { type CheckedPromotion, type Given, held, judge, write } from "./promotion";
import { findRollouts } from "./rolloutYaml";
import { readStackFile } from "./stackFile";
import type { Result, Target } from "./target";

/** The rollouts of several stacks, or of every one of the project, each judged before the first file is written. */

interface GivenStacks extends Given {
  readonly stack?: readonly string[] | undefined;
  readonly all?: boolean | undefined;
}

/** The rollouts of this name, or all, in the order of `promote.after`; and the stacks without one. */
function allTargets(name: string | undefined, given: GivenStacks, project: ProjectFile, io: Io) {
  const named = { stack: given.stack, "all-stacks": given.all };
  const stacks = stacksNamed(named, io, "--all").map((stack) => {
    const file = readStackFile(project, stack, io);
    return { stack, file, all: findRollouts(file).map((found): Target => ({ stack, file, found })) };
  });
  const all = stacks.flatMap((one) => one.all);
  const targets = all.filter(({ found }) => name === undefined || found.name === name);
  if (targets.length === 0) {
    throw new UsageError(noneText(name, all, stacks));
  }
  const waits = (one: Target, other: Target) => waitsFor(one, other, all);
  const { ordered, stuck } = inOrder(targets, waits);
  if (stuck[0] !== undefined) {
    throw new UsageError(`promote.after goes in a circle: ${circleText(stuck[0], stuck, waits)}.`);
  }
  const without = stacks.filter(({ stack }) => !targets.some((one) => one.stack === stack)).map(({ stack }) => stack);
  return { targets: ordered, without };
}

function refuseOfOneStack({ to, after }: Given): void {
  if (to !== undefined) {
    throw new UsageError("--to is about one stack. Name it with --stack.");
  }
  if (after !== undefined) {
    throw new UsageError("--after is about one stack. Name it with --stack, or write promote.after into the files.");
  }
}

function noneText(
  name: string | undefined,
  all: readonly Target[],
  stacks: readonly { readonly file: Target["file"] }[],
): string {
  if (name === undefined || all.length === 0) {
    return `No stack of this project has a rollout: none is in ${stacks.map(({ file }) => file.shown).join(", ")}.`;
  }
  const names = [...new Set(all.map(({ found }) => found.name))];
  const meant = nearest(name, names);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return `No stack of this project has a rollout ${JSON.stringify(name)}.${hint} Its rollouts: ${names.join(", ")}.`;
}

// --- the order

/** Does the file of the first say that the second is to be first? */
function waitsFor(one: Target, other: Target, all: readonly Target[]): boolean {
  const { folder, stack, name } = parseAfter(one.found.value.promote?.after ?? "");
  if (folder !== undefined || stackAlone(stack) !== stackAlone(other.stack)) {
    return false;
  }
  const there = all.filter((target) => target.stack === other.stack).map(({ found }) => found.name);
  return other.found.name === nameMeant(name, there, one.found.name);
}

type Waits = (one: Target, other: Target) => boolean;

/** Names each rollout of a circle. All that are stuck wait for another one that is, so the way from any of them leads into a circle. */
function circleText(from: Target, stuck: readonly Target[], waits: Waits): string {
  const way: Target[] = [];
  let at: Target | undefined = from;
  while (at !== undefined && !way.includes(at)) {
    const last: Target = at;
    way.push(last);
    at = stuck.find((other) => waits(last, other));
  }
  const [first = "", ...rest] = way
    .slice(at === undefined ? 0 : way.indexOf(at))
    .map(({ found, stack }) => `${found.name} in ${stack}`);
  return rest.length === 0
    ? `${first} waits for itself`
    : `${first} waits for ${[...rest, first].join(", which waits for ")}`;
}

// --- judge all, then write

export async function promoteAll(
  name: string | undefined,
  given: GivenStacks,
  project: ProjectFile,
  isWritten: boolean,
  io: Io,
): Promise<Result> {
  refuseOfOneStack(given);
  const { targets, without } = allTargets(name, given, project, io);
  const results = new Map<Target, Result>();
  const steps: CheckedPromotion[] = [];
  for (const target of targets) {
    const judged = await judge(target, given, project, io);
    if ("code" in judged) {
      results.set(target, judged);
    } else {
      steps.push(judged);
    }
  }
  for (const ofFile of groupBy(steps, ({ target }) => target.file.path)) {
    for (const [index, result] of writtenOrHeld(ofFile, project, isWritten).entries()) {
      results.set((ofFile[index] ?? ofFile[0]).target, result);
    }
  }
  return resultOf(targets, results, without);
}

/** If a file cannot be written, those of the other stacks still are. */
function writtenOrHeld(
  steps: readonly [CheckedPromotion, ...CheckedPromotion[]],
  project: ProjectFile,
  isWritten: boolean,
): readonly Result[] {
  try {
    return write(steps, project, isWritten);
  } catch (error) {
    if (error instanceof UsageError) {
      return steps.map(({ target }) => held([error.message], target));
    }
    throw error;
  }
}

const OUTCOMES = {
  written: "written",
  "not written": "would be written",
  held: "held",
  "nothing to promote": "with nothing to promote",
} as const;

/** One that is written counts for all: there is something to commit. */
function resultOf(
  targets: readonly Target[],
  results: ReadonlyMap<Target, Result>,
  without: readonly string[],
): Result {
  const all = targets.flatMap((target) => results.get(target) ?? []);
  const worth = Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[];
  const outcome = worth.find((one) => all.some((result) => result.outcome === one)) ?? "nothing to promote";
  const counts = worth
    .map((one) => [all.filter((result) => result.outcome === one).length, OUTCOMES[one]] as const)
    .filter(([count]) => count > 0);
  return {
    code: all.find((result) => result.outcome === outcome)?.code ?? 0,
    text: [
      ...targets.flatMap((target) => blockText(target, results.get(target))),
      present([
        without.length > 0 && `No rollout: ${without.join(", ")}.`,
        `${counts.map(([count, word]) => `${count} ${word}`).join(", ")}.`,
      ]).join("\n"),
    ].join("\n\n"),
    outcome,
    promotions: all.map(({ code: _, ...result }) => result),
    without,
  };
}

/** The text of a promotion that is written begins with its rollout and its stack. The others get them as a title. */
function blockText({ found, stack }: Target, result: Result | undefined): string[] {
  if (result === undefined || result.code === 0) {
    return present([result?.text]);
  }
  return [`${found.name} in ${stack}\n${result.text.replaceAll(/^/gm, "  ")}`];
}
