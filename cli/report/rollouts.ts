import { isNewAbort, isUnknown, type Rollout, same } from "../../provider/review";
import { CALLED } from "../command";
import { timeOf } from "../rollout/standing";
import { durationText } from "../rollout/time";
import { percentOf, percentOfAgent, percentText, subjectOf } from "../rollout/value";
import type { Undo } from "./card";
import type { Sides, Snapshot } from "./snapshot";
import { id, say, type Text } from "./text";

/** A rollout in a report: which step it takes, and the command that goes back. */

export interface Rollouts {
  readonly stack: string;
  readonly now: Date;
}

/**
 * The rollouts before and after a change; undefined if none changes, or if it is hidden. `from` is absent if there was no rollout before,
 * or if it is hidden.
 */
function stepIn({ before, after }: Sides) {
  const [from, to] = [rolloutIn(before), rolloutIn(after)];
  if (to === undefined || same(from, to)) {
    return undefined;
  }
  const aborted = isNewAbort(from, to) ? to.aborted : undefined;
  // All calls go back to the stable agent.
  const isAbort = aborted !== undefined || (from !== undefined && percentOf(from) > 0 && percentOf(to) === 0);
  return { from, to, isAbort, aborted };
}

const rolloutIn = ({ state: { rollout } }: Snapshot): Rollout | undefined =>
  rollout === undefined || isUnknown(rollout) ? undefined : rollout;

/** `Rollout front: 10 % → 50 % (step 3 of 4), agent_front@12 → agent_front@13; at 10 % for 2 days.` */
export function rolloutNote(sides: Sides, steps: readonly number[] = [], rollouts: Rollouts): Text | undefined {
  const { from, to, isAbort, aborted } = stepIn(sides) ?? {};
  const agent = isAbort ? (aborted?.agent ?? from?.candidate) : to?.candidate;
  if (to === undefined || agent === undefined) {
    return undefined;
  }
  const named = to.name === undefined ? "" : say` ${id(to.name)}`;
  const had = from === undefined ? "" : say`${percentText(percentOfAgent(agent, from))} → `;
  const has = { strong: percentText(percentOfAgent(agent, to)) };
  const index = steps.indexOf(percentOf(to));
  const step = index < 0 ? "" : ` (step ${index + 1} of ${steps.length})`;
  const calls = isAbort ? say`${id(agent)} → ${id(to.stable)}` : say`${id(to.stable)} → ${id(agent)}`;
  const sends = aborted === undefined ? "" : ABORT_SENDS;
  return say`Rollout${named}: ${had}${has}${isAbort ? " (abort)" : step}, ${calls}${age(from, sides, rollouts)}.${sends}`;
}

/** A killed run or a hand in the web application leaves no trace in the state, so the abort does not rely on it. */
const ABORT_SENDS = " The stable split is sent to every number, whatever the state says that it has.";

/** `Rollout front is aborted at 50 %: all calls of 240 numbers go to agent_front@12`; undefined if it is no abort. */
export function abortTitle(sides: Sides, on: Text): Text | undefined {
  const { from, to, isAbort, aborted } = stepIn(sides) ?? {};
  const percent = aborted?.percent ?? (from && percentOf(from));
  if (percent === undefined || to === undefined || isAbort !== true) {
    return undefined;
  }
  const named = to.name === undefined ? "" : say` ${id(to.name)}`;
  return say`Rollout${named} is aborted at ${percentText(percent)}: all calls of ${on} go to ${id(to.stable)}`;
}

/** How long the split before the change has been applied. */
function age(from: Rollout | undefined, { before }: Sides, { now }: Rollouts): Text {
  const [since] = timeOf(before.values.since);
  if (from === undefined || since === undefined) {
    return [];
  }
  const agent = subjectOf(from);
  const whose = percentOf(from) === 0 || percentOf(from) === 100 ? say`${id(agent)} ` : [];
  return say`; ${whose}at ${percentText(percentOfAgent(agent, from))} for ${durationText(now.getTime() - since.getTime())}`;
}

/**
 * The command that goes back. A revert of an abort gives the candidate calls again, which the guard `steps` may refuse: `promote` does it
 * step by step.
 */
export function rolloutUndo(sides: Sides, steps: readonly number[] | undefined, rollouts: Rollouts): Undo | undefined {
  const { from, to, isAbort, aborted } = stepIn(sides) ?? {};
  if (to?.name === undefined) {
    return undefined;
  }
  const command = (verb: string) => id(`${CALLED} ${verb} ${to.name} --stack ${rollouts.stack}`, 200);
  if (isAbort) {
    const again = say`${command("promote")} with ${id(`--to ${aborted?.agent ?? from?.candidate}`)}, one step at a time`;
    return steps && { command: again };
  }
  return percentOf(to) === 0
    ? undefined
    : { command: say`${command("abort")}: all calls to ${id(to.stable)}; only a freeze blocks it` };
}
