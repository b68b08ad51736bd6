import { isObject, NAMESPACE, parseJson } from "../../../provider/review";
import { inOrder } from "../../lists";
import type { Properties } from "../../pulumi/values";
import { parseAfter } from "../../rollout/after";

/** The order in which the stacks are deployed: a stack comes after those that its rollouts name as `promote.after`. */

export interface Staged {
  readonly stack: string;
  readonly config: Properties;
}

/** In that order; else, and if the stacks wait for each other in a circle, as given. */
export function inStages<One extends Staged>(all: readonly One[]): readonly One[] {
  const { ordered, stuck } = inOrder(all, (one, other) => other !== one && aftersIn(one.config).includes(other.stack));
  return stuck.length === 0 ? ordered : all;
}

/** The stacks of this project that the rollouts of a config wait for. With Pulumi Cloud a stack may be written as `organization/project/stack`. */
export function aftersIn(config: Properties): string[] {
  const rollouts = config[`${NAMESPACE}:rollouts`];
  const all = typeof rollouts === "string" ? parseJson(rollouts) : rollouts;
  return Object.values(isObject(all) ? all : {}).flatMap((rollout) => {
    const promote = isObject(rollout) && isObject(rollout.promote) ? rollout.promote : {};
    const { folder, stack } = parseAfter(typeof promote.after === "string" ? promote.after : "");
    return folder === undefined && stack !== "" ? [stack.split("/").at(-1) ?? ""] : [];
  });
}
