import { URN } from "../../provider/base/engine";
import { memoizeByObject, same } from "../../provider/base/json";
import { isOfNumbers, type PostedKind, PROVIDER } from "../../provider/config/kinds";
import { clearedNumbers, type NumbersState, placeInState } from "../../provider/numbers/state";
import { type Entry, Ledger, numberPlace } from "../../provider/run/ledger";
import { subject } from "../../provider/words/message";
import { type Pending, type SavedResource, type StackState, stateIn } from "../pulumi/state";
import { holdsMasked, numbersIn } from "../pulumi/values";

/** Finds the number resources in a saved state, and the operations that a stopped run left pending. */

/** Returns a title such as `NumberGroup "support"`. */
export const resourceTitle = ({ kind, name }: { readonly kind: string | undefined; readonly name: string }): string =>
  subject(kind ?? "resource", name);

/**
 * Returns the state's NumberAssignment and NumberGroup resources, except those that were replaced and not yet deleted.
 */
export const resourcesOfNumbers = ({ resources }: StackState): SavedResource[] =>
  resources.filter(({ kind, isLeftover }) => isOfNumbers(kind) && !isLeftover);

/** Returns the number resources that were replaced and not yet deleted. */
export const replacedResources = ({ resources }: StackState): SavedResource[] =>
  resources.filter(({ kind, isLeftover }) => isOfNumbers(kind) && isLeftover);

/** A number, and the saved resource that declares it. */
export type SavedEntry = Entry<{ readonly state: StackState; readonly saved: SavedResource }>;

/** Records which resource declares each number in these states. */
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
 * Returns the numbers that several of these stacks declare. Two resources of the same stack don't count, because they
 * declare the same number only until a run has completed the number's move from one to the other.
 */
export const sharedNumbers = (states: readonly StackState[]): SavedEntry[][] =>
  ledgerOf(states).declaredTwice((left, right) => left.owner.state !== right.owner.state);

/**
 * Returns the numbers that deleting a replaced resource would clear, because no other resource in the stack declares
 * them.
 */
export const undeclaredNumbers = (original: NumbersState, state: StackState): string[] =>
  declaredNumbers(state).losses(clearedNumbers(original), (number) => placeInState(number, original));

const declaredNumbers = memoizeByObject((state: StackState) => ledgerOf([state]));

/**
 * Returns a phrase such as `a run was stopped while creating NumberGroup "support"`.
 * @param name the resource's title, or another name for it in the sentence
 */
export const pendingText = ({ operation }: Pick<Pending, "operation">, name: string): string =>
  `a run was stopped while ${operation} ${name}`;

/**
 * Returns the operations that a stopped run left pending and no later run completed. Their requests may have been sent.
 */
export const openOperations = memoizeByObject((state: StackState): readonly Pending[] =>
  state.pending.filter((pending) => !isCreatedSince(pending, state)),
);

/** Whether a stopped run may have created this voice or chat. If so, the next `pulumi up` creates it again. */
export const isPosting = (pending: Pending): pending is Pending & { readonly kind: PostedKind } =>
  pending.kind !== undefined && !isOfNumbers(pending.kind) && pending.operation === "creating";

/**
 * Whether a later run has created or adopted the resource of this pending create: the state contains it with the same
 * inputs.
 */
export function isCreatedSince({ operation, urn, inputs }: Pending, { resources }: StackState): boolean {
  // Ignore `triggers` and `adopt`, because users change them while they recover from a stopped run.
  const declared = ({ [PROVIDER]: _, [URN]: __, triggers, adopt, ...others }: Pending["inputs"]) => others;
  const wanted = declared(inputs);
  return (
    operation === "creating" &&
    // Secret inputs can't be compared, because they are encrypted.
    !holdsMasked(wanted) &&
    resources.some((saved) => saved.urn === urn && !saved.isLeftover && same(declared(saved.inputs), wanted))
  );
}
