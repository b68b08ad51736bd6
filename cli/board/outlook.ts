import { counted } from "../../provider/core/messages";
import type { PromoteGates } from "../../provider/core/routing/rollouts";
import { present } from "../lists";
import { titleOf } from "../pulumi/numbersHeld";
import type { Pending } from "../pulumi/stackExport";
import type { Properties } from "../pulumi/values";
import { parseAfter, stackAlone } from "../rollout/after";
import { differenceText, missedOf, type Part, stoppedText } from "../rollout/standing";
import { readDuration, timeText, writtenDuration } from "../rollout/time";
import {
  gatesWritten,
  percentOf,
  percentOfAgent,
  percentText,
  ROLLOUTS,
  type Rollout,
  rolloutIn,
  rolloutsWritten,
  sameRollout,
} from "../rollout/value";

/** What comes next in a rollout, and what holds it: the conditions of `promote`, from the config and the states. */

/** A rollout in the config of a stack, with its gates. */
export interface Configured extends PromoteGates {
  readonly rollout: Rollout;
}

/** The rollouts of a config by name. */
export const configured = (config: Properties): ReadonlyMap<string, Configured> =>
  new Map(
    Object.entries(rolloutsWritten(config[ROLLOUTS])).flatMap(([name, one]) => {
      const rollout = rolloutIn(one);
      return rollout === undefined ? [] : [[name, { rollout, ...gatesWritten(one) }] as const];
    }),
  );

/** What `promote` does next. */
export interface Next {
  /** `50 %`, `done`, `aborted`. */
  readonly text: string;
  readonly tone: "plain" | "good" | "bad";
  /** Why it waits; empty if it need not. */
  readonly waits: readonly string[];
}

interface Known {
  /** As the state has it. */
  readonly rollout: Rollout;
  readonly parts: readonly Part[];
  readonly steps: readonly number[];
  readonly since: Date | undefined;
  readonly now: Date;
  readonly inConfig: Configured | undefined;
  readonly pending: Pending | undefined;
  /** The rollout of another stack that `promote.after` means; undefined if that stack was not read, or does not have it. */
  readonly rolloutIn: (stack: string, named: string | undefined) => Rollout | undefined;
}

export function outlook(known: Known): Next {
  const { rollout, steps } = known;
  const percent = percentOf(rollout);
  const late = lateBecause(known);
  if (rollout.aborted !== undefined) {
    const text = `aborted: ${rollout.aborted.agent} had ${percentText(rollout.aborted.percent)}`;
    return { text, tone: "bad", waits: late };
  }
  if (rollout.candidate === undefined) {
    return { text: "no candidate", tone: "plain", waits: late };
  }
  if (percent === 100) {
    return { text: "done", tone: "good", waits: late };
  }
  const next = steps.find((step) => step > percent);
  return {
    text: next === undefined ? "not known, because the stack has no steps" : percentText(next),
    tone: "plain",
    waits: [...late, ...gatesOf(known)],
  };
}

/** Why not all numbers have what the config says. */
function lateBecause({ rollout, parts, inConfig, pending }: Known): string[] {
  const { count, all } = missedOf(parts);
  const isEdited = inConfig !== undefined && !sameRollout(inConfig.rollout, rollout);
  return present([
    pending !== undefined && stoppedText(pending),
    count > 0 &&
      `${count} of ${counted(all, "number")} ${count === 1 ? "does" : "do"} not have this split yet: run \`pulumi up\``,
    ...parts
      .filter((part) => !sameRollout(part.rollout, rollout))
      .map((part) => `${titleOf(part.saved)} ${differenceText(part.rollout, rollout)}: run \`pulumi up\``),
    isEdited &&
      `the config ${differenceText(inConfig.rollout, { ...rollout, aborted: undefined })}, which is not applied yet`,
  ]);
}

function gatesOf({ rollout, since, now, inConfig, rolloutIn }: Known): string[] {
  const { after, minSoak } = inConfig ?? {};
  const soak = minSoak === undefined ? undefined : readDuration(minSoak);
  const ready = since === undefined || soak === undefined ? undefined : new Date(since.getTime() + soak);
  const { folder, stack, name } = parseAfter(after ?? "");
  const before = folder === undefined ? rolloutIn(stackAlone(stack), name) : undefined;
  const percent = before && percentOfAgent(rollout.candidate ?? "", before);
  return present([
    minSoak !== undefined && ready === undefined && `after ${writtenDuration(minSoak)}`,
    minSoak !== undefined &&
      ready !== undefined &&
      ready > now &&
      `after ${writtenDuration(minSoak)}: at ${timeText(ready)}`,
    after !== undefined && percent === undefined && `waits for stack ${after}, which is not on this page`,
    percent !== undefined && percent < 100 && `waits for ${after}, which has ${percentText(percent)}`,
  ]);
}
