import type * as z from "zod";
import { optionalArgument, orUnknown, required, seenAs, validate, wholeOrUnknown } from "../base/arguments";
import { type HiddenInputs, isUnknown, UNKNOWN, type Unknown, URN } from "../base/engine";
import { defined, isObject, pick, same } from "../base/json";
import { anyJson, numberId, objectOf } from "../base/schemas";
import type { NumbersKind } from "../config/kinds";
import type { Settings } from "../config/settings";
import { type Endpoint, membersOf, type PreviewedNumbers } from "../routing/group";
import { numbers } from "../routing/numbers";
import { isNewAbort, resolveName, rollout, splitOf } from "../routing/rollout";
import { routingOf, routingShape } from "../routing/routing";
import type { Split } from "../routing/split";
import type { Rollout } from "../routing/types";
import { invalid } from "../run/messages";
import { type Checked, hiddenShape, type Props } from "../run/resource";
import { inBrackets } from "../words/message";
import { judgeNew } from "./guards";

/** The check of numbers, the same for both kinds. */

/** The arguments that both take: a routing, and what is never sent. */
export const numbersShape = {
  ...routingShape,
  rollout: optionalArgument("public", rollout),
  triggers: anyJson.optional(),
  ...hiddenShape,
};

/** The argument that declares the numbers of a resource. */
interface NumbersArgument {
  readonly argument: "number" | "numbers";
  readonly form: z.ZodType<string | Unknown>;
}

type Arguments = z.ZodType<Omit<PreviewedNumbers, keyof Endpoint>>;

interface NumbersSchemas extends NumbersArgument {
  /** What a program writes: `rollout` or `inboundAgents`, not both. */
  readonly written: Arguments;
  /** Saved inputs: the rollout, and the split that follows from it. */
  readonly saved: Arguments;
}

function schemasOf({ argument, form }: NumbersArgument): NumbersSchemas {
  // The two rules below are also judged if other arguments are not valid.
  const when = ({ value }: { value: unknown }) => isObject(value);
  const saved = objectOf({ [argument]: seenAs("public", required(form)), ...numbersShape })
    // The API does not specify what the platform does with a version that has no agent.
    .refine(
      ({ outboundAgentId: id, outboundAgentVersion: version }) => typeof version !== "number" || id !== undefined,
      {
        path: ["outboundAgentVersion"],
        error: "is set without outboundAgentId: add the agent or remove the version",
        when,
      },
    )
    // A PUT may clear what it leaves out (assumption 2), so a lost argument must not unassign agents: neither those of
    // a new number, nor those of one that moves or whose resource is renamed.
    .refine(({ rollout, inboundAgents }) => rollout !== undefined || inboundAgents !== undefined, {
      params: { code: "AGP-002" },
      error({ input }) {
        // A single number is in the label of its resource.
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
 * What is wrong with the arguments: their form, or a split that is missing. The guards judge a new resource here,
 * because no diff follows. The guards judge a change in diff, which knows what was applied.
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
  const { rollout, problem } = resolveName(news.rollout, savedRollout, settings.rollouts);
  // With `ignoreChanges` of both the engine hands over the saved ones. The split of an abort takes the place of the
  // saved split.
  const isSplitSaved = same(news.inboundAgents, olds?.inboundAgents);
  const isAllSaved = isSplitSaved && same(rollout, savedRollout);
  const replacesSavedSplit = isSplitSaved && isAbortOf(savedRollout, rollout as Rollout | undefined);
  // A rollout that is not in the setting has a split that is not known.
  const written = problem === undefined ? news.inboundAgents : (news.inboundAgents ?? UNKNOWN);
  const args = { ...news, rollout, inboundAgents: replacesSavedSplit ? undefined : written };
  const { value, problems } = validate(isAllSaved ? schemas.saved : schemas.written, args);
  const failures = [...(problem ? [problem] : []), ...problems].map((problem) => invalid(problem));
  const named = numbersNamed(schemas, news);
  if (value === undefined) {
    return { inputs: { ...news } as unknown as PreviewedNumbers, failures, violations: [], numbers: named };
  }
  // With the defaults of the settings, and the split of the rollout: as inputs, so that a reviewer sees a changed
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
 * The arguments of a saved resource in a run that aborts a rollout: what is saved, whatever the program declares by
 * now. Only the split of that rollout changes. Secret arguments are the program's, because the engine marks only those
 * as secret again.
 */
function abortOf(name: string, { endpoint: _, inboundAgents, ...saved }: Props, declared: Props): Props {
  const { secretArguments } = declared as HiddenInputs;
  const hidden = pick(declared, [URN, "secretArguments", ...(secretArguments ?? [])]);
  const isAborted = (saved.rollout as Rollout | undefined)?.name === name;
  return defined({ ...saved, ...(isAborted ? { rollout: name } : { inboundAgents }), ...hidden });
}

/** The split that follows from a rollout. */
const splitAt = (rollout: Rollout | Unknown | undefined, { guards }: Settings): Split | Unknown | undefined =>
  rollout === undefined || isUnknown(rollout) ? rollout : splitOf(rollout, guards.weightTotal);

/** Is it a new abort of the saved rollout, and not of another one? */
const isAbortOf = (saved: Rollout | undefined, next: Rollout | undefined): boolean =>
  saved?.name !== undefined && saved.name === next?.name && isNewAbort(saved, next);

/**
 * The numbers that the arguments name, also if others of the arguments are not valid: two resources may not name the
 * same one.
 */
function numbersNamed({ argument, form }: NumbersArgument, news: Props): string[] {
  const { value } = validate(form, news[argument]);
  return value === undefined || isUnknown(value) ? [] : [...membersOf({ [argument]: value }).keys()];
}
