import { URN } from "../../provider/base/engine";
import { same } from "../../provider/base/json";
import { isOfNumbers, type PostedKind, PROVIDER } from "../../provider/config/kinds";
import { clearedNumbers, type NumbersState, placeInState } from "../../provider/numbers/state";
import { type Entry, Ledger, numberPlace } from "../../provider/run/ledger";
import { subject } from "../../provider/words/message";
import { type Pending, type SavedResource, type StackState, stateIn } from "../pulumi/state";
import { holdsMasked, numbersIn } from "../pulumi/values";

/** The saved resources of numbers, and the steps that were under way when a run ended. */

/** `NumberGroup "support"`. */
export const resourceTitle = ({ kind, name }: { readonly kind: string | undefined; readonly name: string }): string =>
  subject(kind ?? "resource", name);

/** The numbers and groups of a state, without those that were replaced and are still to be deleted. */
export const resourcesOfNumbers = ({ resources }: StackState): SavedResource[] =>
  resources.filter(({ kind, isLeftover }) => isOfNumbers(kind) && !isLeftover);

/** A number that a saved resource declares. */
export type SavedEntry = Entry<{ readonly state: StackState; readonly saved: SavedResource }>;

/** Who declares which number in these states. */
export function ledgerOf(states: readonly StackState[]): Ledger<SavedEntry> {
  const ledger = new Ledger<SavedEntry>();
  for (const state of states) {
    for (const saved of resourcesOfNumbers(state)) {
      const owner = { state, saved };
      const place = numberPlace(stateIn(saved.outputs));
      numbersIn(saved.outputs).forEach((number) => void ledger.declare({ number, place, owner }));
    }
  }
  return ledger;
}

/**
 * Numbers declared by more than one of these stacks, each with its resources. Within a stack, duplicates are refused,
 * so two resources share a number only until the one the program has dropped is deleted.
 */
export const sharedNumbers = (states: readonly StackState[]): SavedEntry[][] =>
  ledgerOf(states).declaredTwice((left, right) => left.owner.state !== right.owner.state);

/** The numbers that an original's delete clears, because no other resource in the stack declares them. */
export const undeclaredNumbers = (original: NumbersState, state: StackState): string[] =>
  ledgerOf([state]).losses(clearedNumbers(original), (number) => placeInState(number, original));

/** @param name the resource that was being changed */
export const pendingText = ({ operation }: Pick<Pending, "operation">, name: string): string =>
  `a run was stopped while it was ${operation} ${name}`;

/**
 * Steps that were under way when a run was stopped, and that no later run completed. Callers may have what those steps
 * sent.
 */
export const openSteps = (state: StackState): readonly Pending[] =>
  state.pending.filter((pending) => !isCreatedSince(pending, state));

/** May a voice or a chat have been sent? If so, the next `pulumi up` sends it again. */
export const isPosting = (pending: Pending): pending is Pending & { readonly kind: PostedKind } =>
  pending.kind !== undefined && !isOfNumbers(pending.kind) && pending.operation === "creating";

/**
 * Did a later run certainly create it? Ignores `triggers`, which operators change to send numbers again, and `adopt`,
 * which records a POST already sent. Encrypted values can't be compared, so they count as not created.
 */
export function isCreatedSince({ operation, urn, inputs }: Pending, { resources }: StackState): boolean {
  const declared = ({ [PROVIDER]: _, [URN]: __, triggers, adopt, ...others }: Pending["inputs"]) => others;
  const wanted = declared(inputs);
  return (
    operation === "creating" &&
    !holdsMasked(wanted) &&
    resources.some((saved) => saved.urn === urn && !saved.isLeftover && same(declared(saved.inputs), wanted))
  );
}
