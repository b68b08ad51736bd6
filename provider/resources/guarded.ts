import * as z from "zod";
import { type Endpoint, endpointOf } from "../core/endpoint";
import { defined } from "../core/equality";
import { judgeFreeze, judgeNew, loosened, type Violation } from "../core/guards";
import * as messages from "../core/messages";
import type { Kind } from "../core/plan";
import { onDelete, type Routing, routingShape } from "../core/routing";
import { integer, isUnknown, optional, type Problem, secretArguments } from "../core/schemas";
import type { Settings } from "../core/settings";
import { missingInState, type NumberInputs } from "../core/state";
import { type Checked, ResourceError, type Session } from "./lifecycle";

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

type Props = Readonly<Record<string, unknown>>;
type Judged = Omit<NumberInputs, "number">;

/** What the settings add to a routing, so that a changed setting is a change that a reviewer sees. */
export function withDefaults<Inputs extends Routing>(value: Inputs, settings: Settings): Inputs & Endpoint {
  return defined({
    ...value,
    accountSid: value.accountSid ?? settings.accountSid,
    workspaceId: value.workspaceId ?? settings.workspaceId,
    ...endpointOf(settings),
  });
}

/** What is wrong with the arguments: their form, an argument that got lost, a guard that would be loosened. */
export function failuresOf(
  olds: Props | undefined,
  news: Props,
  inputs: Judged | undefined,
  problems: readonly Problem[],
  settings: Settings,
): messages.Message[] {
  const isLost = olds?.inboundAgents !== undefined && (news.inboundAgents ?? undefined) === undefined;
  return [
    ...problems.map((problem) => messages.invalid(problem)),
    ...(isLost ? [messages.inboundAgentsMissing()] : []),
    ...loosened(inputs ?? {}, settings.guards).map(({ path, limit }) => messages.loosens(path, limit)),
  ];
}

/** A new resource is judged here, since no diff comes; a change is judged in diff, which knows what was applied. */
export const violationsOf = (
  olds: Props | undefined,
  inputs: Judged,
  settings: Settings,
): Checked<unknown>["violations"] => (olds === undefined ? judgeNew(inputs, settings) : []);

export const insecure = (who: string, { inboundWebhookUrl }: Routing): messages.Message[] =>
  inboundWebhookUrl?.startsWith("http:") ? [messages.insecureWebhook(who)] : [];

/** The last stop, for what no preview saw: a delete has no check. */
export const refuseFrozen = (who: string, session: Session): void =>
  refuse(who, judgeFreeze(session.settings), session);

/** Stops what a guard refuses, unless an operator bypasses the guards for this run. */
export function refuse(
  who: string,
  violations: readonly Violation[],
  session: Session,
  hidden?: readonly string[],
): void {
  const [first, ...rest] = violations.map((violation) => messages.violated(who, violation, hidden));
  if (first === undefined) {
    return;
  }
  const { bypass } = session.settings;
  if (bypass === undefined) {
    throw new ResourceError(first, ...rest);
  }
  session.warn(messages.guardsBypassed(who, bypass, violations, hidden));
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

/** What a failed exchange tells beside the failure. */
export const contextOf = (who: string, action: string, workspaceId: number | undefined, { settings }: Session) => ({
  who,
  action,
  tokenSource: settings.tokenSource,
  endpoint: settings.endpoint,
  workspaceId,
});
