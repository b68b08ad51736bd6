import { type Entry, Ledger, numberPlace } from "../../provider/core/numbers/ledger";
import { unappliedOf } from "../../provider/core/numbers/state";
import { isOfNumbers } from "../../provider/core/platform/kinds";
import type { Members } from "../../provider/core/routing/group";
import { stateIn } from "../pulumi/coreState";
import type { Pending, SavedResource, StackState } from "../pulumi/stackExport";
import { declaredIn } from "../pulumi/values";

/** Which saved resource holds which number. */

export type Claim = Entry<{ readonly state: StackState; readonly saved: SavedResource }>;

/** The numbers and groups of a state, without those that were replaced and are still to be deleted. */
export const resourcesOfNumbers = ({ resources }: Pick<StackState, "resources">): SavedResource[] =>
  resources.filter(({ kind, isLeftover }) => isOfNumbers(kind) && !isLeftover);

/** `NumberGroup "support"`. */
export const titleOf = ({ kind, name }: { readonly kind: string | undefined; readonly name: string }): string =>
  `${kind} "${name}"`;

/** The numbers of a resource with their labels. A single number has no label. */
export const membersOf = ({ outputs }: SavedResource): Members => declaredIn(outputs) ?? new Map();

export const numbersDeclared = (saved: SavedResource): readonly string[] => [...membersOf(saved).keys()];

/** The numbers that a stopped step was about, as the program asked for them. */
export const numbersPending = ({ kind, inputs }: Pending): readonly string[] =>
  kind === undefined ? [] : [...(declaredIn(inputs)?.keys() ?? [])];

/** The numbers of a resource that may not have what it declares. */
export function numbersNotApplied(saved: SavedResource): readonly string[] {
  const missed = unappliedOf(stateIn(saved.outputs));
  return numbersDeclared(saved).filter((number) => missed.has(number));
}

/** Each number that more than one resource of these states declares, with these resources. */
export function sharedNumbers(states: readonly StackState[]): Claim[][] {
  const ledger = new Ledger<Claim>();
  for (const state of states) {
    for (const saved of resourcesOfNumbers(state)) {
      const owner = { state, saved };
      const at = numberPlace(stateIn(saved.outputs));
      numbersDeclared(saved).forEach((number) => void ledger.declare({ number, at, owner }));
    }
  }
  return ledger.declaredTwice((one, other) => one !== other);
}
