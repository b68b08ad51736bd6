import { isUnknown } from "../../provider/base/engine";
import { same } from "../../provider/base/json";
import { series } from "../../provider/base/text";
import { appliedSplits, type NumbersState, possibleSplits } from "../../provider/numbers/state";
import { isAborted, isNewAbort } from "../../provider/routing/rollout";
import { type AgentMove, isEmpty, moves, percentages, round, type Split, shift } from "../../provider/routing/split";
import type { Aborted, Rollout } from "../../provider/routing/types";
import { CLI } from "../command";
import { present } from "../lists";
import { knownSplit } from "../pulumi/values";
import { percentOf, percentText } from "../state/stackRollout";
import { timeOf, timeText } from "../state/time";
import type { Card } from "./card";
import { few, fewQuoted, quoted, type Text, words } from "./text";
import type { StackGuards } from "./wholeRun";

/**
 * Describes changes to splits and rollouts. The split before a change is the one that was last applied, not the one
 * that was last declared.
 */

/**
 * The splits before and after a change. A split is undefined if not declared, and UNKNOWN if not known before the run.
 */
export interface Splits {
  /** The split that was applied last. If the numbers have different splits, this is one of those in `possible`. */
  readonly before: Split | undefined;
  /** Every split that may be in effect before the change. */
  readonly possible: readonly (Split | undefined)[];
  readonly after: Split | undefined;
  /**
   * The largest shift, in percentage points, from a split in `possible` to `after`. Undefined if one of these splits
   * isn't known.
   */
  readonly points: number | undefined;
  readonly isChanged: boolean;
}

export function splitsOf(olds: NumbersState, { inboundAgents: after }: NumbersState): Splits {
  const isApplied = olds.unapplied === undefined;
  const applied = isApplied ? [olds.inboundAgents] : appliedSplits(olds);
  const possible = isApplied ? applied : possibleSplits(olds);
  const befores = applied.length > 0 ? applied : possible;
  const known = [...possible, after].map(knownSplit);
  const to = known.at(-1) ?? {};
  return {
    before: befores[0],
    possible,
    after,
    // If no agent was assigned before, the shift is zero.
    points: known.includes(undefined)
      ? undefined
      : Math.max(...known.map((from = {}) => (isEmpty(from) ? 0 : Number(round(shift(from, to)))))),
    isChanged: isUnknown(after) || befores.some((before) => !same(before, after)),
  };
}

/** Returns a split as text, such as `agent_front@12 90%, agent_front@13 10%`. */
export function splitText(split: Split | undefined): Text {
  if (knownSplit(split) === undefined) {
    return [split === undefined ? "agents not managed here" : "a split that is not known yet"];
  }
  const texts = Object.entries(percentages(knownSplit(split) ?? {})).map(
    ([agent, percent]) => words`${quoted(agent)} ${percentText(percent)}`,
  );
  return texts.length === 0 ? ["no agents"] : few(texts, 4);
}

/** Whether the change leaves no inbound agent. */
export const isCut = ({ after, isChanged }: Splits): boolean =>
  isChanged && after !== undefined && !isUnknown(after) && isEmpty(after);

const percentOrNone = (percent: number | undefined): string => (percent === undefined ? "none" : percentText(percent));

/** Whether the change moves all calls at once to an agent that had none. */
export function isAtOnce({ before, after }: Splits): boolean {
  const [from, to] = [knownSplit(before), knownSplit(after)];
  return (
    from !== undefined &&
    to !== undefined &&
    !isEmpty(from) &&
    moves(from, to).some((move) => (move.from ?? 0) === 0 && move.to === 100)
  );
}

