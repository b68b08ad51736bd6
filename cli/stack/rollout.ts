import { isObject, parseJson } from "../../provider/core/common/equality";
import { NAMESPACE, steps } from "../../provider/core/config/settings";
import type { Rollout } from "../../provider/core/routing/rollout";
import { type Rollouts, rollouts, savedRollout } from "../../provider/core/routing/rollouts";
import { round } from "../../provider/core/routing/split";
import { inOrder, present } from "../lists";
import { stackAlone } from "../pulumi/stackExport";
import type { StackConfig } from "../pulumi/stacks";
import type { Properties } from "../pulumi/values";

export type { Rollout } from "../../provider/core/routing/rollout";

/** The key of a stack's config that has its rollouts. */
export const ROLLOUTS = `${NAMESPACE}:rollouts`;

/** The rollout of a state; undefined if it is none. */
export const rolloutIn = (value: unknown): Rollout | undefined => savedRollout.safeParse(value).data;

/** The rollouts in a value of a config, by name. Pulumi prints a map of the config as JSON. What is no rollout is left out. */
export function rolloutsIn(value: unknown): Rollouts {
  const all = typeof value === "string" ? parseJson(value) : value;
  const read = Object.entries(isObject(all) ? all : {}).map(([name, one]) => rollouts.safeParse({ [name]: one }).data);
  return Object.assign({}, ...read);
}

/** The setting of the percentages, as it is read; undefined if it is not set. */
export function stepsIn(config: StackConfig) {
  const { value } = config[`${NAMESPACE}:steps`] ?? {};
  return value === undefined ? undefined : steps.safeParse(parseJson(value));
}

/** The candidate's percentage: 0 without one. */
export const percentOf = ({ candidate, percent = 0 }: Rollout): number => (candidate === undefined ? 0 : percent);

/** The percentage of the calls that an agent gets. */
export function percentOfAgent(agent: string, rollout: Rollout): number {
  const percent = percentOf(rollout);
  if (agent === rollout.candidate) {
    return percent;
  }
  return agent === rollout.stable ? 100 - percent : 0;
}

export const percentText = (percent: number): string => `${round(percent)} %`;

/** The agent that messages name: the candidate while it has calls, else the stable agent. */
export const namedAgent = (rollout: Rollout): string =>
  rollout.candidate !== undefined && percentOf(rollout) > 0 ? rollout.candidate : rollout.stable;

/** Do both say the same of the calls, after the same abort? A percentage without a candidate says nothing. */
export const sameRollout = (one: Rollout, other: Rollout): boolean =>
  one.stable === other.stable &&
  one.candidate === other.candidate &&
  percentOf(one) === percentOf(other) &&
  one.aborted?.at === other.aborted?.at;

// --- over several stacks

/** A stack comes after those that its rollouts name as `promote.after`; else, and if the stacks wait for each other in a circle, as given. */
export function inStages<One extends { readonly stack: string; readonly config: Properties }>(
  all: readonly One[],
): readonly One[] {
  return inOrder(all, (one, other) => other !== one && aftersIn(one.config).includes(other.stack));
}

/** The stacks of this project that the rollouts of a config wait for. */
const aftersIn = (config: Properties): string[] =>
  present(Object.values(rolloutsIn(config[ROLLOUTS])).map(({ promote }) => promote?.after)).map(stackAlone);
