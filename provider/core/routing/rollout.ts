import { isUnknown, UNKNOWN } from "../common/engine";
import { percentages, type Split, splitAgents, toSplit } from "./split";

/** A new version that gets its calls step by step, and the split that follows. A program is compiled against these types, so zod is not here. */

/** The rollout of a resource: its name, and what the setting says of it. */
export interface Rollout {
  /** Its key in the setting `agent-platform:rollouts`. A saved state from before rollouts had names has none. */
  readonly name?: string | undefined;
  /** The agent that callers reach today, with its version: `agent_front@12`. */
  readonly stable: string;
  /** The agent that is tried: `agent_front@13`. Without it, all calls go to the stable agent. */
  readonly candidate?: string | undefined;
  /** The candidate's percentage of the calls, from 0 to 100. At 0 the candidate is not in the split, at 100 the stable agent is not. */
  readonly percent?: number | undefined;
  /**
   * What the last abort ended. It counts while the candidate is at 0 %: a new one then sends the stable split to every number, whatever the
   * state says that it has.
   */
  readonly aborted?: Aborted | undefined;
}

/** What an abort ended. */
export interface Aborted {
  /** The candidate that was taken back: `agent_front@13`. */
  readonly agent: string;
  /** Its percentage of the calls at that time. */
  readonly percent: number;
  /** When the operator decided it (ISO 8601, UTC). */
  readonly at: string;
  /** An agent from before the stable one, to which the calls return: `agent_front@12`. Then `stable` is the same. */
  readonly to?: string | undefined;
}

/** Is it aborted? `aborted` stays if the agent, or another one, starts again: then the candidate has a percentage. */
export const isAborted = (rollout: Rollout): rollout is Rollout & { readonly aborted: Aborted } =>
  rollout.aborted !== undefined && isAtZero(rollout);

/** Did the operator abort since the state was saved? Then every number is sent. */
export const isNewAbort = (olds: Rollout | undefined, news: Rollout | undefined): boolean =>
  news !== undefined && isAborted(news) && news.aborted.at !== olds?.aborted?.at;

/** What the weights of a rollout sum to if neither the stack nor the program has a weightTotal. */
const DEFAULT_TOTAL = 100;

/** The split of a rollout, in the platform's unit. An agent that gets no calls is not in it. */
export function splitOf(given: Rollout, total: number = DEFAULT_TOTAL): Split {
  if (isUnknown(given)) {
    return UNKNOWN as unknown as Split;
  }
  const { stable, candidate = stable, percent: percentage = 0 } = given;
  const weights = { [candidate]: weightOf(percentage, total), [stable]: weightOf(100 - percentage, total) };
  return toSplit(splitAgents(weights).filter(({ weight }) => weight > 0));
}

/** Rounded to twelve digits: 70 % of 1 is 0.7, and not 0.7000000000000001. */
const weightOf = (percentage: number, total: number): number => Number(((total / 100) * percentage).toPrecision(12));

// --- who gets calls

export const isAtZero = ({ candidate, percent }: Rollout): boolean => candidate === undefined || percent === 0;

export const stableSplit = (given: Rollout | undefined): Split | undefined =>
  given === undefined ? undefined : { [given.stable]: 100 };

export type Calls = Readonly<Record<string, number>>;

export const callsIn = (split: Split): Calls =>
  Object.fromEntries(Object.entries(percentages(split)).filter(([, percentage]) => percentage > 0));

/** The percentages of two splits with the same meaning may differ in their last digits, because weights have any unit. */
export const TOLERANCE = 1e-6;

/** Does every agent get the same calls, in whatever unit the weights are? */
export function sameCalls(a: Split, b: Split): boolean {
  const [one, other] = [callsIn(a), callsIn(b)];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every(
    (agent) => Math.abs((one[agent] ?? 0) - (other[agent] ?? 0)) <= TOLERANCE,
  );
}

/** The abort whose agent gets calls again by a change to this split. The state may not have it, if no run has applied it. */
export function restartOf(
  last: Rollout | undefined,
  next: Rollout | undefined,
  split: Split | undefined,
): Aborted | undefined {
  const aborted = next?.aborted ?? last?.aborted;
  const isNow = last !== undefined && (isAborted(last) || last.aborted?.at !== aborted?.at);
  const { [aborted?.agent ?? ""]: percent = 0 } = split === undefined || isUnknown(split) ? {} : callsIn(split);
  return isNow && percent > 0 ? aborted : undefined;
}
