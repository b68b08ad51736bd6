import * as z from "zod";
import { defined, same } from "../common/equality";
import { isUnknown, objectOf, optional, percent, required, UNKNOWN } from "../common/schemas";
import { isAgentKey, percentages, type Split, splitAgents, toSplit } from "./split";

/** A new version that gets its calls step by step: what the setting says of it, and the split that follows. */

export interface Rollout {
  /** Its key in the setting `agent-platform:rollouts`. A saved state from before rollouts had names has none. */
  readonly name?: string | undefined;
  /** The agent that callers reach today, as a key: `agent_front@12`. */
  readonly stable: string;
  readonly candidate?: string | undefined;
  /** The candidate's percentage of the calls. */
  readonly percent?: number | undefined;
  /** What the last abort ended. A new one sends the stable split to every number, whatever the state says that it has. */
  readonly aborted?: Aborted | undefined;
}

export interface Aborted {
  /** The candidate that was taken back. */
  readonly agent: string;
  /** Its percentage at that time. */
  readonly percent: number;
  /** When the operator decided it (ISO 8601, UTC). */
  readonly at: string;
}

/** A name of a rollout. It is legal in every branch name, too. */
export const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

const agent = z.string({ error: "must be text" }).refine(isAgentKey, {
  error: "must be an agent, as in `agent_front@12`",
});

const time = z
  .string({ error: "must be text" })
  .refine((text) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text)), {
    error: "must be a time in UTC, as in 2026-01-31T09:02:11Z",
  });

const aborted: z.ZodType<Aborted> = objectOf(
  { agent: required(agent), percent: required(percent), at: required(time) },
  "must be an object { agent, percent, at }",
);

export const rolloutShape = {
  stable: required(agent),
  candidate: optional(agent),
  percent: optional(percent),
  aborted: optional(aborted),
};

/** Refuses what contradicts itself. */
export function judgeRollout(given: Partial<Rollout>, context: z.core.$RefinementCtx): void {
  const { stable, candidate, percent: part } = given;
  const refuse = (path: keyof Rollout, message: string) => context.addIssue({ code: "custom", path: [path], message });
  if (candidate === undefined && part !== undefined) {
    refuse("percent", "needs a candidate: without one, all calls go to the stable agent");
  }
  // If the percentage is left out by mistake, no calls may move.
  if (candidate !== undefined && part === undefined) {
    refuse("percent", "must be given if there is a candidate");
  }
  if (candidate !== undefined && candidate === stable) {
    refuse("candidate", "must be another agent than stable");
  }
  if (candidate !== undefined && given.aborted !== undefined) {
    refuse("aborted", "must go if another candidate starts: `promote --to` removes it");
  }
}

/** A rollout as it is saved: what its name stands for. */
export const rollout: z.ZodType<Rollout> = objectOf(
  { name: optional(z.string().regex(NAME)), ...rolloutShape },
  "must be the name of a rollout in agent-platform:rollouts",
).transform(defined);

/** Did the operator abort since the state was saved? Then every number is sent. */
export const isNewAbort = (olds: Rollout | undefined, news: Rollout | undefined): boolean =>
  news?.aborted !== undefined && news.aborted.at !== olds?.aborted?.at;

/** What the weights of a rollout sum to if neither the stack nor the program has a weightTotal. */
const PERCENT = 100;

/** The split of a rollout, in the platform's unit. An agent that gets no calls is not in it. */
export function splitOf(given: Rollout, total: number = PERCENT): Split {
  if (isUnknown(given)) {
    return UNKNOWN as unknown as Split;
  }
  const { stable, candidate = stable, percent: part = 0 } = given;
  const weights = { [candidate]: weightOf(part, total), [stable]: weightOf(100 - part, total) };
  return toSplit(splitAgents(weights).filter(({ weight }) => weight > 0));
}

/** Rounded to twelve digits: 70 % of 1 is 0.7, and not 0.7000000000000001. */
const weightOf = (part: number, total: number): number => Number(((total / 100) * part).toPrecision(12));

interface RolloutInputs {
  readonly rollout?: Rollout | undefined;
  readonly inboundAgents?: Split | undefined;
}

/** The inputs with their split; no inputs if the program writes both a split and a rollout. */
export interface Resolved<Inputs> {
  readonly inputs?: Inputs;
  /** Does `ignoreChanges` keep a rollout from being applied? */
  readonly isIgnored?: boolean;
}

/**
 * Adds the split that follows from a rollout. With `ignoreChanges` the engine hands the saved split to check beside the program's
 * rollout: then both stay as they are saved. A program that writes both itself gets no inputs.
 * @param wasChecked the inputs come from an earlier check, which has added the split
 */
export function withSplit<Inputs extends RolloutInputs>(
  inputs: Inputs,
  olds: Readonly<Record<string, unknown>> | undefined,
  total: number | undefined,
  wasChecked: boolean,
): Resolved<Inputs> {
  const { rollout: given, inboundAgents } = inputs;
  if (given === undefined) {
    return { inputs };
  }
  if (inboundAgents === undefined) {
    return { inputs: { ...inputs, inboundAgents: splitOf(given, total) } };
  }
  if (olds?.rollout !== undefined && same(olds.inboundAgents, inboundAgents)) {
    const isIgnored = !same(olds.rollout, given);
    return { inputs: { ...inputs, rollout: olds.rollout as Rollout }, isIgnored };
  }
  return wasChecked ? { inputs } : {};
}

