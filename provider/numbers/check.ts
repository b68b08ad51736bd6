import type * as z from "zod";
import {
  optionalArgument,
  orUnknown,
  type Problem,
  required,
  validate,
  wholeOrUnknown,
  withVisibility,
} from "../base/arguments";
import { type HiddenInputs, isUnknown, UNKNOWN, type Unknown, URN } from "../base/engine";
import { defined, isObject, pick, same } from "../base/json";
import { anyJson, numberId, objectOf } from "../base/schemas";
import type { NumbersKind } from "../config/kinds";
import type { Settings } from "../config/settings";
import { type Endpoint, membersOf, type PreviewedNumbers } from "../routing/group";
import { numbers } from "../routing/numbers";
import { newAbortOf, type Rollouts, resolveRollout, rollout, splitOf } from "../routing/rollout";
import { routingOf, routingShape } from "../routing/routing";
import type { Split } from "../routing/split";
import type { Rollout } from "../routing/types";
import { invalid } from "../run/messages";
import { type Checked, hiddenShape, type Props } from "../run/resource";
import type { Message } from "../words/message";
import { judgeNew } from "./guards";
import { agentsMissing, agentsTwice } from "./messages";

/**
 * The arguments that NumberAssignment and NumberGroup share: the routing fields that a PUT sends, and arguments that
 * only the provider uses, such as `triggers`.
 */
export const numbersShape = {
  ...routingShape,
  rollout: optionalArgument("public", rollout),
  triggers: anyJson.optional(),
  ...hiddenShape,
};

/** The argument in which a resource declares its numbers, and that argument's schema. */
interface NumbersArgument {
  readonly argument: "number" | "numbers";
  readonly form: z.ZodType<string | Unknown>;
}

interface NumbersSchema extends NumbersArgument {
  readonly schema: z.ZodType<Omit<PreviewedNumbers, keyof Endpoint>>;
}

const schemaOf = ({ argument, form }: NumbersArgument): NumbersSchema => ({
  argument,
  form,
  schema: objectOf({ [argument]: withVisibility("public", required(form)), ...numbersShape })
    // Refuse an outbound agent's version without the agent, because the API does not specify what the platform does
    // with it.
    .refine(
      ({ outboundAgentId: id, outboundAgentVersion: version }) => typeof version !== "number" || id !== undefined,
      {
        path: ["outboundAgentVersion"],
        error: "is set without outboundAgentId: add the agent or remove the version",
        // By default, Zod skips this refinement if any argument is invalid. Run it for every object, so that check
        // reports all problems at once.
        when: ({ value }) => isObject(value),
      },
    ),
});

export const NUMBERS_SCHEMAS: Readonly<Record<NumbersKind, NumbersSchema>> = {
  NumberAssignment: schemaOf({ argument: "number", form: orUnknown(numberId) }),
  NumberGroup: schemaOf({ argument: "numbers", form: wholeOrUnknown(numbers) }),
};

/**
 * Validates a number resource's arguments and adds defaults from the settings. Also applies the guards to a new
 * resource, because the engine doesn't call diff for it.
 */
export function checkNumbers(
  kind: NumbersKind,
  olds: Props | undefined,
  declared: Props,
  settings: Settings,
): Checked<PreviewedNumbers> {
  const news =
    olds === undefined || settings.aborts === undefined ? declared : abortOf(settings.aborts, olds, declared);
  const { problem, areSaved, ...agents } = agentsOf(news, olds, settings.rollouts);
  const { value, problems } = validate(NUMBERS_SCHEMAS[kind].schema, { ...news, ...agents });
  const named = numbersNamed(NUMBERS_SCHEMAS[kind], news);
  const wrong = [...problems.map(invalid), ...judgeAgents(agents, areSaved, kind === "NumberGroup" ? named : [])];
  const failures = [...(problem ? [invalid(problem)] : []), ...wrong];
  if (value === undefined || wrong.length > 0) {
    return { inputs: { ...news } as unknown as PreviewedNumbers, failures, violations: [], numbers: named };
  }
  const inputs = withDefaults(value, settings);
  const violations = olds === undefined ? judgeNew(inputs, settings.guards) : [];
  return { inputs, failures, violations, numbers: named, routing: routingOf(inputs) };
}

