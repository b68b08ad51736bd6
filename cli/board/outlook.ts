import type { PromoteGates } from "../../provider/core/routing/rollouts";
import { present } from "../lists";
import type { Pending } from "../pulumi/stackExport";
import type { Properties } from "../pulumi/values";
import { parseAfter, stackAlone } from "../rollout/after";
import { lagsOf, type Part } from "../rollout/standing";
import { readDuration, timeText } from "../rollout/time";
import {
  gatesWritten,
  percentOf,
  percentOfAgent,
  percentText,
  ROLLOUTS,
  type Rollout,
  rolloutIn,
  rolloutsWritten,
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

/** What callers have, and what `promote` does next. */
export interface Next {
  /** Why not all callers have what the file says; empty if they have it. */
  readonly lags: readonly string[];
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
  readonly stopped: readonly Pending[];
  /** The rollout of another stack that `promote.after` means; undefined if that stack was not read, or does not have it. */
  readonly rolloutIn: (stack: string, named: string | undefined) => Rollout | undefined;
}

export function outlook(known: Known): Next {
  const { rollout, parts, steps, inConfig, stopped } = known;
  const lags = lagsOf(inConfig?.rollout ?? rollout, parts, stopped);
  const percent = percentOf(rollout);
  if (rollout.aborted !== undefined) {
    const { agent, percent: had } = rollout.aborted;
    return { lags, text: `aborted: ${agent} had ${percentText(had)}`, tone: "bad", waits: [] };
  }
  if (rollout.candidate === undefined) {
    return { lags, text: "no candidate", tone: "plain", waits: [] };
  }
  if (percent === 100) {
    return { lags, text: "done", tone: "good", waits: [] };
  }
  const next = steps.find((step) => step > percent);
  const text = next === undefined ? "not known, because the stack has no steps" : percentText(next);
  return { lags, text, tone: "plain", waits: gatesOf(known) };
}

function gatesOf({ rollout, since, now, inConfig, rolloutIn }: Known): string[] {
  const { after, minSoak } = inConfig ?? {};
  const soak = minSoak === undefined ? undefined : readDuration(minSoak);
  const ready = since === undefined || soak === undefined ? undefined : new Date(since.getTime() + soak);
  const { stack, name } = parseAfter(after ?? "");
  const before = rolloutIn(stackAlone(stack), name);
  const percent = before && percentOfAgent(rollout.candidate ?? "", before);
  return present([
    minSoak !== undefined && ready === undefined && `after ${minSoak}`,
    minSoak !== undefined && ready !== undefined && ready > now && `after ${minSoak}: at ${timeText(ready)}`,
    after !== undefined && percent === undefined && `waits for stack ${after}, which is not on this page`,
    percent !== undefined && percent < 100 && `waits for ${after}, which has ${percentText(percent)}`,
  ]);
}
