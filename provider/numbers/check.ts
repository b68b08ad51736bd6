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

/** The check for numbers, shared by both kinds. */

/** Arguments common to both kinds: a routing, and arguments that are never sent. */
export const numbersShape = {
  ...routingShape,
  rollout: optionalArgument("public", rollout),
  triggers: anyJson.optional(),
  ...hiddenShape,
};

/** The argument that declares a resource's numbers. */
interface NumbersArgument {
  readonly argument: "number" | "numbers";
  readonly form: z.ZodType<string | Unknown>;
}

type Arguments = z.ZodType<Omit<PreviewedNumbers, keyof Endpoint>>;

interface NumbersSchemas extends NumbersArgument {
  /** What a program may write: `rollout` or `inboundAgents`, but not both. */
  readonly written: Arguments;
  /** Saved inputs: the rollout and the split it results in. */
  readonly saved: Arguments;
}

function schemasOf({ argument, form }: NumbersArgument): NumbersSchemas {
  // Apply the two rules below even if other arguments are invalid.
  const when = ({ value }: { value: unknown }) => isObject(value);
  const saved = objectOf({ [argument]: withVisibility("public", required(form)), ...numbersShape })
    // The API does not specify what the platform does with a version but no agent.
    .refine(
      ({ outboundAgentId: id, outboundAgentVersion: version }) => typeof version !== "number" || id !== undefined,
      {
        path: ["outboundAgentVersion"],
        error: "is set without outboundAgentId: add the agent or remove the version",
        when,
      },
    )
    // A PUT may clear fields it leaves out (assumption 2). A forgotten argument must not unassign agents, whether the
    // number is new, has moved, or belongs to a renamed resource.
    .refine(({ rollout, inboundAgents }) => rollout !== undefined || inboundAgents !== undefined, {
      params: { code: "AGP-002" },
      error({ input }) {
        // A single number already appears in its resource's label.
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
 * Checks the form of the arguments, and that a split is declared. The guards judge new resources here, because no diff
 * follows. They judge changes in diff, which knows what was applied.
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
  // If `ignoreChanges` covers both, the engine passes the saved ones. An abort's split replaces the saved split.
  const isSplitSaved = same(news.inboundAgents, olds?.inboundAgents);
  const isAllSaved = isSplitSaved && same(rollout, savedRollout);
  const replacesSavedSplit = isSplitSaved && isAbortOf(savedRollout, rollout as Rollout | undefined);
  // If the rollout isn't in the settings, its split is unknown.
  const written = problem === undefined ? news.inboundAgents : (news.inboundAgents ?? UNKNOWN);
  const args = { ...news, rollout, inboundAgents: replacesSavedSplit ? undefined : written };
  const { value, problems } = validate(isAllSaved ? schemas.saved : schemas.written, args);
  const failures = [...(problem ? [problem] : []), ...problems].map((problem) => invalid(problem));
  const named = numbersNamed(schemas, news);
  if (value === undefined) {
    return { inputs: { ...news } as unknown as PreviewedNumbers, failures, violations: [], numbers: named };
  }
  // Include the defaults from the settings and the rollout's split in the inputs, so that a reviewer sees a changed
  // setting as a change.
  const inputs: PreviewedNumbers = defined({
    ...value,
    inboundAgents: value.inboundAgents ?? splitAt(value.rollout, settings),
    workspaceId: value.workspaceId ?? settings.workspaceId,
    endpoint: settings.endpoint,
  });
  const violations = olds === undefined ? judgeNew(inputs, settings) : [];
  return { inputs, failures, violations, numbers: named, routing: routingOf(inputs) };
}

/**
 * The arguments of a saved resource in a run that aborts a rollout. They are the saved ones, whatever the program now
 * declares; only that rollout's split changes. Secret arguments come from the program, because the engine marks only
 * those as secret again.
 */
function abortOf(name: string, { endpoint: _, inboundAgents, ...saved }: Props, declared: Props): Props {
  const { secretArguments } = declared as HiddenInputs;
  const hidden = pick(declared, [URN, "secretArguments", ...(secretArguments ?? [])]);
  const isAborted = (saved.rollout as Rollout | undefined)?.name === name;
  return defined({ ...saved, ...(isAborted ? { rollout: name } : { inboundAgents }), ...hidden });
}

/** The split a rollout results in. */
const splitAt = (rollout: Rollout | Unknown | undefined, { guards }: Settings): Split | Unknown | undefined =>
  rollout === undefined || isUnknown(rollout) ? rollout : splitOf(rollout, guards.weightTotal);

/** Is this a new abort of the saved rollout, rather than of another one? */
const isAbortOf = (saved: Rollout | undefined, next: Rollout | undefined): boolean =>
  saved?.name !== undefined && saved.name === next?.name && isNewAbort(saved, next);

/**
 * The numbers named in the arguments, even if other arguments are invalid, because no two resources may name the same
 * number.
 */
function numbersNamed({ argument, form }: NumbersArgument, news: Props): string[] {
  const { value } = validate(form, news[argument]);
  return value === undefined || isUnknown(value) ? [] : [...membersOf({ [argument]: value }).keys()];
}
