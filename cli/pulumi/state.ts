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

/** Reads what `pulumi stack export` prints about this platform. Secrets are masked at once. */

/** A resource as it is saved. */
export type SavedResource = ReturnType<typeof toSaved>[number];

/** A step that was under way when the engine was stopped. */
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

/** Nothing is sent to the platform. @param target names the stack as `--stack` gave it */
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
    throw new UsageError(`\`pulumi stack export\` of ${stackName} is not the JSON of Pulumi 3.`);
  }
  const resources = parsed.data.deployment?.resources ?? [];
  const operations = parsed.data.deployment?.pending_operations ?? [];
  const urn = resources[0]?.urn ?? operations[0]?.resource.urn;
  // An empty stack has no URN. With Pulumi Cloud a stack may be named as `organization/project/stack`.
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

/** `stack prod of project phones`. */
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
          /** Was it replaced, and is it still to be deleted? */
          isLeftover: isLeftover === true,
          /** The errors of its last step, if that did not go through. */
          errors: initErrors ?? [],
          /** When a run changed it last. */
          modified: modified ?? undefined,
          /** The resource option: the paths of arguments whose changes the engine does not see. */
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
    /** Undefined for a resource of another package: nothing is known of its inputs. */
    kind,
    inputs: kind === undefined ? {} : inputs,
  };
}

// --- a provider state from a preview or a saved state; all secrets look the same, and so do all unknown values

export function stateIn(values: Properties): NumbersState {
  const { number, numbers, unapplied, inboundAgents, extraFields, ...others } = values;
  const members = membersIn(values);
  // If it isn't known which numbers there are, they count as one that nothing else names.
  const unnamed = String(UNKNOWN);
  const [first = unnamed] = members?.keys() ?? [];
  const text = members === undefined ? unnamed : numbersText(members);
  return {
    ...others,
    inboundAgents: splitIn(inboundAgents),
    // Hidden extra fields count as one field without a name.
    extraFields: isObject(extraFields ?? {}) ? (extraFields ?? undefined) : { "": extraFields },
    rollout: isHidden(others.rollout) ? UNKNOWN : (others.rollout ?? undefined),
    ...(number === undefined ? { numbers: text } : { number: first }),
    unapplied: readUnapplied(unapplied, number === undefined ? text : first),
  } as unknown as NumbersState;
}

/** If the value can't be read, assume that the numbers could be routed anywhere. */
function readUnapplied(value: unknown, numbers: string): readonly Unapplied[] | undefined {
  const { success, data } = SAVED_NUMBERS.unapplied.safeParse(value ?? undefined);
  const parts = success ? data : [{ reason: "unknown", applied: { inboundAgents: SECRET }, numbers }];
  return parts as readonly Unapplied[] | undefined;
}

/** The state reduced to these numbers. */
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
