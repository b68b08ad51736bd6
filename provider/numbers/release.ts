import { areKnown } from "../base/engine";
import { membersOf, type NumbersInputs } from "../routing/group";
import { type Assignment, clearedByMove, isNothingCleared, routingOf, unionOf } from "../routing/routing";
import type { Declared, Ledger } from "../run/ledger";
import type { Known } from "../run/run";
import { isToClear, isTouched, mayHaveOf, type NumbersState, placeInState } from "./state";

/** What is done with a number, and the request for that, if it needs one. */
export type Release =
  /** Nothing declares it. */
  | { readonly action: "clear"; readonly assignment: Assignment }
  /** Another resource declares it, and has assigned it. The request clears what only the deleted resource had set. */
  | { readonly action: "keep"; readonly assignment?: Assignment | undefined }
  /**
   * The next run decides. The owner is the URN of the resource that declares it and may not have applied it; without
   * one, something has failed in this run, so it is not known what the program declares.
   */
  | { readonly action: "wait"; readonly assignment?: undefined; readonly owner?: string }
  /** Nothing declares it, and it has nothing to clear. */
  | { readonly action: "nothing"; readonly assignment?: undefined };

/**
 * @param successor the resource that keeps the id of the deleted one, if there is one
 * @param hasFailed did the program or another resource fail in this run? Then a delete sends nothing. A delete that has
 * nothing to send does not ask
 */
export function release(
  state: NumbersState,
  successor: Known<NumbersState> | undefined,
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
 * Has the successor's own update cleared what it no longer sets? Only on a number that it had and still has, and only
 * what its state knew: this original may be older than that state, if a run that failed left it over.
 */
function isClearedBy({ news, olds }: Known<NumbersState>, number: string, state: NumbersState): boolean {
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
    return isToClear(number, state)
      ? { action: "clear", assignment: { number, routing, mayHave } }
      : { action: "nothing" };
  }
  const { owner, assigned, routing } = declared;
  if (assigned === "unconfirmed" || routing === undefined || !areKnown(routing)) {
    return { action: "wait", owner };
  }
  // The number keeps its agents, and the request clears what else only the deleted resource had set. If the other
  // resource sent nothing in this run, the engine saw no change of it. But the deleted resource may have sent its own
  // routing later, in an earlier run that broke off. So this delete sends the routing of the other resource again.
  const isDone = assigned === "sent" && isNothingCleared(clearedByMove(mayHave, routing));
  const { inboundAgents: _, ...others } = mayHave;
  return { action: "keep", assignment: isDone ? undefined : { number: declared.number, routing, mayHave: others } };
}
