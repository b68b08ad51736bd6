import type { NamedRollout } from "../../provider/core/routing/rollouts";
import type { ToldChange } from "../history/words";
import { groupBy } from "../lists";
import { stackAlone } from "../pulumi/stackExport";
import type { KnownStack } from "../pulumi/stacks";
import type { Properties } from "../pulumi/values";
import { percentOf, percentText, ROLLOUTS, type Rollout, rolloutsIn, stepsIn } from "../stack/rollout";
import { type RolloutResource, rolloutResources, standingOf } from "../stack/standing";
import { waitsForAfter, waitsForSoak } from "../stack/waits";

/** The rollouts of a project over its stacks: who has the calls, what comes next, and what holds it. */

/** A rollout over its stacks. */
export type RolloutCard = ReturnType<typeof rolloutCards>[number];

/** A rollout in one stack. */
export type Stage = ReturnType<typeof stageOf>;

interface Source extends Pick<KnownStack, "state"> {
  readonly stack: string;
  readonly settings: KnownStack["config"];
  readonly config: Properties;
}

type Parts = readonly [RolloutResource, ...RolloutResource[]];

const nameOf = ({ rollout: { name = "" } }: RolloutResource): string => name;

/** @param stacks in the order in which a version passes them */
export function rolloutCards(stacks: readonly Source[], changes: readonly ToldChange[], madeAt: Date) {
  const all = stacks.map((source) => ({ source, parts: rolloutResources(source.state) }));
  const found = all.flatMap(({ source, parts }) => groupBy(parts, nameOf).map((own) => ({ source, parts: own })));
  /** The same rollout in another stack; undefined if it is not among these. */
  const meant = (stack: string, name: string) =>
    all.find(({ source }) => source.stack === stack)?.parts.find((part) => nameOf(part) === name)?.rollout;
  return groupBy(found, ({ parts: [first] }) => nameOf(first)).map((stages) => ({
    name: nameOf(stages[0].parts[0]),
    stages: stages.map(({ source, parts }) => stageOf(source, parts, changes, madeAt, meant)),
  }));
}

/** The rollouts that a stack's config has, and no number: `front in prod`. */
export const rolloutsUndeclared = (stacks: readonly Source[]): string[] =>
  stacks.flatMap(({ stack, state, config }) => {
    const declared = rolloutResources(state).map(nameOf);
    const names = Object.keys(rolloutsIn(config[ROLLOUTS])).filter((name) => !declared.includes(name));
    return names.map((name) => `${name} in ${stack}`);
  });

type Meant = (stack: string, name: string) => Rollout | undefined;

function stageOf(source: Source, parts: Parts, changes: readonly ToldChange[], now: Date, meant: Meant) {
  const { stack, state, settings, config } = source;
  const newest = parts.toSorted((a, b) => text(b.saved.outputs.since).localeCompare(text(a.saved.outputs.since), "en"));
  const { rollout } = newest[0] ?? parts[0];
  const { name = "" } = rollout;
  const steps = stepsIn(settings)?.data ?? [];
  const inConfig: NamedRollout = rolloutsIn(config[ROLLOUTS])[name] ?? rollout;
  const { after, minSoak } = inConfig.promote ?? {};
  const { numbers = [], lags = [], since } = standingOf(name, inConfig, state) ?? {};
  const first = stackAlone(after ?? "");
  const before = { after, stack: first, rollout: meant(first, name) };
  return {
    stack,
    numbers: numbers.length,
    rollout,
    steps,
    since,
    /** The author, the commit and the pull request of its last change. */
    origin: changes.find((one) => one.stack === stack && one.rollout === name)?.origin,
    /** Why not all callers have what the file says; empty if they have it. */
    lags,
    next: nextOf(rollout, steps, [...waitsForSoak(rollout, since, { minSoak, now }), ...waitsFor(rollout, before)]),
  };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

interface Before {
  readonly after: string | undefined;
  readonly stack: string;
  readonly rollout: Rollout | undefined;
}

function waitsFor(rollout: Rollout, { after, stack, rollout: there }: Before): string[] {
  if (after === undefined) {
    return [];
  }
  return there === undefined
    ? [`promote.after: ${after}: stack ${stack} is not on this page.`]
    : waitsForAfter(rollout, stack, there, after);
}

/** What `promote` does next: `50 %`, `done`, `aborted`. */
export interface Next {
  readonly text: string;
  readonly tone: "plain" | "good" | "bad";
  /** Why it waits; empty if it need not. */
  readonly waits: readonly string[];
}

function nextOf(rollout: Rollout, steps: readonly number[], waits: readonly string[]): Next {
  const percent = percentOf(rollout);
  if (rollout.aborted !== undefined) {
    const { agent, percent: had } = rollout.aborted;
    return { text: `aborted: ${agent} had ${percentText(had)}`, tone: "bad", waits: [] };
  }
  if (rollout.candidate === undefined) {
    return { text: "no candidate", tone: "plain", waits: [] };
  }
  if (percent === 100) {
    return { text: "done", tone: "good", waits: [] };
  }
  const next = steps.find((step) => step > percent);
  const text = next === undefined ? "not known, because the stack has no steps" : percentText(next);
  return { text, tone: "plain", waits };
}
