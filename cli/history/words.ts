import { counted } from "../../provider/core/messages";
import { present, uniqueBy } from "../lists";
import type { Run } from "../pulumi/history";
import type { StackState } from "../pulumi/stackExport";
import { missedOf, resourcesOf } from "../rollout/standing";
import { timeText } from "../rollout/time";
import { percentText } from "../rollout/value";
import { changesOf, moveOf, type PercentMove, type RolloutChange } from "./changes";

/** A change in words, for the terminal and for the page. */

const MOVED: Readonly<Record<PercentMove["kind"], (move: PercentMove) => string>> = {
  new: ({ to = 0 }) => `starts at ${percentText(to)}`,
  moved: ({ from = 0, to = 0 }) => `${percentText(from)} → ${percentText(to)}`,
  aborted: ({ from = 0 }) => `${percentText(from)} → aborted`,
  removed: ({ from = 0 }) => `${percentText(from)} → removed`,
  same: ({ to = 0 }) => `stays at ${percentText(to)}`,
};

/** 10 % → 50 %. */
export const moveText = (change: Pick<RolloutChange, "from" | "to">): string => {
  const move = moveOf(change);
  return MOVED[move.kind](move);
};

/** agent_front@12 → agent_front@13. */
export const agentsText = (change: Pick<RolloutChange, "from" | "to">): string => moveOf(change).agents.join(" → ");

/** 6007e12 front: 50 % (#41). */
export function whyText({ origin: { commit, title, pullRequest, isDirty } }: RolloutChange): string {
  const parts = [commit?.text, title, pullRequest && `(${pullRequest.text})`];
  const why = present(parts).join(" ");
  return isDirty ? `${why} + uncommitted changes`.trimStart() : why;
}

/** A change of a rollout, with what became of it in words. */
export type ToldChange = RolloutChange & { readonly outcomeWords: string };

/** The changes of a stack, the newest first. Only the last one of a rollout can be compared with the state. */
export function toldChanges(stack: string, state: StackState, runs: readonly Run[]): ToldChange[] {
  const changes = changesOf(stack, runs);
  const last = new Set(uniqueBy(changes.toReversed(), ({ rollout }) => rollout));
  return changes.map((change) => {
    const missed = missedOf(last.has(change) ? resourcesOf(change.rollout, state) : []);
    return { ...change, outcomeWords: outcomeText(change, missed) };
  });
}

/** What became of a change. @param missed what the state says, if this is the last change of its rollout */
function outcomeText({ outcome }: RolloutChange, missed: ReturnType<typeof missedOf>): string {
  const { what, appliedAt, isPartial, isSuperseded } = outcome;
  if (what === "applied" || what === "destroyed" || what === "running") {
    return `${what === "running" ? "under way" : what}${isPartial ? ", with --target" : ""}`;
  }
  if (appliedAt !== undefined) {
    return `${what}, applied ${timeText(appliedAt)}`;
  }
  const numbers = missed.count > 0 ? `: ${missed.count} of ${counted(missed.all, "number")}` : "";
  return `${what}${numbers}${isSuperseded ? ", then changed again" : ""}`;
}
