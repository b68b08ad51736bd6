import type * as z from "zod";
import { optionalArgument, orUnknown, required, validate, wholeOrUnknown, withVisibility } from "../base/arguments";
import { type HiddenInputs, isUnknown, UNKNOWN, type Unknown, URN } from "../base/engine";
import { defined, isObject, pick, same } from "../base/json";
import { anyJson, numberId, objectOf } from "../base/schemas";
import type { NumbersKind } from "../config/kinds";
import type { Settings } from "../config/settings";
import { type Endpoint, membersOf, type PreviewedNumbers } from "../routing/group";
import { numbers } from "../routing/numbers";
import { isNewAbort, resolveRollout, rollout, splitOf } from "../routing/rollout";
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
 * Validates the arguments of a number resource and adds defaults from the settings. For a new resource, also applies
 * the guards, because the engine doesn't call diff for it. For a changed resource, diff applies them.
 */
export function checkNumbers(
  kind: NumbersKind,
  olds: Props | undefined,
  declared: Props,
  settings: Settings,
): Checked<PreviewedNumbers> {
  const news =
    olds === undefined || settings.aborts === undefined ? declared : abortOf(settings.aborts, olds, declared);
  const numbersSchema = NUMBERS_SCHEMAS[kind];
  const savedRollout = olds?.rollout as Rollout | undefined;
  const { rollout, problem } = resolveRollout(news.rollout, savedRollout, settings.rollouts);
  // If the program's `ignoreChanges` lists both `rollout` and `inboundAgents`, the engine passes their saved values
  // instead of the program's. A new abort in the settings still replaces the saved split.
  const isSplitSaved = same(news.inboundAgents, olds?.inboundAgents);
  const isAllSaved = isSplitSaved && same(rollout, savedRollout);
  const replacesSavedSplit = isSplitSaved && isAbortOf(savedRollout, rollout as Rollout | undefined);
  // If the rollout can't be resolved from the settings, treat its split as unknown, so that check doesn't also report
  // that no agents are declared.
  const written = problem === undefined ? news.inboundAgents : (news.inboundAgents ?? UNKNOWN);
  const args = { ...news, rollout, inboundAgents: replacesSavedSplit ? undefined : written };
  const { value, problems } = validate(numbersSchema.schema, args);
  const named = numbersNamed(numbersSchema, news);
  const wrong = [...problems.map(invalid), ...judgeAgents(args, isAllSaved, kind === "NumberGroup" ? named : [])];
  const failures = [...(problem ? [invalid(problem)] : []), ...wrong];
  if (value === undefined || wrong.length > 0) {
    return { inputs: { ...news } as unknown as PreviewedNumbers, failures, violations: [], numbers: named };
  }
  // Save the defaults from the settings as inputs, so that a preview shows a changed setting as a change to the
  // resource.
  const inputs: PreviewedNumbers = defined({
    ...value,
    inboundAgents: value.inboundAgents ?? splitAt(value.rollout, settings),
    workspaceId: value.workspaceId ?? settings.workspaceId,
    endpoint: settings.endpoint,
  });
  const violations = olds === undefined ? judgeNew(inputs, settings.guards) : [];
  return { inputs, failures, violations, numbers: named, routing: routingOf(inputs) };
}

/**
 * Refuses arguments that declare no agents, or that declare them both in `rollout` and in `inboundAgents`.
 * @param areSaved whether both values come from the saved state, for example because of `ignoreChanges`. Declaring both
 * is accepted then, because an earlier check computed that split from that rollout.
 * @param named the numbers to list in the message; empty if the resource's label already contains its number
 */
function judgeAgents(args: Props, areSaved: boolean, named: readonly string[]): Message[] {
  const isGiven = (value: unknown) => value !== undefined && value !== null;
  const [hasRollout, hasSplit] = [isGiven(args.rollout), isGiven(args.inboundAgents)];
  // The platform may clear every field that a PUT leaves out (docs/assumptions.md, row 2), so a forgotten argument
  // could unassign a number's agents. A program must therefore declare agents explicitly.
  if (!hasRollout && !hasSplit) {
    return [agentsMissing(named)];
  }
  return hasRollout && hasSplit && !areSaved ? [agentsTwice()] : [];
}

/**
 * Returns a saved resource's arguments for a run of `abort --up`, in which only the aborted rollout's split may change.
 * All other arguments, except secret ones, keep their saved values, even if the program now declares different ones.
 */
function abortOf(name: string, { endpoint: _, inboundAgents, ...saved }: Props, declared: Props): Props {
  const { secretArguments } = declared as HiddenInputs;
  // For secret arguments, use the program's values instead of the saved ones, because the engine marks only values from
  // the program as secret.
  const hidden = pick(declared, [URN, "secretArguments", ...(secretArguments ?? [])]);
  const isAborted = (saved.rollout as Rollout | undefined)?.name === name;
  return defined({ ...saved, ...(isAborted ? { rollout: name } : { inboundAgents }), ...hidden });
}

const splitAt = (rollout: Rollout | Unknown | undefined, { guards }: Settings): Split | Unknown | undefined =>
  rollout === undefined || isUnknown(rollout) ? rollout : splitOf(rollout, guards.weightTotal);

/**
 * Returns true if the resource still uses the saved rollout and the operator has aborted it since the state was saved.
 */
const isAbortOf = (saved: Rollout | undefined, next: Rollout | undefined): boolean =>
  saved?.name !== undefined && saved.name === next?.name && isNewAbort(saved, next);

/**
 * Returns the numbers that a resource names, even if its other arguments are invalid, so that check can still report a
 * number that two resources declare.
 */
function numbersNamed({ argument, form }: NumbersArgument, news: Props): string[] {
  const { value } = validate(form, news[argument]);
  return value === undefined || isUnknown(value) ? [] : [...membersOf({ [argument]: value }).keys()];
}
