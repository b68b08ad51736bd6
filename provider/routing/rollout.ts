import * as z from "zod";
import { optional, type Problem, required } from "../base/arguments";
import { ifKnown, isUnknown, type Unknown } from "../base/engine";
import { defined, isObject, same } from "../base/json";
import { objectOf, percent } from "../base/schemas";
import { nearest } from "../base/spelling";
import { series } from "../base/text";
import { writtenAgent } from "./inboundAgents";
import { moves, percentages, type Split, splitAgents, TOLERANCE, toSplit } from "./split";
import type { Aborted, Rollout } from "./types";

/**
 * Whether the rollout's last abort is still in effect. The settings keep `aborted` even after the rollout has continued
 * or the aborted agent has become stable.
 */
export const isAborted = (rollout: Rollout): rollout is Rollout & { readonly aborted: Aborted } =>
  rollout.aborted !== undefined && rollout.aborted.agent !== rollout.stable && isAtZero(rollout);

/**
 * Whether the state lacks the rollout's abort, because the operator has aborted the rollout since, or because the
 * numbers join it only now. Such an abort is sent to every number: the state may lack the changes of a killed run, such
 * as one that was to move the numbers into the rollout.
 */
export const isNewAbort = (olds: Rollout | undefined, news: Rollout | Unknown | undefined): boolean =>
  news !== undefined && !isUnknown(news) && isAborted(news) && news.aborted.at !== olds?.aborted?.at;

/**
 * Returns the traffic split at the rollout's current percentage. An agent that would receive no calls is left out.
 * @param total the sum of the split's weights, from the `weightTotal` setting
 */
export function splitOf({ stable, candidate = stable, percent: percentage = 0 }: Rollout, total = 100): Split {
  const weights = { [candidate]: weightOf(percentage, total), [stable]: weightOf(100 - percentage, total) };
  return toSplit(splitAgents(weights).filter(({ weight }) => weight > 0));
}

/**
 * Returns the weight that is this percentage of the total. It is rounded to twelve digits, so that 70% of 1 is 0.7
 * rather than 0.7000000000000001.
 */
const weightOf = (percentage: number, total: number): number => Number(((total / 100) * percentage).toPrecision(12));

export const isAtZero = ({ candidate, percent }: Rollout): boolean => candidate === undefined || percent === 0;

export const stableSplit = (rollout: Rollout | undefined): Split | undefined =>
  rollout === undefined ? undefined : { [rollout.stable]: 100 };

/** Whether two splits give every agent the same share of calls, whatever unit their weights use. */
export function sameCalls(a: Split, b: Split): boolean {
  return moves(a, b).every(({ from = 0, to = 0 }) => Math.abs(to - from) <= TOLERANCE);
}

/**
 * Returns the rollout's last abort if the new split would send calls to the aborted agent again. `next` may contain a
 * newer abort than the saved rollout (`last`).
 */
export function restartedAbort(
  last: Rollout | undefined,
  next: Rollout | Unknown | undefined,
  split: Split | Unknown | undefined,
): Aborted | undefined {
  const aborted = ifKnown(next)?.aborted ?? last?.aborted;
  const isUnanswered = last !== undefined && (isAborted(last) || last.aborted?.at !== aborted?.at);
  const { [aborted?.agent ?? ""]: percent = 0 } = percentages(ifKnown(split) ?? {});
  return isUnanswered && percent > 0 ? aborted : undefined;
}

/** A stack's rollouts by name, as in the `agent-platform:rollouts` setting. */
export type Rollouts = Readonly<Record<string, RolloutEntry>>;

/**
 * A rollout as written in the `agent-platform:rollouts` setting. Resources refer to it by name, and the commands
 * `promote` and `abort` change it.
 */
export interface RolloutEntry extends Omit<Rollout, "name"> {
  /**
   * How long the current percentage must have been in effect before `promote` raises it: `30m`, `24h`, `7d`. Changing
   * this duration updates no resource.
   */
  readonly promote?: { readonly minSoak?: string | undefined } | undefined;
}

/** The pattern that a rollout's name must match. Every such name can also be part of a branch name. */
const ROLLOUT_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Accepts a percentage that is written as a string, because Pulumi writes 2.5 into the config as "2.5". */
const share = z.preprocess(
  (given) => (typeof given === "string" && /^\d+(\.\d+)?$/.test(given) ? Number(given) : given),
  percent,
);

const rolloutShape = {
  stable: required(writtenAgent),
  candidate: optional(writtenAgent),
  percent: optional(share),
  aborted: optional(
    objectOf(
      {
        agent: required(writtenAgent),
        percent: required(share),
        at: required(
          z
            .string({ error: "must be a string" })
            .refine((text) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text)), {
              error: "must be a time in UTC, such as 2026-01-31T09:02:11Z",
            }),
        ),
        to: optional(writtenAgent),
      },
      "must be an object { agent, percent, at }",
    ),
  ),
};

