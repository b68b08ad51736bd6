import { areKnown } from "../base/engine";
import { membersOf, type NumbersInputs } from "../routing/group";
import { type Assignment, clearedByMove, isNothingCleared, routingOf, setFields } from "../routing/routing";
import type { Declared, Ledger } from "../run/ledger";
import type { KnownResource } from "../run/run";
import { isTouched, mayHaveOf, type NumbersState, needsClearing, placeInState } from "./state";

/** What a delete does with one of the deleted resource's numbers, and the request for that number, if it needs one. */
export type Release =
  /** No resource declares the number, so the request clears everything that the deleted resource had set on it. */
  | { readonly action: "clear"; readonly assignment: Assignment }
  /**
   * Another resource declares the number and has assigned it. The request, if one is needed, resends that resource's
   * routing and clears the fields that only the deleted resource had set.
   */
  | { readonly action: "keep"; readonly assignment?: Assignment | undefined }
  /**
   * The number is left to a later run. If `owner` is set, it is the URN of the resource that declares the number, and
   * that resource may not have applied its routing yet. If `owner` is missing, the reason is that something failed in
   * this run.
   */
  | { readonly action: "wait"; readonly assignment?: undefined; readonly owner?: string }
  /** No resource declares the number, and there is nothing to clear on the number. */
  | { readonly action: "nothing"; readonly assignment?: undefined };

/**
 * Decides what a delete does with each number that the deleted resource may have assigned.
 * @param successor the replacement that continues under the deleted resource's ID, if there is one
 * @param hasFailed returns whether anything failed in this run. If so, the numbers that need a request are left to a
 * later run. Called only if a number needs a request.
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
 * Whether the delete can skip the number, because the successor (the group that replaced the deleted one) clears what
 * has to be cleared. The successor must still declare the number. It must also know every field that the deleted group
 * may have set on the number, because the successor clears no other fields.
 */
function isClearedBy({ news, olds }: KnownResource<NumbersState>, number: string, state: NumbersState): boolean {
  const inputs = news as NumbersInputs;
  const before = olds ?? state;
  // The successor knows the fields in its own saved state and those that it sets now. If the deleted group is a
  // leftover from an earlier, failed run, it may have set fields that the successor doesn't know.
  const known = new Set([...mayHaveOf(number, before, state), routingOf(inputs)].flatMap(setFields));
  return (
    membersOf(inputs).has(number) &&
    membersOf(before).has(number) &&
    mayHaveOf(number, state, state)
      .flatMap(setFields)
      .every((field) => field === "inboundAgents" || known.has(field))
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
  // If the declaring resource sent nothing in this run, resend its routing, because an earlier, interrupted run may
  // have overwritten it. If the declaring resource did send its routing, a request is needed only to clear fields that
  // the deleted resource may have set and that this routing doesn't set.
  const isDone = assigned === "sent" && mayHave.every((before) => isNothingCleared(clearedByMove(before, routing)));
  const others = mayHave.map(({ inboundAgents: _, ...fields }) => fields);
  return { action: "keep", assignment: isDone ? undefined : { number: declared.number, routing, mayHave: others } };
}
