import { inOrder } from "../../lists";
import type { Properties } from "../../pulumi/values";
import { parseAfter, stackAlone } from "../../rollout/after";
import { gatesWritten, ROLLOUTS, rolloutsWritten } from "../../rollout/value";

/** The order in which the stacks are deployed: a stack comes after those that its rollouts name as `promote.after`. */

/** In that order; else, and if the stacks wait for each other in a circle, as given. */
export function inStages<One extends { readonly stack: string; readonly config: Properties }>(
  all: readonly One[],
): readonly One[] {
  const { ordered, stuck } = inOrder(all, (one, other) => other !== one && aftersIn(one.config).includes(other.stack));
  return stuck.length === 0 ? ordered : all;
}

/** The stacks of this project that the rollouts of a config wait for. */
export const aftersIn = (config: Properties): string[] =>
  Object.values(rolloutsWritten(config[ROLLOUTS])).flatMap((rollout) => {
    const { folder, stack } = parseAfter(gatesWritten(rollout).after ?? "");
    return folder !== undefined || stack === "" ? [] : stackAlone(stack);
  });
