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
   * Another resource has assigned the number. If a request is needed, it resends that resource's routing and clears
   * fields that only the deleted resource had set.
   */
  | { readonly action: "keep"; readonly assignment?: Assignment | undefined }
  /**
   * The number is left to a later run, because the resource that declares it (the URN `owner`) may not have applied its
   * routing yet. Without `owner`, something failed in this run.
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
 * Whether the delete can leave the number to the successor, the group's replacement. The successor must still declare
 * the number, and clears only fields that it knows.
 */
function isClearedBy({ news, olds }: KnownResource<NumbersState>, number: string, state: NumbersState): boolean {
  const inputs = news as NumbersInputs;
  const before = olds ?? state;
  // The successor knows the fields in its saved state and those that it sets now. A deleted group that was left over
  // from a failed run may have set others.
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
  // No request is needed if this run sent the declared routing and nothing is left to clear. If this run didn't send
  // it, an earlier, interrupted run may have overwritten it.
  const isDone = assigned === "sent" && mayHave.every((before) => isNothingCleared(clearedByMove(before, routing)));
  // Leave out the agents, because the declaring resource decides which agents the number has.
  const others = mayHave.map(({ inboundAgents: _, ...fields }) => fields);
  return { action: "keep", assignment: isDone ? undefined : { number: declared.number, routing, mayHave: others } };
}
