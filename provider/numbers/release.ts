import { areKnown } from "../base/engine";
import { membersOf, type NumbersInputs } from "../routing/group";
import { type Assignment, clearedByMove, isNothingCleared, routingOf, unionOf } from "../routing/routing";
import type { Declared, Ledger } from "../run/ledger";
import type { KnownResource } from "../run/run";
import { isTouched, mayHaveOf, type NumbersState, needsClearing, placeInState } from "./state";

/** The action of a delete for one of its numbers, with the request to send, if any. */
export type Release =
  /** No resource declares the number, so everything this resource set on the number is cleared. */
  | { readonly action: "clear"; readonly assignment: Assignment }
  /**
   * Another resource declares the number and has assigned it. The request clears only fields that the deleted resource
   * alone had set.
   */
  | { readonly action: "keep"; readonly assignment?: Assignment | undefined }
  /**
   * The number is left to the next run, because the resource with the URN `owner` may not have applied its routing, or,
   * without an owner, because something in this run failed.
   */
  | { readonly action: "wait"; readonly assignment?: undefined; readonly owner?: string }
  /** No resource declares the number, and there is nothing to clear on the number. */
  | { readonly action: "nothing"; readonly assignment?: undefined };

/**
 * Decides for each number of a deleted resource whether to clear or to keep it.
 * @param successor the resource that continues under the deleted one's ID, if any
 * @param hasFailed whether anything failed in this run, in which case the delete sends nothing; called only if there is
 * something to send
 */
export function release(
  state: NumbersState,
  successor: KnownResource<NumbersState> | undefined,
  ledger: Ledger<Declared>,
  hasFailed: () => boolean,
): ReadonlyMap<string, Release> {
  const touched = [...membersOf(state).keys()].filter((number) => isTouched(number, state));
  const remaining = touched.filter((number) => successor === undefined || !isClearedBy(successor, number, state));
  const releases = remaining.map((number) => [number, releaseNumber(number, state, ledger)] as const);
  const isWaiting = releases.some(([, { assignment }]) => assignment !== undefined) && hasFailed();
  const wait: Release = { action: "wait" };
  return new Map(
    releases.map(([number, decided]) => [number, isWaiting && decided.assignment !== undefined ? wait : decided]),
  );
}

/**
 * Whether an update of the successor has already cleared everything on the number that the successor no longer sets.
 */
function isClearedBy({ news, olds }: KnownResource<NumbersState>, number: string, state: NumbersState): boolean {
  const inputs = news as NumbersInputs;
  const before = olds ?? state;
  // An original that a failed run left behind may be older than the successor's state. Fields unknown to that state
  // were never cleared by the update.
  const known = unionOf(mayHaveOf(number, before, state), routingOf(inputs));
  return (
    membersOf(inputs).has(number) &&
    membersOf(before).has(number) &&
    isNothingCleared(clearedByMove(mayHaveOf(number, state, state), known))
  );
}

function releaseNumber(number: string, state: NumbersState, ledger: Ledger<Declared>): Release {
  const mayHave = mayHaveOf(number, state, state);
  const place = placeInState(number, state);
  const declared = ledger.declaredBy(number, place);
  if (declared === undefined) {
    const { endpoint: _, ...routing } = place;
    return needsClearing(number, state)
      ? { action: "clear", assignment: { number, routing, mayHave } }
      : { action: "nothing" };
  }
  const { owner, assigned, routing } = declared;
  if (assigned === "unconfirmed" || routing === undefined || !areKnown(routing)) {
    return { action: "wait", owner };
  }
  // Nothing is left to send if the other resource has sent its routing in this run and sets all of these fields. If it
  // sent nothing, its routing is resent, because an interrupted earlier run may have overwritten it.
  const isDone = assigned === "sent" && isNothingCleared(clearedByMove(mayHave, routing));
  const { inboundAgents: _, ...others } = mayHave;
  return { action: "keep", assignment: isDone ? undefined : { number: declared.number, routing, mayHave: others } };
}
