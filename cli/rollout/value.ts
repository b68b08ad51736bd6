import { type Rollout, rollout } from "../../provider/core/rollout";
import { round } from "../../provider/core/split";
import { UsageError } from "../errors";

export type { Rollout } from "../../provider/core/rollout";

/** Reads the value of a config file as the argument `rollout`. @param told makes the sentence about a field; the field is "" for the whole value */
export function readRollout(value: unknown, told: (field: string, problem: string) => string): Rollout {
  const read = rollout.safeParse(value);
  if (read.success) {
    return read.data;
  }
  const [issue] = read.error.issues;
  const field = String(issue?.path[0] ?? "");
  if (issue?.code === "unrecognized_keys") {
    const keys = issue.keys.join(", ");
    throw new UsageError(`${told(field, `has the key ${keys}; a rollout has stable, candidate and percent`)}.`);
  }
  const found: unknown = issue?.code === "custom" ? issue.params?.found : undefined;
  throw new UsageError(`${told(field, `${issue?.message}${found === undefined ? "" : `; found ${found}`}`)}.`);
}

/** The name of a rollout, as `promote` and `abort` take it: its key in the config, without the project. */
export const nameOfKey = (key: string, project: string): string =>
  key.startsWith(`${project}:`) ? key.slice(project.length + 1) : key;

/** The candidate's percentage: 0 without one. */
export const percentOf = ({ candidate, percent = 0 }: Rollout): number => (candidate === undefined ? 0 : percent);

/** The percentage of the calls that an agent gets. */
export function percentOfAgent(agent: string, rollout: Rollout): number {
  const percent = percentOf(rollout);
  if (agent === rollout.candidate) {
    return percent;
  }
  return agent === rollout.stable ? 100 - percent : 0;
}

export const percentText = (percent: number): string => `${round(percent)} %`;

/** The agent that messages name: the candidate while it has calls, else the stable agent. */
export const subjectOf = (rollout: Rollout): string =>
  rollout.candidate !== undefined && percentOf(rollout) > 0 ? rollout.candidate : rollout.stable;

/** Do both say the same of the calls? A percentage without a candidate says nothing. */
export const sameRollout = (one: Rollout, other: Rollout): boolean =>
  one.stable === other.stable && one.candidate === other.candidate && percentOf(one) === percentOf(other);
