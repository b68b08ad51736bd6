import { same } from "../../provider/core/equality";
import { parseJson } from "../../provider/core/json";
import type { Rollout } from "../../provider/core/rollout";
import { isUnknown } from "../../provider/core/schemas";
import { NAMESPACE } from "../../provider/core/settings";
import { CALLED } from "../command";
import type { Properties } from "../pulumi/values";
import { timeOf } from "../rollout/standing";
import { durationText } from "../rollout/time";
import { percentOf, percentText, shareOf, subjectOf } from "../rollout/value";
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

interface Step {
  /** Absent if it was a split by hand. */
  readonly from: Rollout | undefined;
  readonly to: Rollout;
}

/** Undefined if no rollout changes, or if it is hidden. */
function stepIn({ before, after }: Sides): Step | undefined {
  const [from, to] = [rolloutIn(before), rolloutIn(after)];
  return to === undefined || same(from, to) ? undefined : { from, to };
}

const rolloutIn = ({ state: { rollout } }: Snapshot): Rollout | undefined =>
  rollout === undefined || isUnknown(rollout) ? undefined : rollout;

/** All calls go back to the stable agent. */
const isAbort = ({ from, to }: Step): boolean => from !== undefined && percentOf(from) > 0 && percentOf(to) === 0;

/** `Rollout front: 10 % → 50 % (step 3 of 4), agent_front@12 → agent_front@13; at 10 % for 2 days.` */
export function rolloutNote(sides: Sides, steps: readonly number[] | undefined, rollouts: Rollouts): Text | undefined {
  const step = stepIn(sides);
  if (step === undefined) {
    return undefined;
  }
  const { from, to } = step;
  const agent = isAbort(step) ? from?.candidate : to.candidate;
  if (agent === undefined) {
    return undefined;
  }
  const had = from === undefined ? [] : say`${percentText(shareOf(agent, from))} → `;
  const has = { strong: percentText(shareOf(agent, to)) };
  const calls = isAbort(step) ? say`${id(agent)} → ${id(to.stable)}` : say`${id(to.stable)} → ${id(agent)}`;
  return say`Rollout${named(to, rollouts)}: ${had}${has}${stepText(step, steps)}, ${calls}${age(from, sides, rollouts)}.`;
}

function stepText(step: Step, steps: readonly number[] = []): string {
  if (isAbort(step)) {
    return " (abort)";
  }
  const index = steps.indexOf(percentOf(step.to));
  return index < 0 ? "" : ` (step ${index + 1} of ${steps.length})`;
}

/** How long callers have met the split before. */
function age(from: Rollout | undefined, { before }: Sides, { now }: Rollouts): Text {
  const [since] = timeOf(before.values.since);
  if (from === undefined || since === undefined) {
    return [];
  }
  const agent = subjectOf(from);
  const whose = percentOf(from) === 0 || percentOf(from) === 100 ? say`${id(agent)} ` : [];
  return say`; ${whose}at ${percentText(shareOf(agent, from))} for ${durationText(now.getTime() - since.getTime())}`;
}

/** The key of the stack's config that has this value, as `promote` and `abort` take it; undefined if none or several have it. */
function nameOf(rollout: Rollout, { config, project }: Rollouts): string | undefined {
  const keys = Object.keys(config).filter((key) => !key.startsWith(`${NAMESPACE}:`) && has(config[key], rollout));
  const [key = ""] = keys;
  return keys.length === 1 ? key.replace(`${project}:`, "") : undefined;
}

const has = (value: unknown, rollout: Rollout): boolean =>
  same(typeof value === "string" ? parseJson(value) : value, rollout);

function named(rollout: Rollout, rollouts: Rollouts): Text {
  const name = nameOf(rollout, rollouts);
  return name === undefined ? [] : say` ${id(name)}`;
}

/** The commands that go back. The guard `steps` judges a revert of an abort as a way up, so that one is no revert. */
export function rolloutUndo(sides: Sides, steps: readonly number[] | undefined, rollouts: Rollouts): Undo | undefined {
  const step = stepIn(sides);
  const name = step && nameOf(step.to, rollouts);
  if (step === undefined || name === undefined) {
    return undefined;
  }
  const { from, to } = step;
  const command = (verb: string) => id(`${CALLED} ${verb} ${name} --stack ${rollouts.stack}`, 200);
  if (isAbort(step)) {
    const again = steps && say`${command("promote")} with ${id(`--to ${from?.candidate}`)}, one step at a time`;
    return again && { command: again };
  }
  return percentOf(to) === 0
    ? undefined
    : { command: say`${command("abort")}: all calls to ${id(to.stable)}; only a freeze blocks it` };
}
