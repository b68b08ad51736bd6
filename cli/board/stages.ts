import type { NamedRollout } from "../../provider/core/routing/rollouts";
import type { ToldChange } from "../history/words";
import { groupBy } from "../lists";
import { stackAlone } from "../pulumi/stackExport";
import type { KnownStack } from "../pulumi/stacks";
import type { Properties } from "../pulumi/values";
import { percentOf, percentText, ROLLOUTS, type Rollout, rolloutsIn, stepsIn } from "../stack/rollout";
import { type RolloutResource, rolloutResources, standingOf, timeOf } from "../stack/standing";
import { waitsForAfter, waitsForSoak } from "../stack/waits";

/** The rollouts of a project over its stacks: who has the calls, what comes next, and what it waits for. */

/** A rollout over its stacks. */
export type RolloutCard = ReturnType<typeof rolloutCards>[number];

/** A rollout in one stack. */
export type Stage = ReturnType<typeof stageOf>;

interface Source extends Pick<KnownStack, "state"> {
  readonly stack: string;
  readonly settings: KnownStack["config"];
  readonly config: Properties;
}

/** @param stacks in the order in which a version passes them */
export function rolloutCards(stacks: readonly Source[], changes: readonly ToldChange[], madeAt: Date) {
  const all = stacks.flatMap((source) => rolloutResources(source.state).map((one) => ({ ...one, source })));
  return groupBy(all, ({ rollout }) => rollout.name ?? "").map((own) => {
    const { name = "" } = own[0].rollout;
    const elsewhere = (stack: string) => own.find(({ source }) => source.stack === stack)?.rollout;
    const stages = groupBy(own, ({ source }) => source.stack);
    return { name, stages: stages.map((resources) => stageOf(name, resources, changes, madeAt, elsewhere)) };
  });
}

/** The rollouts that a stack's config has, and no number: `front in prod`. */
export const rolloutsUndeclared = (stacks: readonly Source[]): string[] =>
  stacks.flatMap(({ stack, state, config }) => {
    const declared = rolloutResources(state).map(({ rollout }) => rollout.name);
    const names = Object.keys(rolloutsIn(config[ROLLOUTS])).filter((name) => !declared.includes(name));
    return names.map((name) => `${name} in ${stack}`);
  });

type InStack = RolloutResource & { readonly source: Source };
/** The same rollout in another stack; undefined if it is not among these. */
type Elsewhere = (stack: string) => Rollout | undefined;

function stageOf(
  name: string,
  resources: readonly [InStack, ...InStack[]],
  changes: readonly ToldChange[],
  now: Date,
  elsewhere: Elsewhere,
) {
  const { stack, state, settings, config } = resources[0].source;
  const sinceOf = ({ saved }: InStack) => Number(timeOf(saved.outputs.since)[0] ?? 0);
  const { rollout } = resources.reduce((newest, one) => (sinceOf(one) > sinceOf(newest) ? one : newest));
  const steps = stepsIn(settings)?.data ?? [];
  const inConfig: NamedRollout = rolloutsIn(config[ROLLOUTS])[name] ?? rollout;
  const { after, minSoak } = inConfig.promote ?? {};
  const { numbers = [], notApplied = [], since } = standingOf(name, inConfig, state) ?? {};
  const waits = [...waitsForSoak(rollout, since, { minSoak, now }), ...waitsElsewhere(rollout, after, elsewhere)];
  return {
    stack,
    numbers: numbers.length,
    rollout,
    steps,
    since,
    /** The author, the commit and the pull request of its last change. */
    origin: changes.find((one) => one.stack === stack && one.rollout === name)?.origin,
    /** Why not all callers have what the file says; empty if they have it. */
    notApplied,
    next: nextOf(rollout, steps, waits),
  };
}

function waitsElsewhere(rollout: Rollout, after: string | undefined, elsewhere: Elsewhere): string[] {
  if (after === undefined) {
    return [];
  }
  const stack = stackAlone(after);
  const there = elsewhere(stack);
  return there === undefined
    ? [`promote.after: ${after}: stack ${stack} is not on this page.`]
    : waitsForAfter(rollout, after, there);
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