/** Returns a line that says which agents gain or lose calls, and on which numbers. */
export function splitTitle(splits: Splits, subject: Text): Text {
  const [before, after] = [knownSplit(splits.before), knownSplit(splits.after)];
  if (isCut(splits)) {
    return words`⚠ No inbound agents left on ${subject}: ${splitText(splits.before)} → none`;
  }
  if (before === undefined || after === undefined || isEmpty(before)) {
    return words`Traffic on ${subject}: ${splitText(splits.before)} → ${splitText(splits.after)}`;
  }
  // Agents that gain calls come first, then those that lose calls, largest change first.
  const size = ({ from = 0, to = 0 }: AgentMove) => to - from;
  const moved = moves(before, after)
    .filter(({ from, to }) => from !== to)
    .sort((a, b) => Number(size(b) > 0) - Number(size(a) > 0) || Math.abs(size(b)) - Math.abs(size(a)));
  if (moved.length === 0) {
    return words`Different weights with the same percentages on ${subject}`;
  }
  // If two agents share all calls before and after the change, show only one of them, because its percentage implies
  // the other.
  const isPair =
    moved.length === 2 && moves(before, after).every(({ from, to }) => from !== undefined && to !== undefined);
  const texts = moved.map(
    ({ agent, from, to }) => words`${quoted(agent)} ${percentOrNone(from)} → ${percentOrNone(to)}`,
  );
  const text = few(isPair ? texts.slice(0, 1) : texts, 3);
  return isAtOnce(splits)
    ? words`⚠ Traffic on ${subject}: ${text}, all calls at once`
    : words`Traffic on ${subject}: ${text}`;
}

/** The table rows with each agent's percentage before and after. */
export function agentRows({ before, after, isChanged }: Splits): (readonly [string, string, string])[] {
  const [from, to] = [knownSplit(before), knownSplit(after)];
  return isChanged && from !== undefined && to !== undefined
    ? moves(from, to).map((move) => [move.agent, percentOrNone(move.from), percentOrNone(move.to)])
    : [];
}

// --- a rollout

/** A resource's rollout before and after a change. */
export interface Rollouts {
  readonly before: NumbersState["rollout"];
  readonly after: NumbersState["rollout"];
  /** Whether every number is known to have the split that was declared before the change. */
  readonly isConfirmed: boolean;
}

const knownRollout = (rollout: NumbersState["rollout"]): Rollout | undefined =>
  typeof rollout === "object" ? rollout : undefined;

/** What a card about a rollout needs to know about the whole stack. */
export interface RolloutContext {
  readonly stack: string;
  readonly guards: StackGuards;
  /** Returns the names of the resources that use an agent but aren't part of the rollout. */
  readonly othersUsing: (agent: string, rollout: string | undefined) => readonly string[];
  /** Whether a resource was in the rollout before the change. */
  readonly wasUsed: (rollout: string | undefined) => boolean;
}

/**
 * Describes the rollout step or abort that this change applies, including one that an earlier run couldn't apply to
 * every number. `undo` says which command reverts it.
 */
export function rolloutStep(
  { before, after, isConfirmed }: Rollouts,
  splits: Splits,
  { subject, stack, guards, othersUsing, wasUsed }: RolloutContext & { readonly subject: Text },
): (Pick<Card, "undo"> & { readonly title?: Text; readonly note: Text | undefined }) | undefined {
  const [from, to] = [knownRollout(before), knownRollout(after)];
  const { steps = [] } = guards;
  const isAgain = same(from, to);
  const back = to && abortedAgent(from, to);
  const agent = back ?? to?.candidate;
  if (to === undefined || agent === undefined || (isAgain && isConfirmed)) {
    return undefined;
  }
  const percents = percentsText(percentBeforeText(agent, splits), percentText(back === undefined ? percentOf(to) : 0));
  const name = words` ${quoted(to.name)}`;
  const command = (verb: string, more: string) => quoted(`${CLI} ${verb} ${to.name} --stack ${stack} ${more}`, 200);
  if (back !== undefined) {
    return {
      title: words`Rollout${name} is aborted: all calls to ${subject} go to ${quoted(to.stable)}, ${quoted(agent)} ${percents}`,
      note: isAgain ? undefined : ["The stable split is sent to every number, even if the saved state already has it."],
      // Reverting the abort gives the candidate its previous percentage at once, which the `steps` guard may refuse. So
      // suggest promoting the candidate again, step by step.
      undo: steps.length > 0 ? words`${command("promote", `--to ${agent}`)}, one step at a time` : undefined,
    };
  }
  const index = steps.indexOf(percentOf(to));
  const step = index < 0 ? "" : ` (step ${index + 1} of ${steps.length})`;
  const others = othersUsing(agent, to.name);
  const stays = others.length === 0 ? [] : words`. It does not remove ${quoted(agent)} from ${fewQuoted(others)}`;
  const down = words`${command("abort", "--up")} sends all calls to ${quoted(to.stable)}; only a freeze blocks it${stays}`;
  return {
    note: words`Rollout${name}: ${quoted(agent)} ${percents}${step}.`,
    undo: percentOf(to) > 0 && isOwn(to, from, wasUsed) ? down : undefined,
  };
}

