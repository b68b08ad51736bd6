import { same } from "../../provider/core/equality";
import { parseJson } from "../../provider/core/json";
import type { Rollout } from "../../provider/core/rollout";
import { isUnknown } from "../../provider/core/schemas";
import { NAMESPACE } from "../../provider/core/settings";
import { CALLED } from "../command";
import type { Properties } from "../pulumi/values";
import { timeOf } from "../rollout/standing";
import { durationText } from "../rollout/time";
import { nameOfKey, percentOf, percentOfAgent, percentText, subjectOf } from "../rollout/value";
import type { Undo } from "./card";
import type { Sides, Snapshot } from "./snapshot";
import { id, say, type Text } from "./text";

/** A rollout in a report: which step it takes, and the command that goes back. */

export interface Rollouts {
  readonly config: Properties;
  readonly project: string;
  readonly stack: string;
  readonly now: Date;
}

/** The rollouts before and after a change; undefined if none changes, or if it is hidden. `from` is absent if there was no rollout before, or if it is hidden. */
function stepIn({ before, after }: Sides) {
  const [from, to] = [rolloutIn(before), rolloutIn(after)];
  if (to === undefined || same(from, to)) {
    return undefined;
  }
  // All calls go back to the stable agent.
  const isAbort = from !== undefined && percentOf(from) > 0 && percentOf(to) === 0;
  return { from, to, isAbort };
}

const rolloutIn = ({ state: { rollout } }: Snapshot): Rollout | undefined =>
  rollout === undefined || isUnknown(rollout) ? undefined : rollout;

/** `Rollout front: 10 % → 50 % (step 3 of 4), agent_front@12 → agent_front@13; at 10 % for 2 days.` */
export function rolloutNote(sides: Sides, steps: readonly number[] = [], rollouts: Rollouts): Text | undefined {
  const { from, to, isAbort } = stepIn(sides) ?? {};
  const agent = isAbort ? from?.candidate : to?.candidate;
  if (to === undefined || agent === undefined) {
    return undefined;
  }
  const name = nameOf(to, rollouts);
  const named = name === undefined ? "" : say` ${id(name)}`;
  const had = from === undefined ? "" : say`${percentText(percentOfAgent(agent, from))} → `;
  const has = { strong: percentText(percentOfAgent(agent, to)) };
  const index = steps.indexOf(percentOf(to));
  const step = index < 0 ? "" : ` (step ${index + 1} of ${steps.length})`;
  const calls = isAbort ? say`${id(agent)} → ${id(to.stable)}` : say`${id(to.stable)} → ${id(agent)}`;
  return say`Rollout${named}: ${had}${has}${isAbort ? " (abort)" : step}, ${calls}${age(from, sides, rollouts)}.`;
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

/** The key of the stack's config that has this value, as `promote` and `abort` take it; undefined if none or several have it. */
function nameOf(rollout: Rollout, { config, project }: Rollouts): string | undefined {
  const has = (value: unknown) => same(typeof value === "string" ? parseJson(value) : value, rollout);
  const keys = Object.keys(config).filter((key) => !key.startsWith(`${NAMESPACE}:`) && has(config[key]));
  return keys.length === 1 ? keys[0] && nameOfKey(keys[0], project) : undefined;
}

/** The command that goes back. A revert of an abort gives the candidate calls again, which the guard `steps` may refuse: `promote` does it step by step. */
export function rolloutUndo(sides: Sides, steps: readonly number[] | undefined, rollouts: Rollouts): Undo | undefined {
  const { from, to, isAbort } = stepIn(sides) ?? {};
  const name = to && nameOf(to, rollouts);
  if (to === undefined || name === undefined) {
    return undefined;
  }
  const command = (verb: string) => id(`${CALLED} ${verb} ${name} --stack ${rollouts.stack}`, 200);
  if (isAbort) {
    const again = say`${command("promote")} with ${id(`--to ${from?.candidate}`)}, one step at a time`;
    return steps && { command: again };
  }
  return percentOf(to) === 0
    ? undefined
    : { command: say`${command("abort")}: all calls to ${id(to.stable)}; only a freeze blocks it` };
}
