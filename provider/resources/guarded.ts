import * as z from "zod";
import type { Code } from "../core/codes";
import { type Endpoint, endpointOf } from "../core/endpoint";
import { defined } from "../core/equality";
import { judgeFreeze, judgeNew, loosened, type Violation } from "../core/guards";
import * as messages from "../core/messages";
import type { Failure } from "../core/operations";
import type { Kind } from "../core/plan";
import { onDelete, type RoutedInputs, type Routing, routingShape } from "../core/routing";
import { integer, isUnknown, optional, secretArguments, validate } from "../core/schemas";
import type { Settings } from "../core/settings";
import { missingInState } from "../core/state";
import { type Checked, type Props, ResourceError, type Session } from "./lifecycle";

/** What a single assignment and a group check alike. */

const positive = z.number({ error: "must be a finite number" }).positive({ error: "must be above 0" });
const percent = z
  .number({ error: "must be a finite number" })
  .min(0, { error: "must be from 0 to 100" })
  .max(100, { error: "must be from 0 to 100" });

/** The arguments that both take: a routing, and what is never sent. */
export const routedShape = {
  ...routingShape,
  weightTotal: optional(positive),
  maxShift: optional(percent),
  onDelete: optional(onDelete),
  triggers: z.unknown().optional(),
  secretArguments: optional(secretArguments),
};

/** What differs between the two. */
interface Routed<Inputs> {
  readonly schema: z.ZodType<Omit<Inputs, keyof Endpoint>>;
  who(inputs: Inputs): string;
  /** Whatever else is wrong, the program declares these numbers, and nothing may take their agents. */
  readonly declares: string[];
  routingFor(number: string, inputs: Inputs): Routing;
  failures?(inputs: Inputs): messages.Message[];
}

/**
 * What is wrong with the arguments: their form, an argument that got lost, a guard that would be loosened. A new resource is judged by the
 * guards here, since no diff comes; a change in diff, which knows what was applied.
 */
export function checkRouted<Inputs extends RoutedInputs>(
  { schema, who, declares, routingFor, failures: others }: Routed<Inputs>,
  olds: Props | undefined,
  news: Props,
  settings: Settings,
): Checked<Inputs> {
  const { value, problems } = validate(schema, news);
  const inputs = value === undefined ? undefined : (withDefaults(value, settings) as unknown as Inputs);
  const isLost = olds?.inboundAgents !== undefined && (news.inboundAgents ?? undefined) === undefined;
  const failures = [
    ...problems.map((problem) => messages.invalid(problem)),
    ...(isLost ? [messages.inboundAgentsMissing()] : []),
    ...loosened(inputs ?? {}, settings.guards).map(({ path, limit }) => messages.loosens(path, limit)),
  ];
  if (inputs === undefined) {
    return { inputs: { ...news } as unknown as Inputs, failures, warnings: [], violations: [], declares };
  }
  const isInsecure = inputs.inboundWebhookUrl?.startsWith("http:");
  return {
    inputs,
    failures: [...failures, ...(others?.(inputs) ?? [])],
    warnings: isInsecure ? [messages.insecureWebhook(who(inputs))] : [],
    violations: olds === undefined ? judgeNew(inputs, settings) : [],
    declares,
    routingFor: (number) => routingFor(number, inputs),
  };
}

/** What the settings add to a routing, so that a changed setting is a change that a reviewer sees. */
const withDefaults = (value: Routing, settings: Settings): Routing & Endpoint =>
  defined({
    ...value,
    accountSid: value.accountSid ?? settings.accountSid,
    workspaceId: value.workspaceId ?? settings.workspaceId,
    ...endpointOf(settings),
  });

/** The last stop, for what no preview saw: a delete has no check. */
export const refuseFrozen = (who: string, session: Session): void =>
  refuse(who, judgeFreeze(session.settings), session);

/** What a guard refuses, unless an operator bypasses the guards for this run. `named` is left out where the engine names the resource. */
export function refusals(
  named: string | undefined,
  who: string,
  violations: readonly Violation[],
  session: Session,
  hidden?: readonly string[],
): messages.Message[] {
  const { bypass } = session.settings;
  if (bypass === undefined || violations.length === 0) {
    return violations.map((violation) => messages.violated(named, violation, hidden));
  }
  session.warn(messages.guardsBypassed(who, bypass, violations, hidden));
  return [];
}

/** Stops it. */
export function refuse(
  who: string,
  violations: readonly Violation[],
  session: Session,
  hidden?: readonly string[],
): void {
  const [first, ...rest] = refusals(who, who, violations, session, hidden);
  if (first !== undefined) {
    throw new ResourceError(first, ...rest);
  }
}

/** A state that another platform wrote says nothing of what is bound at this one. */
export function refuseOtherEndpoint(who: string, state: Endpoint, { settings }: Session): void {
  if (state.endpoint !== settings.endpoint) {
    throw new ResourceError(messages.endpointDiffersAtDelete(who, state.endpoint, settings.endpoint));
  }
}

/** What all four kinds hold, where they hold it. */
const SAVED_ALIKE = { workspaceId: optional(integer), secretArguments: optional(secretArguments) };

/** Reads a saved state, which a hand may have edited. The fields that a call cannot do without must be there, in their form. */
export function readSaved<State>(
  kind: Kind,
  saved: Props,
  id: string,
  forms: Readonly<Record<string, z.ZodType>> = {},
): State {
  const strange = Object.entries({ ...SAVED_ALIKE, ...forms }).filter(
    ([field, form]) => !form.safeParse(saved[field]).success,
  );
  const unreadable = [...missingInState(kind, saved), ...strange.map(([field]) => field)];
  if (unreadable.length > 0) {
    throw new ResourceError(messages.unreadableState(messages.subject(kind, id), unreadable));
  }
  return saved as State;
}

/** What messages call a resource: the engine does not tell its name, so one of its arguments stands for it, if all may read it. */
export function subjectOf(
  kind: string,
  argument: string,
  value: string,
  secretArguments: readonly string[] | undefined,
): string {
  if (secretArguments?.includes(argument)) {
    return messages.subject(kind, "(secret)");
  }
  return messages.subject(kind, isUnknown(value) ? "(not known yet)" : value);
}

/** A delete that was refused, or of which nobody knows: `inDoubt` says what is true and what to do then. */
export function deleteFailed(
  outcome: "rejected" | "unknown",
  failure: Failure,
  context: Omit<messages.FailureContext, "action" | "truth">,
  inDoubt: { readonly code: Code; readonly truth: string; readonly remedy: string },
): ResourceError {
  const { code, truth, remedy } = inDoubt;
  const details = { ...context, action: "delete" };
  return new ResourceError(
    outcome === "rejected"
      ? messages.rejected(failure, { ...details, truth: "The resource stays in the state." })
      : messages.unknownOutcome(code, failure, {
          ...details,
          truth: `${truth} The resource stays in the state.`,
          remedy,
        }),
  );
}

/** What the remedy of a failed exchange names. */
export const contextOf = (workspaceId: number | undefined, { settings: { tokenSource, endpoint } }: Session) => ({
  tokenSource,
  endpoint,
  workspaceId,
});