/**
 * Whether an abort of the rollout would undo this change. If the numbers join a rollout that other numbers use, the
 * abort would change those too.
 */
const isOwn = (to: Rollout, from: Rollout | undefined, wasUsed: RolloutContext["wasUsed"]): boolean =>
  from === undefined ? !wasUsed(to.name) : isIn(to, from);

/** Whether the numbers were already in this rollout. If not, their change is neither a step nor an abort of it. */
const isIn = (rollout: Rollout, from: Rollout | undefined): from is Rollout =>
  from !== undefined && from.name === rollout.name;

function percentsText(before: string, after: string): string {
  const unchanged = after === percentText(0) ? "receives no calls" : `stays at ${after}`;
  return before === after ? unchanged : `${before} → ${after}`;
}

/**
 * Returns an agent's percentage before the change. After a partial failure, there may be several, such as `10% or 50%`.
 */
function percentBeforeText(agent: string, { possible }: Splits): string {
  const percents = present(possible).map((split) => percentText(percentIn(split, agent)));
  return percents.length === 0 ? "none" : series([...new Set(percents)], "or");
}

const percentIn = (split: Split | undefined, agent: string): number => percentages(knownSplit(split) ?? {})[agent] ?? 0;

/**
 * Returns the rollout's abort if this change may retry a restart of the aborted agent. The provider's plan doesn't
 * report a restart that is already in the saved state.
 */
export function unappliedRestart(olds: NumbersState, news: NumbersState): Aborted | undefined {
  const { aborted } = knownRollout(news.rollout) ?? {};
  const isStart =
    aborted !== undefined &&
    olds.unapplied !== undefined &&
    percentIn(news.inboundAgents, aborted.agent) > 0 &&
    possibleSplits(olds).some((split) => percentIn(split, aborted.agent) === 0);
  return isStart ? aborted : undefined;
}

/** Returns the title of a card about an aborted agent to which a rollout or a manual split sends calls again. */
export function restartTitle(
  { agent, at }: { readonly agent: string; readonly at: string },
  splits: Splits,
  subject: Text,
): Text {
  const percent = percentText(percentIn(splits.after, agent));
  return words`⚠ ${quoted(agent)} was aborted on ${timeOf(at).map(timeText)} and receives calls again on ${subject}: ${percentBeforeText(agent, splits)} → ${percent}`;
}

/**
 * Returns the agent that loses all calls in an abort, whether by the `abort` command or by a percentage that was set to
 * 0 manually. Undefined if the change isn't an abort.
 */
function abortedAgent(from: Rollout | undefined, to: Rollout): string | undefined {
  if (!isIn(to, from)) {
    return undefined;
  }
  if (isNewAbort(from, to) || (isAborted(to) && same(from, to))) {
    return to.aborted?.agent;
  }
  return from.stable === to.stable && percentOf(from) > 0 && percentOf(to) === 0 ? from.candidate : undefined;
}
