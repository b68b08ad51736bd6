import { nearest } from "../../../provider/core/common/nearest";
import { UsageError } from "../../errors";
import type { Io } from "../../io";
import { groupBy, inOrder, present } from "../../lists";
import { stacksNamed } from "../../pulumi/stackNames";
import { parseAfter, stackAlone } from "../../rollout/after";
import { findRollouts } from "./rolloutYaml";
import { type ProjectFile, readStackFile } from "./stackFile";
import type { Result, Target } from "./target";

/** The rollouts of several stacks, or of every one of the project, each judged before the first file is written. */

export interface AllTargets {
  /** In the order of `promote.after`. */
  readonly targets: readonly Target[];
  /** The stacks without such a rollout. */
  readonly without: readonly string[];
}

interface Given {
  readonly stack?: readonly string[] | undefined;
  readonly all?: boolean | undefined;
  readonly to?: string | undefined;
  readonly after?: string | undefined;
}

/** @param name only the rollouts of this name */
export async function allTargets(
  name: string | undefined,
  given: Given,
  project: ProjectFile,
  io: Io,
): Promise<AllTargets> {
  refuseOfOneStack(given);
  const named = { stack: given.stack, "all-stacks": given.all };
  const stacks = (await stacksNamed(named, io, "--all")).map((stack) => {
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

/** Does the file of the first say that the second is to be first? Without a name it is the rollout of the same name, or the only one there. */
function waitsFor(one: Target, other: Target, all: readonly Target[]): boolean {
  const { folder, stack, name } = parseAfter(one.found.value.promote?.after ?? "");
  if (folder !== undefined || stackAlone(stack) !== stackAlone(other.stack)) {
    return false;
  }
  const there = all.filter((target) => target.stack === other.stack).map(({ found }) => found.name);
  return other.found.name === (name ?? (there.length === 1 ? there[0] : one.found.name));
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

interface Ways<Step> {
  /** Changes no file. */
  readonly judge: (target: Target) => Promise<Step | Result>;
  readonly isStep: (judged: Step | Result) => judged is Step;
  /** Writes what concerns one file. */
  readonly write: (steps: readonly [Step, ...Step[]]) => readonly Result[];
  readonly held: (reasons: readonly string[], target: Target) => Result;
}

interface Planned<Step> {
  readonly target: Target;
  readonly step: Step;
}

export async function promoteAll<Step>({ targets, without }: AllTargets, ways: Ways<Step>): Promise<Result> {
  const results = new Map<Target, Result>();
  const steps: Planned<Step>[] = [];
  for (const target of targets) {
    const judged = await ways.judge(target);
    if (ways.isStep(judged)) {
      steps.push({ target, step: judged });
    } else {
      results.set(target, judged);
    }
  }
  for (const ofFile of groupBy(steps, ({ target }) => target.file.path)) {
    for (const [index, result] of writtenIn(ofFile, ways).entries()) {
      results.set((ofFile[index] ?? ofFile[0]).target, result);
    }
  }
  return resultOf(targets, results, without);
}

/** If a file cannot be written, those of the other stacks still are. */
function writtenIn<Step>(all: readonly [Planned<Step>, ...Planned<Step>[]], { write, held }: Ways<Step>) {
  const [first, ...rest] = all;
  try {
    return write([first.step, ...rest.map(({ step }) => step)]);
  } catch (error) {
    if (error instanceof UsageError) {
      return all.map(({ target }) => held([error.message], target));
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
): Result & { readonly promotions: readonly object[]; readonly without: readonly string[] } {
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

/** The text of a promotion says itself of what it is. */
function blockText({ found, stack }: Target, result: Result | undefined): string[] {
  if (result === undefined || result.code === 0) {
    return present([result?.text]);
  }
  return [`${found.name} in ${stack}\n${result.text.replaceAll(/^/gm, "  ")}`];
}
