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
import { inBrackets } from "../words/message";
import { judgeNew } from "./guards";

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

type Arguments = z.ZodType<Omit<PreviewedNumbers, keyof Endpoint>>;

interface NumbersSchemas extends NumbersArgument {
  /** Validates the arguments in a program, which must set either `rollout` or `inboundAgents`, not both. */
  readonly written: Arguments;
  /**
   * Validates saved arguments, which the engine passes to `check` because of `ignoreChanges`, for example. They may
   * contain both a `rollout` and the `inboundAgents` that an earlier `check` computed from it.
   */
  readonly saved: Arguments;
}

function schemasOf({ argument, form }: NumbersArgument): NumbersSchemas {
  // By default, Zod skips these refinements if any argument is invalid. Run them for every object, so that check
  // reports all problems at once.
  const when = ({ value }: { value: unknown }) => isObject(value);
  const saved = objectOf({ [argument]: withVisibility("public", required(form)), ...numbersShape })
    // Refuse an outbound agent's version without the agent, because the API does not specify what the platform does
    // with it.
    .refine(
      ({ outboundAgentId: id, outboundAgentVersion: version }) => typeof version !== "number" || id !== undefined,
      {
        path: ["outboundAgentVersion"],
        error: "is set without outboundAgentId: add the agent or remove the version",
        when,
      },
    )
    // The platform may clear every field that a PUT leaves out (docs/assumptions.md, row 2), so a forgotten argument
    // could unassign a number's agents. A program must therefore declare agents explicitly.
    .refine(({ rollout, inboundAgents }) => rollout !== undefined || inboundAgents !== undefined, {
      params: { code: "AGP-002" },
      error({ input }) {
        // List the numbers only for a NumberGroup. A NumberAssignment's label already contains its number.
        const named = argument === "numbers" ? numbersNamed({ argument, form }, input as Props) : [];
        const where = named.length === 0 ? "" : inBrackets(named);
        return `no agents are declared${where}: \`rollout\` and \`inboundAgents\` are both missing or null`;
      },
      when,
    });
  const written = saved.refine((args) => args.rollout === undefined || args.inboundAgents === undefined, {
    error: "Set rollout or inboundAgents, not both, and remove both from ignoreChanges",
  });
  return { argument, form, written, saved };
}

export const NUMBERS_SCHEMAS: Readonly<Record<NumbersKind, NumbersSchemas>> = {
  NumberAssignment: schemasOf({ argument: "number", form: orUnknown(numberId) }),
  NumberGroup: schemasOf({ argument: "numbers", form: wholeOrUnknown(numbers) }),
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
  const schemas = NUMBERS_SCHEMAS[kind];
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
  const { value, problems } = validate(isAllSaved ? schemas.saved : schemas.written, args);
  const failures = [...(problem ? [problem] : []), ...problems].map((problem) => invalid(problem));
  const named = numbersNamed(schemas, news);
  if (value === undefined) {
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

/** Whether the resource still uses the saved rollout, and that rollout has been aborted since the state was saved. */
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
