import * as z from "zod";
import { nameOf, parseUrn, UNKNOWN } from "../../provider/base/engine";
import { isObject, parseJson } from "../../provider/base/json";
import { type NumbersState, SAVED_NUMBERS, type Unapplied, unappliedOf } from "../../provider/numbers/state";
import { membersOf, numbersText } from "../../provider/routing/group";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { runPulumi } from "./cli";
import type { Target } from "./target";
import {
  depthProblem,
  isHidden,
  membersIn,
  type Properties,
  properties,
  resourceKind,
  SECRET,
  splitIn,
} from "./values";

/** Reads this package's resources from the output of `pulumi stack export`. Secrets are masked immediately. */

/** A resource of this package in the saved state. */
export type SavedResource = ReturnType<typeof toSaved>[number];

/** An operation that was under way when a run was stopped. */
export type Pending = ReturnType<typeof toPending>;

const resource = z.object({
  urn: z.string(),
  type: z.string(),
  id: z.string().nullish(),
  inputs: properties,
  outputs: properties,
  initErrors: z.array(z.string()).nullish().catch([""]),
  modified: z.coerce.date().nullish().catch(undefined),
  ignoreChanges: z.array(z.string()).nullish().catch(undefined),
  delete: z.boolean().nullish(),
});

const operation = z.object({ resource: resource.pick({ urn: true, type: true, inputs: true }), type: z.string() });

const exported = z.object({
  deployment: z
    .object({ resources: z.array(resource).nullish(), pending_operations: z.array(operation).nullish() })
    .nullable(),
});

export type StackState = Awaited<ReturnType<typeof readState>>;

/**
 * Reads the saved state of a stack without sending anything to the platform.
 * @param target the stack, by the name that was passed to `--stack`
 */
export async function readState(target: Target, io: Io) {
  const { stack: stackName } = target;
  const document = parseJson(await runPulumi(["stack", "export", "--stack", stackName], io));
  const tooDeep = depthProblem(document);
  if (tooDeep !== undefined) {
    throw new UsageError(
      `${tooDeep} in the state of ${stackName}, so it cannot be read. Shorten it in the program, and run \`pulumi up\`.`,
    );
  }
  const parsed = exported.safeParse(document);
  if (!parsed.success) {
    throw new UsageError(`\`pulumi stack export\` of ${stackName} did not print the JSON of Pulumi 3.`);
  }
  const resources = parsed.data.deployment?.resources ?? [];
  const operations = parsed.data.deployment?.pending_operations ?? [];
  const urn = resources[0]?.urn ?? operations[0]?.resource.urn;
  // An empty stack has no URN, so use the given name. With Pulumi Cloud, that name may be `organization/project/stack`.
  const { stack, project } =
    urn === undefined ? { stack: stackName.split("/").at(-1) ?? "", project: undefined } : parseUrn(urn);
  return {
    target,
    stack,
    project,
    resources: resources.flatMap(toSaved),
    pending: operations.map(toPending),
  };
}

/** Returns a title such as `stack prod of project phones`. */
export const stackTitle = ({ stack, project }: StackState): string =>
  `stack ${stack}${project === undefined ? "" : ` of project ${project}`}`;

function toSaved({
  urn,
  type,
  id,
  inputs,
  outputs,
  initErrors,
  modified,
  ignoreChanges,
  delete: isLeftover,
}: z.infer<typeof resource>) {
  const kind = resourceKind(type);
  return kind === undefined
    ? []
    : [
        {
          urn,
          name: nameOf(urn),
          kind,
          id: id ?? "",
          inputs,
          outputs,
          /** Whether the resource was replaced but not yet deleted. */
          isLeftover: isLeftover === true,
          /** The errors of the resource's last failed operation. */
          errors: initErrors ?? [],
          /** The time at which a run last changed the resource. */
          modified: modified ?? undefined,
          /** The argument paths in the resource option `ignoreChanges`. */
          ignoreChanges: ignoreChanges ?? [],
        },
      ];
}

function toPending({ resource: { urn, type, inputs }, type: step }: z.infer<typeof operation>) {
  const kind = resourceKind(type);
  return {
    urn,
    name: nameOf(urn),
    operation: step,
    /** Undefined for resources from other packages, whose inputs are ignored. */
    kind,
    inputs: kind === undefined ? {} : inputs,
  };
}

// --- a resource's properties as the provider's NumbersState, with secrets and unknown values masked

export function stateIn(values: Properties): NumbersState {
  const { number, numbers, unapplied, inboundAgents, extraFields, ...others } = values;
  const members = membersIn(values);
  // If the numbers are secret or unknown, use a placeholder that can't equal any phone number.
  const unnamed = String(UNKNOWN);
  const [first = unnamed] = members?.keys() ?? [];
  const text = members === undefined ? unnamed : numbersText(members);
  return {
    ...others,
    inboundAgents: splitIn(inboundAgents),
    // If the extra fields are secret, even their names are hidden. Represent them as one field with an empty name.
    extraFields: isObject(extraFields ?? {}) ? (extraFields ?? undefined) : { "": extraFields },
    rollout: isHidden(others.rollout) ? UNKNOWN : (others.rollout ?? undefined),
    ...(number === undefined ? { numbers: text } : { number: first }),
    unapplied: readUnapplied(unapplied, number === undefined ? text : first),
  } as unknown as NumbersState;
}

/**
 * Parses the saved `unapplied`. If it can't be read, assumes that any of the resource's numbers may have any routing.
 */
function readUnapplied(value: unknown, numbers: string): readonly Unapplied[] | undefined {
  const { success, data } = SAVED_NUMBERS.unapplied.safeParse(value ?? undefined);
  const parts = success ? data : [{ reason: "unknown", applied: { inboundAgents: SECRET }, numbers }];
  return parts as readonly Unapplied[] | undefined;
}

/** Returns the state of a resource as if it had only the given numbers. */
export function partOf(state: NumbersState, numbers: readonly string[]): NumbersState {
  const members = membersOf(state);
  if (members.size === numbers.length || state.number !== undefined) {
    return state;
  }
  const ofNumber = unappliedOf(state);
  const textOf = (selected: readonly string[]) =>
    numbersText(new Map(selected.map((number) => [number, members.get(number) ?? ""])));
  const narrowed = (state.unapplied ?? []).map((part) => ({
    ...part,
    numbers: textOf(numbers.filter((number) => ofNumber.get(number) === part)),
  }));
  const unapplied = narrowed.filter((part) => part.numbers !== "");
  return { ...state, numbers: textOf(numbers), unapplied: unapplied.length === 0 ? undefined : unapplied };
}
