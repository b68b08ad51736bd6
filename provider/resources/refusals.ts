import type * as z from "zod";
import type { Code } from "../core/codes";
import { type Endpoint, endpointOf } from "../core/endpoint";
import { judgeFreeze, type Violation } from "../core/guards";
import * as messages from "../core/messages";
import type { Failure } from "../core/operations";
import { integer, isUnknown, optional, secretArguments } from "../core/schemas";
import { missingInState } from "../core/state";
import type { ResourceKind } from "../core/urn";
import { type Props, ResourceError, type Session } from "./lifecycle";

/** Why a call is refused or has failed, whatever the kind of the resource, and what its message names. */

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
  kind: ResourceKind,
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
export const contextOf = (workspaceId: number | undefined, { settings }: Session) => ({
  ...endpointOf(settings),
  tokenSource: settings.tokenSource,
  workspaceId,
});
