import { areKnown } from "../base/engine";
import { membersOf, type NumbersInputs } from "../routing/group";
import { type Assignment, clearedByMove, isNothingCleared, routingOf, unionOf } from "../routing/routing";
import type { Declared, Ledger } from "../run/ledger";
import type { KnownResource } from "../run/run";
import { isTouched, mayHaveOf, type NumbersState, needsClearing, placeInState } from "./state";

/** What a delete does with one of its numbers, and the request that it has to send, if any. */
export type Release =
  /** No resource declares the number, so everything this resource set on the number is cleared. */
  | { readonly action: "clear"; readonly assignment: Assignment }
  /**
   * Another resource declares the number and has assigned it. The request clears only fields that the deleted resource
   * alone had set.
   */
  | { readonly action: "keep"; readonly assignment?: Assignment | undefined }
  /**
   * The number is left to the next run. Either the resource with the URN `owner` may not have applied its routing, or,
   * if there is no `owner`, something failed in this run.
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
 * Whether an update of the successor has already cleared every field of the number that the successor no longer sets.
 */
function isClearedBy({ news, olds }: KnownResource<NumbersState>, number: string, state: NumbersState): boolean {
  const inputs = news as NumbersInputs;
  const before = olds ?? state;
  // A replaced resource that a failed run left behind may be older than its successor's state. The successor never
  // cleared fields that are missing from the successor's state.
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
  // Nothing is left to send if the other resource has sent its routing in this run and that routing sets every field
  // that would have to be cleared. If the other resource has sent nothing in this run, send its routing again, because
  // an interrupted earlier run may have overwritten it.
  const isDone = assigned === "sent" && isNothingCleared(clearedByMove(mayHave, routing));
  const { inboundAgents: _, ...others } = mayHave;
  return { action: "keep", assignment: isDone ? undefined : { number: declared.number, routing, mayHave: others } };
}
