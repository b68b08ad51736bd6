import { uniqueBy } from "../lists";
import type { Update } from "../pulumi/history";
import type { StackState } from "../pulumi/stackExport";
import { unappliedIn } from "../rollout/standing";
import { changesOf, type RolloutChange } from "./changes";
import { outcomeText } from "./words";

/** A change of a rollout, with what became of it in words. */
export type ToldChange = RolloutChange & { readonly outcomeWords: string };

/** The changes of a stack, the newest first. Only the last one of a rollout can be compared with the state. */
export function toldChanges(stack: string, state: StackState, updates: readonly Update[]): ToldChange[] {
  const changes = changesOf(stack, updates);
  const last = new Set(uniqueBy(changes.toReversed(), ({ rollout }) => rollout));
  return changes.map((change) => {
    const unapplied = last.has(change) ? unappliedIn(state, change.rollout) : undefined;
    return { ...change, outcomeWords: outcomeText(change, unapplied) };
  });
}
