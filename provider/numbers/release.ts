import { areKnown } from "../base/engine";
import { membersOf, type NumbersInputs } from "../routing/group";
import { type Assignment, clearedByMove, isNothingCleared, routingOf, unionOf } from "../routing/routing";
import type { Declared, Ledger } from "../run/ledger";
import type { KnownResource } from "../run/run";
import { isTouched, mayHaveOf, type NumbersState, needsClearing, placeInState } from "./state";

/** What a delete does with a number, plus the request to send, if any. */
export type Release =
  /** No resource declares it. */
  | { readonly action: "clear"; readonly assignment: Assignment }
  /**
   * Another resource declares it and has assigned it. The request clears whatever only the deleted resource had set.
   */
  | { readonly action: "keep"; readonly assignment?: Assignment | undefined }
  /**
   * The next run decides. `owner` is the URN of the resource that declares the number but may not have applied it.
   * Without an owner, something failed in this run, so we don't know everything the program declares.
   */
  | { readonly action: "wait"; readonly assignment?: undefined; readonly owner?: string }
  /** No resource declares it, and there is nothing to clear. */
  | { readonly action: "nothing"; readonly assignment?: undefined };

/**
 * @param successor the resource that keeps the deleted one's ID, if any
 * @param hasFailed whether the program or another resource failed in this run, in which case a delete sends nothing;
 * not called if there is nothing to send
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
 * Did the successor's own update clear what it no longer sets? That holds only for a number it had and still has, and
 * only for fields its state knew about: this original may be older than that state, if a failed run left it behind.
 */
function isClearedBy({ news, olds }: KnownResource<NumbersState>, number: string, state: NumbersState): boolean {
  const inputs = news as NumbersInputs;
  const before = olds ?? state;
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
  // The number keeps its agents, and the request clears everything else that only the deleted resource had set. If the
  // other resource sent nothing in this run, the engine saw no change in it, but the deleted resource may have
  // overwritten its routing in an earlier run that stopped midway. So this delete resends the other resource's routing.
  const isDone = assigned === "sent" && isNothingCleared(clearedByMove(mayHave, routing));
  const { inboundAgents: _, ...others } = mayHave;
  return { action: "keep", assignment: isDone ? undefined : { number: declared.number, routing, mayHave: others } };
}
