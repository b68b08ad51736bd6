import { unappliedOf } from "../../provider/core/numbers/state";
import { isOfNumbers } from "../../provider/core/platform/kinds";
import { SCOPE } from "../../provider/core/routing/fields";
import { existsOnce, type Members } from "../../provider/core/routing/group";
import { groupBy } from "../lists";
import { stateIn } from "../pulumi/coreState";
import type { Pending, SavedResource, StackState } from "../pulumi/stackExport";
import { declaredIn, type Properties } from "../pulumi/values";

/** Which saved resource holds which number. */

export type Claim = ReturnType<typeof claimsIn>[number];

/** The numbers and groups of a state, without those that were replaced and are still to be deleted. */
export const resourcesOfNumbers = ({ resources }: Pick<StackState, "resources">): SavedResource[] =>
  resources.filter(({ kind, isLeftover }) => isOfNumbers(kind) && !isLeftover);

/** `NumberGroup "support"`. */
export const titleOf = ({ kind, name }: { readonly kind: string | undefined; readonly name: string }): string =>
  `${kind} "${name}"`;

/** The numbers of a resource with their labels. A single number has no label. */
export const membersOf = ({ outputs }: SavedResource): Members => declaredIn(outputs) ?? new Map();

export const numbersHeld = (saved: SavedResource): readonly string[] => [...membersOf(saved).keys()];

/** The numbers that a stopped step was about, as the program asked for them. */
export const numbersPending = ({ kind, inputs }: Pending): readonly string[] =>
  kind === undefined ? [] : [...(declaredIn(inputs)?.keys() ?? [])];

/** The numbers of a resource that may not have what it declares. */
export function numbersNotApplied(saved: SavedResource): readonly string[] {
  const missed = unappliedOf(stateIn(saved.outputs));
  return numbersHeld(saved).filter((number) => missed.has(number));
}

/** The holders of each number that more than one resource of these states holds. */
export function sharedNumbers(states: readonly StackState[]): Claim[][] {
  const all = states.flatMap((state) => resourcesOfNumbers(state).flatMap((saved) => claimsIn(state, saved)));
  return groupBy(all, keyOf)
    .map((same) => same.filter((claim) => same.some((other) => meets(claim, other))))
    .filter((meeting) => meeting.length > 1);
}

function claimsIn(state: StackState, saved: SavedResource) {
  const endpoint = String(saved.outputs.endpoint ?? "an unknown platform");
  return numbersHeld(saved).map((number) => ({ number, endpoint, state, saved }));
}

const keyOf = ({ number, endpoint }: Claim): string => JSON.stringify([endpoint, number]);

/** Is it another resource that may declare the same number? */
const meets = (claim: Claim, other: Claim): boolean =>
  claim !== other && mayShareAccount(claim.number, claim.saved.outputs, other.saved.outputs);

/** May both be about one number? An extension is one in each account and workspace; a resource that declares none may be in any. */
export const mayShareAccount = (number: string, mine: Properties, theirs: Properties): boolean =>
  existsOnce(number) ||
  SCOPE.every((field) => mine[field] === undefined || theirs[field] === undefined || mine[field] === theirs[field]);
