import { same } from "../../provider/core/common/equality";
import { counted } from "../../provider/core/messages";
import { present, uniqueBy } from "../lists";
import type { Run } from "../pulumi/history";
import type { StackState } from "../pulumi/stackExport";
import { percentOf, percentOfAgent, percentText, type Rollout } from "../stack/rollout";
import { type Standing, standingOf } from "../stack/standing";
import { timeText } from "../stack/time";
import { changesOf, maybeRenamed, type RecordedChange, type Removed } from "./changes";

/** A change in words, for the terminal and for the page. */

/** The percentages, `10 % → 50 %`, and the agent that loses and the one that gets calls, `agent_front@12 → agent_front@13`. Removed resources have no agents. */
function moveOf({ from, to, removed }: RecordedChange): { readonly move: string; readonly agents: string | undefined } {
  if (removed !== undefined) {
    return { move: removedText(removed), agents: undefined };
  }
  if (to === undefined) {
    return { move: `${percentText(from ? percentOf(from) : 0)} → removed`, agents: from && agentsText(from) };
  }
  if (to.aborted !== undefined && !same(to.aborted, from?.aborted)) {
    const { agent, percent } = to.aborted;
    return { move: `${percentText(percent)} → aborted`, agents: `${agent} → ${to.stable}` };
  }
  const agent = to.candidate ?? to.stable;
  const now = percentText(percentOfAgent(agent, to));
  const before = from && percentText(percentOfAgent(agent, from));
  const moved = before === now ? `stays at ${now}` : `${before} → ${now}`;
  return { move: before === undefined ? `starts at ${now}` : moved, agents: agentsText(to) };
}

function removedText(removed: Removed): string {
  const { deleted, replaced } = removed;
  return maybeRenamed(removed)
    ? `${counted(deleted, "resource")} renamed, or deleted beside new ones`
    : present([
        deleted > 0 && `${counted(deleted, "resource")} deleted`,
        replaced > 0 && `${counted(replaced, "resource")} replaced`,
      ]).join(", ");
}

const agentsText = ({ stable, candidate }: Rollout): string =>
  candidate === undefined ? stable : `${stable} → ${candidate}`;

/** 6007e12 front: 50 % (#41). */
export function whyText({ origin: { commit, title, pullRequest, isDirty } }: RecordedChange): string {
  const parts = [commit?.text, title, pullRequest && `(${pullRequest.text})`];
  const why = present(parts).join(" ");
  return isDirty ? `${why} + uncommitted changes`.trimStart() : why;
}

/** A change, with what became of it in words. */
export type ToldChange = RecordedChange & ReturnType<typeof moveOf> & { readonly outcomeWords: string };

/** The changes of a stack, the newest first. Only the last one of a rollout can be compared with the state. */
export function toldChanges(stack: string, state: StackState, runs: readonly Run[]): ToldChange[] {
  const changes = changesOf(stack, runs);
  const last = new Set(uniqueBy(changes.toReversed(), ({ rollout = "" }) => rollout));
  return changes.map((change) => {
    const { rollout, to } = change;
    const standing = rollout && to && last.has(change) ? standingOf(rollout, to, state) : undefined;
    return { ...change, ...moveOf(change), outcomeWords: outcomeText(change, standing) };
  });
}

/** What became of a change. @param standing what the state says, if this is the last change of its rollout */
function outcomeText({ outcome }: RecordedChange, standing: Standing | undefined): string {
  const { what, appliedAt, isPartial } = outcome;
  if (what === "applied" || what === "destroyed" || what === "running") {
    return `${what === "running" ? "under way" : what}${isPartial ? ", with --target" : ""}`;
  }
  if (appliedAt !== undefined) {
    return `${what}, applied ${timeText(appliedAt)}`;
  }
  const { numbersNotApplied = [], numbers = [] } = standing ?? {};
  return numbersNotApplied.length > 0
    ? `${what}: ${numbersNotApplied.length} of ${counted(numbers.length, "number")}`
    : what;
}
