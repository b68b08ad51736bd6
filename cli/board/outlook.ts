import { isObject, same } from "../../provider/core/common/equality";
import { parseJson } from "../../provider/core/common/json";
import { NAMESPACE } from "../../provider/core/config/settings";
import { counted } from "../../provider/core/messages";
import { type Recorded, recordedIn } from "../history/changes";
import type { Unapplied } from "../history/words";
import { present } from "../lists";
import type { Pending } from "../pulumi/stackExport";
import { parseAfter } from "../rollout/after";
import { readDuration, timeText, writtenDuration } from "../rollout/time";
import { percentOf, percentOfAgent, percentText } from "../rollout/value";
import type { Next, RolloutPart } from "./board";

/** What comes next in a rollout, and what holds it: the conditions of `promote`, from the config and the states. */

/** A rollout in the config of a stack, with its gates. */
export interface Configured {
  readonly rollout: Recorded;
  readonly after?: string | undefined;
  readonly minSoak?: string | undefined;
}

/** The rollouts of a config by name. */
export function configured(config: Readonly<Record<string, unknown>>): ReadonlyMap<string, Configured> {
  const value = config[`${NAMESPACE}:rollouts`];
  const all = typeof value === "string" ? parseJson(value) : value;
  return new Map(
    Object.entries(isObject(all) ? all : {}).flatMap(([name, one]) => {
      const rollout = recordedIn(one);
      const gates = isObject(one) && isObject(one.promote) ? one.promote : {};
      const [after, minSoak] = [gates.after, gates.minSoak].map((gate) =>
        typeof gate === "string" ? gate : undefined,
      );
      return rollout === undefined ? [] : [[name, { rollout, after, minSoak }] as const];
    }),
  );
}

interface Known {
  /** As the state has it. */
  readonly rollout: Recorded;
  readonly parts: readonly RolloutPart[];
  readonly steps: readonly number[];
  readonly since: Date | undefined;
  readonly now: Date;
  readonly inConfig: Configured | undefined;
  readonly unapplied: Unapplied | undefined;
  readonly pending: Pending | undefined;
  /** The same rollout in another stack; undefined if that stack was not read, or does not have it. */
  readonly percentIn: (stack: string) => Recorded | undefined;
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
function lateBecause({ rollout, parts, inConfig, unapplied, pending }: Known): string[] {
  const others = parts.filter((part) => !same(part.rollout, rollout));
  const isEdited = inConfig !== undefined && !same(inConfig.rollout, rollout);
  return present([
    pending !== undefined && `a run was stopped while it was ${pending.operation} ${pending.kind} "${pending.name}"`,
    unapplied !== undefined &&
      unapplied.count > 0 &&
      `${unapplied.count} of ${counted(unapplied.all, "number")} ${unapplied.count === 1 ? "does" : "do"} not have this split yet: run \`pulumi up\``,
    ...others.map(
      ({ saved, rollout: own }) =>
        `${saved.kind} "${saved.name}" has ${percentText(percentOf(own))}: run \`pulumi up\``,
    ),
    isEdited && `the config has ${percentText(percentOf(inConfig.rollout))}, which is not applied yet`,
  ]);
}

function gatesOf({ rollout, since, now, inConfig, percentIn }: Known): string[] {
  const { after, minSoak } = inConfig ?? {};
  const soak = minSoak === undefined ? undefined : readDuration(minSoak);
  const ready = since === undefined || soak === undefined ? undefined : new Date(since.getTime() + soak);
  const { folder, stack } = parseAfter(after ?? "");
  const before = stack === "" || folder !== undefined ? undefined : percentIn(stack.split("/").at(-1) ?? "");
  const percent = before === undefined ? undefined : percentOfAgent(rollout.candidate ?? "", before);
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
