import * as z from "zod";
import { defined, isObject, same } from "../common/equality";
import { nearest } from "../common/nearest";
import { objectOf, optional, type Problem } from "../common/schemas";
import { judgeRollout, NAME, type Rollout, type RolloutSetting, rolloutShape, savedRollout } from "./rollout";

/**
 * The rollouts of a stack by their names, as the setting `agent-platform:rollouts` has them. A resource names one of them; `promote` and
 * `abort` edit one of them.
 */
export type Rollouts = Readonly<Record<string, NamedRollout>>;

/** A rollout of the setting. Resources name it, and `promote` and `abort` edit it. */
export interface NamedRollout extends RolloutSetting {
  /** When `promote` goes on. No resource has it, so a change of it changes no resource. */
  readonly promote?: PromoteGates | undefined;
}

/** When `promote` goes on with a rollout. */
export interface PromoteGates {
  /** A stack of the project (`canary`), with one of its rollouts (`canary:front`), which has to give the candidate all calls first. */
  readonly after?: string | undefined;
  /** How long the present percentage must have been confirmed: `30m`, `24h`, `7d`. */
  readonly minSoak?: string | undefined;
}

const stackName = z
  .string({ error: "must be text" })
  .regex(/^(?!\.{1,2}\/)[\w.-]+(?:\/[\w.-]+){0,2}(?::[A-Za-z][\w-]*)?$/, {
    error: "must be a stack of this project, as in `canary`, or `canary:front` with its rollout",
  });
const duration = z.string({ error: "must be text, as in 24h" }).regex(/^\d+(?:\.\d+)?[smhd]$/, {
  error: "must be a duration, as in 30m, 24h or 7d",
});

const gates: z.ZodType<PromoteGates> = objectOf(
  { after: optional(stackName), minSoak: optional(duration) },
  "must be an object { after, minSoak }",
).transform(defined);

const named: z.ZodType<NamedRollout> = objectOf(
  { ...rolloutShape, promote: optional(gates) },
  "must be an object { stable, candidate, percent }",
)
  .superRefine(judgeRollout)
  .transform(defined);

const NO_NAME = "must be the name of a rollout in agent-platform:rollouts";

export const rollouts: z.ZodType<Rollouts> = z
  .record(z.string(), named, { error: "must be a map from names to rollouts" })
  .superRefine((all, context) => {
    for (const name of Object.keys(all).filter((key) => !NAME.test(key))) {
      const message = "must be a name: a letter, then letters, digits, `-` and `_`, at most 64 characters";
      context.addIssue({ code: "custom", path: [name], message });
    }
  });

const isName = (given: unknown): given is string => typeof given === "string" && NAME.test(given);

/** The argument: a name, or what an earlier check has made of it. */
export const rollout = z.custom<Rollout>((given) => isName(given) || savedRollout.safeParse(given).success, {
  error: NO_NAME,
});

/** What the argument stands for, or why it stands for nothing. */
export interface ResolvedName {
  readonly rollout: unknown;
  readonly problem?: Problem;
}

/**
 * The rollout that a program names. An object passes only if it is the saved one.
 * @param kept the saved rollout, which `ignoreChanges` hands to check in place of the program's
 */
export function resolveName(given: unknown, kept: unknown, all: Rollouts = {}): ResolvedName {
  if (isObject(given) && !same(given, kept)) {
    return { rollout: undefined, problem: { path: "rollout", rule: NO_NAME } };
  }
  if (!isName(given)) {
    return { rollout: given };
  }
  const entry = Object.hasOwn(all, given) ? all[given] : undefined;
  if (entry === undefined) {
    return { rollout: undefined, problem: { path: "rollout", rule: noSuchName(given, Object.keys(all)) } };
  }
  const { promote: _, ...rest } = entry;
  return { rollout: { name: given, ...rest } };
}

function noSuchName(name: string, names: readonly string[]): string {
  const meant = nearest(name, names);
  const there = [...names].sort().map((one) => `"${one}"`);
  const known =
    there.length === 0
      ? `the setting is empty. Run \`pulumi config set --path 'agent-platform:rollouts.${name}.stable' <agent>@<version>\``
      : `there ${there.length === 1 ? "is" : "are"} ${there.join(", ")}`;
  return `names "${name}", which is not in agent-platform:rollouts${meant === undefined ? "" : ` (did you mean "${meant}"?)`}: ${known}`;
}