/** The two arguments that declare agents. */
interface AgentArguments {
  readonly rollout: unknown;
  readonly inboundAgents: unknown;
}

interface ResolvedAgents extends AgentArguments {
  /** Whether both arguments have the saved values, for example because of `ignoreChanges`. */
  readonly areSaved: boolean;
  /** Why the rollout can't be resolved. */
  readonly problem?: Problem | undefined;
}

/**
 * Decides whether a resource's split comes from its rollout or from `inboundAgents`. Either may be a saved value, which
 * the engine passes for an argument in `ignoreChanges`.
 */
function agentsOf(news: Props, olds: Props | undefined, configured: Rollouts | undefined): ResolvedAgents {
  const saved = olds?.rollout as Rollout | undefined;
  const { rollout, problem } = resolveRollout(news.rollout, saved, configured);
  const isSplitSaved = same(news.inboundAgents, olds?.inboundAgents);
  const areSaved = isSplitSaved && same(rollout, saved);
  if (problem !== undefined) {
    // Treat the split of a rollout that can't be resolved as unknown, so that check doesn't also report that no agents
    // are declared.
    return { rollout, inboundAgents: news.inboundAgents ?? UNKNOWN, areSaved, problem };
  }
  // A new abort in the settings replaces a saved split, even if `ignoreChanges` lists `inboundAgents`.
  const abort = newAbortOf(saved, configured);
  const isAborted = isSplitSaved && abort !== undefined && same(rollout, abort);
  return { rollout, inboundAgents: isAborted ? undefined : news.inboundAgents, areSaved };
}

/**
 * Refuses arguments that declare no agents, or that declare them both in `rollout` and in `inboundAgents`.
 * @param areSaved whether both values come from the saved state, for example because of `ignoreChanges`. Declaring both
 * is accepted then, because an earlier check computed that split from that rollout.
 * @param named the numbers to list in the message; empty if the resource's label already contains its number
 */
function judgeAgents(agents: AgentArguments, areSaved: boolean, named: readonly string[]): Message[] {
  const isGiven = (value: unknown) => value !== undefined && value !== null;
  const [hasRollout, hasSplit] = [isGiven(agents.rollout), isGiven(agents.inboundAgents)];
  // A program must declare agents explicitly, because a PUT without them may unassign the number's agents
  // (docs/assumptions.md, row 2).
  if (!hasRollout && !hasSplit) {
    return [agentsMissing(named)];
  }
  return hasRollout && hasSplit && !areSaved ? [agentsTwice()] : [];
}

/**
 * Returns a saved resource's arguments for a run of `abort --up`. They keep their saved values, so that only the
 * aborted rollout's split changes.
 */
function abortOf(name: string, { endpoint: _, inboundAgents, ...saved }: Props, declared: Props): Props {
  const { secretArguments } = declared as HiddenInputs;
  // For secret arguments, use the program's values instead of the saved ones, because the engine marks only values from
  // the program as secret.
  const hidden = pick(declared, [URN, "secretArguments", ...(secretArguments ?? [])]);
  const isAborted = (saved.rollout as Rollout | undefined)?.name === name;
  return defined({ ...saved, ...(isAborted ? { rollout: name } : { inboundAgents }), ...hidden });
}

/**
 * Adds the defaults from the settings. They are saved as inputs, so that a preview shows a changed setting as a change
 * to the resource.
 */
const withDefaults = (value: Omit<PreviewedNumbers, keyof Endpoint>, settings: Settings): PreviewedNumbers =>
  defined({
    ...value,
    inboundAgents: value.inboundAgents ?? splitAt(value.rollout, settings),
    workspaceId: value.workspaceId ?? settings.workspaceId,
    endpoint: settings.endpoint,
  });

const splitAt = (rollout: Rollout | Unknown | undefined, { guards }: Settings): Split | Unknown | undefined =>
  rollout === undefined || isUnknown(rollout) ? rollout : splitOf(rollout, guards.weightTotal);

/**
 * Returns the numbers that a resource names, even if its other arguments are invalid, so that check can still report a
 * number that two resources declare.
 */
function numbersNamed({ argument, form }: NumbersArgument, news: Props): string[] {
  const { value } = validate(form, news[argument]);
  return value === undefined || isUnknown(value) ? [] : [...membersOf({ [argument]: value }).keys()];
}
