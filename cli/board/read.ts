import type { Finding } from "../commands/doctor/findings";
import { notesOf } from "../history/notes";
import { type ToldChange, toldChanges } from "../history/words";
import { groupBy } from "../lists";
import type { StackConfig } from "../pulumi/config";
import { numbersHeld } from "../pulumi/numbersHeld";
import { numberValues } from "../pulumi/numberValues";
import type { KnownStack } from "../pulumi/stacks";
import type { Properties } from "../pulumi/values";
import { inStages } from "../report/stacks";
import { nameMeant } from "../rollout/after";
import { type Part, rolloutParts, sinceOf } from "../rollout/standing";
import { type Rollout, stepsIn } from "../rollout/value";
import { type Configured, configured, outlook } from "./outlook";

/** Makes the data of the page from what the Pulumi CLI printed of each stack. Nothing is asked of the platform. */

export type Board = ReturnType<typeof boardOf>;

/** A rollout over its stacks. */
export type RolloutCard = ReturnType<typeof rolloutCards>[number];

/** A rollout in one stack. */
export type Stage = ReturnType<typeof stageOf>;

export type NumberRow = Board["numbers"][number];

/** @param attention what `doctor` finds */
export function boardOf(project: string, given: readonly KnownStack[], attention: readonly Finding[], madeAt: Date) {
  const sources = inStages(
    given.map((one) => ({ ...one, stack: one.state.stack, settings: one.config, config: valuesOf(one.config) })),
  );
  const changes = sources
    .flatMap(({ stack, state, runs }) => toldChanges(stack, state, runs))
    .toSorted((one, other) => other.at.getTime() - one.at.getTime());
  const read = sources.map((source) => ({
    ...source,
    parts: rolloutParts(source.state),
    rollouts: configured(source.config),
  }));
  return {
    project,
    madeAt,
    stacks: sources.map(({ stack }) => stack),
    attention,
    rollouts: rolloutCards(read, changes, madeAt),
    /** The newest first. */
    changes,
    numbers: sources.flatMap(({ stack, state }) =>
      numberValues(state).flatMap((one) => (one.isReplaced ? [] : [{ ...one, stack }])),
    ),
    /** What this page cannot tell. */
    notes: sources.flatMap(({ stack, state, runs }) => [
      ...(runs.length === 0 ? [`Pulumi has recorded no run of ${stack}.`] : []),
      ...notesOf(state),
    ]),
  };
}

const valuesOf = (settings: StackConfig): Properties =>
  Object.fromEntries(Object.entries(settings).map(([key, { value }]) => [key, value]));

// --- the rollouts

type Read = Pick<KnownStack, "state" | "runs"> & {
  readonly stack: string;
  readonly settings: StackConfig;
  readonly parts: readonly Part[];
  readonly rollouts: ReadonlyMap<string, Configured>;
  readonly config: Properties;
};

const nameOf = ({ rollout: { name = "" } }: Part): string => name;

function rolloutCards(all: readonly Read[], changes: readonly ToldChange[], madeAt: Date) {
  const found = all.flatMap((read) => groupBy(read.parts, nameOf).map((parts) => ({ read, parts })));
  return groupBy(found, ({ parts: [first] }) => nameOf(first)).map((stages) => ({
    name: nameOf(stages[0].parts[0]),
    /** In the order in which a version passes the stacks. */
    stages: stages.map(({ read, parts }) => stageOf(read, parts, all, changes, madeAt)),
  }));
}

function stageOf(
  read: Read,
  parts: readonly [Part, ...Part[]],
  all: readonly Read[],
  changes: readonly ToldChange[],
  madeAt: Date,
) {
  const since = sinceOf(parts.map(({ saved }) => saved));
  const newest = parts.toSorted((a, b) => text(b.saved.outputs.since).localeCompare(text(a.saved.outputs.since), "en"));
  const { rollout } = newest[0] ?? parts[0];
  const { name = "" } = rollout;
  const steps = stepsIn(read.settings)?.data ?? [];
  return {
    stack: read.stack,
    numbers: parts.reduce((sum, { saved }) => sum + numbersHeld(saved).length, 0),
    rollout,
    steps,
    since,
    /** The author, the commit and the pull request of its last change. */
    origin: changes.find((one) => one.stack === read.stack && one.rollout === name)?.origin,
    next: outlook({
      rollout,
      parts,
      steps,
      since,
      now: madeAt,
      inConfig: read.rollouts.get(name),
      stopped: read.state.pending.filter(({ urn }) => parts.some(({ saved }) => saved.urn === urn)),
      rolloutIn: (stack, named) => rolloutMeant(all.find((one) => one.stack === stack)?.parts ?? [], named, name),
    }),
  };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function rolloutMeant(parts: readonly Part[], named: string | undefined, usual: string): Rollout | undefined {
  const name = nameMeant(named, [...new Set(parts.map(nameOf))], usual);
  return parts.find((part) => nameOf(part) === name)?.rollout;
}
