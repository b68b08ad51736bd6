import type * as z from "zod";
import type { Code } from "../core/codes";
import { type Endpoint, endpointOf } from "../core/endpoint";
import { judgeFreeze, judgeRunRemoval, type Violation } from "../core/guards";
import { labelOfUrn } from "../core/label";
import * as messages from "../core/messages";
import type { Failure } from "../core/operations";
import { integer, optional, secretArguments } from "../core/schemas";
import { missingInState } from "../core/state";
import { type ResourceKind, URN } from "../core/urn";
import { type Props, ResourceError, type Session } from "./lifecycle";

/** Why a call is refused or has failed, whatever the kind of the resource, and what its message names. */

/** The last stop, for what no preview saw: a delete has no check. */
export const refuseFrozen = (who: string, session: Session): void =>
  refuse(who, judgeFreeze(session.settings), session);

/** What a guard refuses, unless an operator bypasses the guards for this run. */
export function refusals(
  who: string,
  violations: readonly Violation[],
  session: Session,
  hidden?: readonly string[],
): messages.Message[] {
  const { bypass } = session.settings;
  if (bypass === undefined || violations.length === 0) {
    return violations.map((violation) => messages.violated(who, violation, hidden));
  }
  session.warn(messages.guardsBypassed(who, bypass, violations, hidden));
  return [];
}

/**
 * Deletes of a run may let go no more numbers than the guard allows, all together. The delete that would pass the limit waits. A destroy
 * is not judged: no resource is checked there.
 */
export function refuseRemovals(
  who: string,
  lost: readonly string[],
  session: Session,
  hidden: readonly string[] | undefined,
): void {
  const { run, settings } = session;
  if (lost.length === 0 || settings.guards.maxRemove === undefined || !run.isDeclaring()) {
    return;
  }
  refuse(who, judgeRunRemoval(lost, run.removed(), settings), session, hidden);
  run.remove(lost.length);
}

/** Stops it. */
export function refuse(
  who: string,
  violations: readonly Violation[],
  session: Session,
  hidden?: readonly string[],
): void {
  const [first, ...rest] = refusals(who, violations, session, hidden);
  if (first !== undefined) {
    throw new ResourceError(first, ...rest);
  }
}

/** A state of another platform says nothing about the numbers of this one. */
export function refuseOtherEndpoint(who: string, state: Endpoint, { settings }: Session): void {
  if (state.endpoint !== settings.endpoint) {
    throw new ResourceError(messages.endpointDiffersAtDelete(who, state.endpoint, settings.endpoint));
  }
}

/** The form of fields that all four kinds may have. */
const SAVED_ALIKE = { workspaceId: optional(integer), secretArguments: optional(secretArguments) };

/** Reads a saved state, which may have been edited manually. The fields that a call needs must be there and have the right type. */
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
    const urn = saved[URN];
    const who = typeof urn === "string" ? labelOfUrn(urn) : messages.subject(kind, id);
    throw new ResourceError(messages.unreadableState(who, unreadable));
  }
  return saved as State;
}

/** The error of a delete that was rejected or whose outcome is unknown. `inDoubt` is for the second: what is true, and what to do. */
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

/** The facts that the remedy of a failed exchange names. */
export const contextOf = (workspaceId: number | undefined, { settings }: Session) => ({
  ...endpointOf(settings),
  tokenSource: settings.tokenSource,
  workspaceId,
});
