import * as z from "zod";
import { judgeNew } from "../../core/change/guards";
import { defined, isObject, same } from "../../core/common/equality";
import { anyJson, optional, secretArguments, validate } from "../../core/common/schemas";
import { URN } from "../../core/common/urn";
import type { Settings } from "../../core/config/settings";
import * as messages from "../../core/messages";
import type { Endpoint } from "../../core/platform/endpoint";
import type { NumbersKind } from "../../core/platform/kinds";
import { type Holds, routingShape, type SameKeys } from "../../core/routing/fields";
import type { NumbersInputs } from "../../core/routing/group";
import { isNewAbort, type Rollout, withSplit } from "../../core/routing/rollout";
import { resolveName, rollout } from "../../core/routing/rollouts";
import { routingOf } from "../../core/routing/routing";
import type { RoutingArgs } from "../args";
import type { Checked, Props } from "../lifecycle";

/** The check of numbers, the same for both kinds. */

/** The arguments that both take: a routing, and what is never sent. */
export const numbersShape = {
  ...routingShape,
  rollout: optional(rollout),
  triggers: anyJson.optional(),
  secretArguments: optional(secretArguments),
  [URN]: optional(z.string()),
};

type Hidden = "secretArguments" | typeof URN;

/** A program can write every argument that the schemas take, and no other. */
export type ArgsAreWhole = Holds<SameKeys<RoutingArgs, Omit<typeof numbersShape, Hidden>>>;

/** The schema of what a program writes: `rollout` or `inboundAgents`, not both. Saved inputs have both. */
export const eitherRolloutOrSplit = <Inputs extends RolloutOrSplit>(schema: z.ZodType<Inputs>): z.ZodType<Inputs> =>
  schema.refine(({ rollout: given, inboundAgents }) => given === undefined || inboundAgents === undefined, {
    error: messages.BOTH_SPLITS,
  });

type RolloutOrSplit = Pick<NumbersInputs, "rollout" | "inboundAgents">;

/** The arguments of a kind. */
export interface NumbersSchema {
  readonly kind: NumbersKind;
  readonly schema: z.ZodType<Omit<NumbersInputs, keyof Endpoint>>;
  /** The numbers that the arguments name, also if others of the arguments are not valid: two resources may not name the same one. */
  declares(news: Props): string[];
}

/**
 * What is wrong with the arguments: their form, or a split that is missing. The guards judge a new resource here, because no diff follows.
 * They judge a change in diff, which knows what was applied.
 */
export function checkNumbers(
  { schema, declares }: NumbersSchema,
  olds: Props | undefined,
  news: Props,
  settings: Settings,
): Checked<NumbersInputs> {
  const { rollout: named, problem } = resolveName(news.rollout, olds?.rollout, settings.rollouts);
  const args = withAbort({ ...news, rollout: named }, olds, settings);
  const { value, problems } = validate(schema, args);
  const resolved = value && withSplit(value, olds, settings.guards.weightTotal);
  const inputs = resolved && withDefaults(resolved, settings);
  const failures = [
    ...(problem === undefined ? [] : [messages.invalid(problem)]),
    ...problems.map((one) => messages.invalid(one)),
    ...(value !== undefined && inputs === undefined
      ? [messages.invalid({ path: "", rule: messages.BOTH_SPLITS })]
      : []),
    ...splitLost(olds, news),
  ];
  const nothing = { failures, violations: [], declares: declares(news) };
  if (inputs === undefined) {
    return { ...nothing, inputs: { ...news } as unknown as NumbersInputs };
  }
  return {
    ...nothing,
    inputs,
    violations: olds === undefined ? judgeNew(inputs, settings) : [],
    routing: routingOf(inputs),
  };
}

/** With `ignoreChanges` the engine hands over the saved rollout or its split. An abort goes through: no caller may keep what was taken back. */
function withAbort(args: Props, olds: Props | undefined, { rollouts }: Settings): Props {
  const saved = olds?.rollout as Rollout | undefined;
  const { rollout: entry } = resolveName(saved?.name, undefined, rollouts);
  const isKept = isObject(args.rollout) && args.rollout.name === saved?.name;
  if (saved?.name === undefined || !isKept || !isNewAbort(saved, entry as Rollout | undefined)) {
    return args;
  }
  const { inboundAgents, ...others } = args;
  return same(inboundAgents, olds?.inboundAgents) ? { ...others, rollout: entry } : { ...args, rollout: entry };
}

/** If the argument for the split is left out by mistake, the numbers must not lose their agents. */
function splitLost(olds: Props | undefined, news: Props): messages.Message[] {
  const isGiven = (news.rollout ?? news.inboundAgents ?? undefined) !== undefined;
  if (isGiven || olds?.inboundAgents === undefined) {
    return [];
  }
  return [messages.splitMissing(olds.rollout === undefined ? "inboundAgents" : "rollout")];
}

/** The routing with the defaults of the settings: as inputs, so that a reviewer sees a changed setting as a change. */
const withDefaults = (value: Omit<NumbersInputs, keyof Endpoint>, settings: Settings): NumbersInputs =>
  defined({
    ...value,
    workspaceId: value.workspaceId ?? settings.workspaceId,
    endpoint: settings.endpoint,
  });