// --- who is the stable agent

/** Does the rollout give all calls to the stable agent? */
export const isAtZero = ({ candidate, percent: part }: Rollout): boolean => candidate === undefined || part === 0;

/** The split that an abort goes back to. */
export const stableSplit = (given: Rollout | undefined): Split | undefined =>
  given === undefined ? undefined : { [given.stable]: 100 };

/** The agents that get calls, with their percentage. */
type Calls = Readonly<Record<string, number>>;

const callsIn = (split: Split): Calls =>
  Object.fromEntries(Object.entries(percentages(split)).filter(([, part]) => part > 0));

/** The percentages of two splits with the same meaning may differ in their last digits, because weights have any unit. */
const TOLERANCE = 1e-6;

/** Does every agent get the same calls, in whatever unit the weights are? */
export function sameCalls(a: Split, b: Split): boolean {
  const [one, other] = [callsIn(a), callsIn(b)];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every(
    (agent) => Math.abs((one[agent] ?? 0) - (other[agent] ?? 0)) <= TOLERANCE,
  );
}

// --- the guard `steps`

const MOST_STEPS = 20;

export const steps: z.ZodType<readonly number[]> = z
  .array(z.number({ error: "must be a number" }), { error: "must be a list of percentages, as in [1, 10, 50, 100]" })
  .superRefine((list, context) => {
    const isRising = list.every((step, index) => step > (list[index - 1] ?? 0));
    const found = list.length > MOST_STEPS ? `${list.length} of them` : list.join(", ") || "none";
    const most = list.length > MOST_STEPS ? ` in at most ${MOST_STEPS} steps` : "";
    if (!isRising || list.at(-1) !== 100 || most !== "") {
      context.addIssue({ code: "custom", message: `must rise from above 0 to 100${most}; found ${found}` });
    }
  });

/** Why the guard refuses a rollout. Percentages are of the calls. */
export type StepProblem =
  | { readonly why: "noStep"; readonly percent: number; readonly steps: readonly number[] }
  | { readonly why: "skips"; readonly from: number; readonly to: number; readonly skipped: readonly number[] }
  | { readonly why: "unconfirmed"; readonly from: number }
  | { readonly why: "underWay"; readonly agent: string; readonly has: number };

export interface Position {
  /** The rollout that was wanted last. */
  readonly last: Rollout | undefined;
  /** Every split that a number may have: what was applied, what requests since then may have left, and what was wanted. */
  readonly splits: readonly Split[];
  /** The split that was wanted last. */
  readonly wanted: Split | undefined;
  /** Is it certain that all numbers have it? */
  readonly isConfirmed: boolean;
}

/** The percentage is a step. A new number may join a rollout at any of them. */
export const stepAtStart = ({ percent: part = 0 }: Rollout, list: readonly number[]): StepProblem | undefined =>
  part === 0 || list.includes(part) ? undefined : { why: "noStep", percent: part, steps: list };

/**
 * Three rules: the percentage is a step; up only to the next step, from one that is confirmed; another rollout starts only if its stable
 * agent has all calls, which is so at 0 and at 100 of the last one. Down to 0 always.
 */
export function stepProblem(to: Rollout, at: Position, list: readonly number[]): StepProblem | undefined {
  const befores = at.splits.map(callsIn).filter((had) => Object.keys(had).length > 0);
  return (
    stepAtStart(to, list) ??
    befores
      .map((had) => startProblem(to, at.last, had) ?? upProblem(to, had, at, list))
      .find((problem) => problem !== undefined)
  );
}

/** Is it the same rollout as the last one? Before the first one, a split by hand of its two agents counts as its own. */
function isOngoing({ stable, candidate, percent = 0 }: Rollout, last: Rollout | undefined, had: Calls): boolean {
  return last === undefined
    ? Object.keys(had).every((agent) => agent === stable || agent === candidate) && had[stable] !== undefined
    : last.stable === stable && (percent === 0 || last.candidate === candidate);
}

function startProblem(to: Rollout, last: Rollout | undefined, had: Calls): StepProblem | undefined {
  const other = Object.keys(had).find((agent) => agent !== to.stable);
  const isStart = !isOngoing(to, last, had);
  return isStart && other !== undefined ? { why: "underWay", agent: other, has: had[other] ?? 0 } : undefined;
}

function upProblem(to: Rollout, had: Calls, at: Position, list: readonly number[]): StepProblem | undefined {
  const { candidate = "", percent: part = 0 } = to;
  const from = had[candidate] ?? 0;
  if (part <= from + TOLERANCE) {
    return undefined;
  }
  const last = callsIn(at.wanted ?? {})[candidate] ?? 0;
  if (!at.isConfirmed && Math.abs(part - last) > TOLERANCE) {
    return { why: "unconfirmed", from: last };
  }
  const skipped = list.filter((step) => step > from + TOLERANCE && step < part);
  return skipped.length === 0 ? undefined : { why: "skips", from, to: part, skipped };
}