function checkRollout(rollout: Partial<Rollout>, context: z.core.$RefinementCtx): void {
  const { stable, candidate, percent: percentage } = rollout;
  const refuse = (path: keyof Rollout, message: string) => context.addIssue({ code: "custom", path: [path], message });
  if (candidate === undefined && percentage !== undefined) {
    refuse(
      "percent",
      "is set without a candidate: add a candidate, or remove percent, so that all calls go to the stable agent",
    );
  }
  // If the candidate has no percentage, refuse the rollout. Assuming a percentage could move calls by mistake.
  if (candidate !== undefined && percentage === undefined) {
    refuse("percent", "is required if there is a candidate");
  }
  if (candidate !== undefined && candidate === stable) {
    refuse("candidate", "must be a different agent from stable");
  }
}

/**
 * The schema for a rollout in a saved state: its name, and its values in the `agent-platform:rollouts` setting when the
 * state was saved.
 */
export const savedRollout: z.ZodType<Rollout> = objectOf(
  { name: optional(z.string().regex(ROLLOUT_NAME)), ...rolloutShape },
  "must be an object",
);

/** A count and a unit: 90s, 30m, 24h or 7d. */
export const DURATION = /^(\d+(?:\.\d+)?)([smhd])$/;

const rolloutEntry: z.ZodType<RolloutEntry> = objectOf(
  {
    ...rolloutShape,
    promote: optional(
      objectOf(
        {
          minSoak: optional(
            z
              .string({ error: "must be a string, such as 24h" })
              .regex(DURATION, { error: "must be a duration, such as 30m, 24h or 7d" }),
          ),
        },
        "must be an object { minSoak }",
      ).transform(defined),
    ),
  },
  "must be an object { stable, candidate, percent }",
)
  .superRefine(checkRollout)
  .transform(defined);

const NOT_A_ROLLOUT_NAME = "must be the name of a rollout in agent-platform:rollouts";

export const rollouts: z.ZodType<Rollouts> = z
  .record(z.string(), rolloutEntry, { error: "must be a map from names to rollouts" })
  .superRefine((entries, context) => {
    for (const name of Object.keys(entries).filter((key) => !ROLLOUT_NAME.test(key))) {
      const message = "is not a valid name: use at most 64 letters, digits, `-` and `_`, starting with a letter";
      context.addIssue({ code: "custom", path: [name], message });
    }
  });

const isName = (value: unknown): value is string => typeof value === "string" && ROLLOUT_NAME.test(value);

/** The schema for the `rollout` argument, after `resolveRollout` has looked up the rollout that it names. */
export const rollout = z.custom<Rollout>((resolved) => savedRollout.safeParse(resolved).success, {
  error: NOT_A_ROLLOUT_NAME,
});

/**
 * Looks up the rollout that the `rollout` argument names, or returns a `problem`. An argument that isn't a name is
 * returned unchanged, so that the schema refuses it.
 * @param saved the rollout in the saved state. With `ignoreChanges`, the engine passes this object as the argument. It
 * is then kept, unless the settings contain a new abort of the same rollout.
 */
export function resolveRollout(
  argument: unknown,
  saved: Rollout | undefined,
  configured: Rollouts = {},
): { readonly rollout?: unknown; readonly problem?: Problem } {
  const refused = (rule: string) => ({ problem: { path: "rollout", rule } });
  if (isObject(argument)) {
    const rollout = newAbortOf(saved, configured) ?? argument;
    return same(argument, saved) ? { rollout } : refused(NOT_A_ROLLOUT_NAME);
  }
  if (!isName(argument)) {
    return { rollout: argument };
  }
  const entry = configuredRollout(argument, configured);
  return entry === undefined ? refused(noSuchName(argument, Object.keys(configured))) : { rollout: entry };
}

/**
 * If the operator has aborted the rollout since the state was saved, returns the rollout as it is in the settings now.
 */
export function newAbortOf(saved: Rollout | undefined, configured: Rollouts = {}): Rollout | undefined {
  const entry = configuredRollout(saved?.name ?? "", configured);
  return isNewAbort(saved, entry) ? entry : undefined;
}

/** Returns the configured rollout with this name in the form in which the state stores it. */
export function configuredRollout(name: string, configured: Rollouts): Rollout | undefined {
  const entry = Object.hasOwn(configured, name) ? configured[name] : undefined;
  return entry && namedRollout(name, entry);
}

/**
 * Returns a rollout from the settings as the state stores it: with its name, and without `promote`, which only the
 * `promote` command reads.
 */
export const namedRollout = (name: string, { promote: _, ...entry }: RolloutEntry): Rollout => ({ name, ...entry });

function noSuchName(name: string, names: readonly string[]): string {
  const suggestion = nearest(name, names);
  if (suggestion !== undefined) {
    return `("${name}") is not in agent-platform:rollouts (did you mean "${suggestion}"?)`;
  }
  const known = [...names].sort().map((other) => `"${other}"`);
  return known.length === 0
    ? `("${name}") is not in agent-platform:rollouts, which is empty. Run \`pulumi config set --path 'agent-platform:rollouts.${name}.stable' <agent>@<version>\``
    : `("${name}") is not in agent-platform:rollouts: use ${series(known, "or")}`;
}
