import { clearedNumbers } from "../../provider/core/change/plan";
import { unappliedOf } from "../../provider/core/change/state";
import { isOfNumbers } from "../../provider/core/platform/kinds";
import { SCOPE } from "../../provider/core/routing/fields";
import { existsOnce, type Members } from "../../provider/core/routing/numberList";
import { groupBy } from "../lists";
import { stateIn } from "./coreState";
import type { Pending, SavedResource, StackState } from "./stackExport";
import { knownIn, type Properties } from "./values";

/** Which saved resource holds which number. */

export type Claim = ReturnType<typeof claimsIn>[number];

/** The numbers and groups of a state, without those that were replaced and are still to be deleted. */
export const resourcesOfNumbers = ({ resources }: Pick<StackState, "resources">): SavedResource[] =>
  resources.filter(({ kind, isLeftover }) => isOfNumbers(kind) && !isLeftover);

/** `NumberGroup "support"`. */
export const titleOf = ({ kind, name }: { readonly kind: string | undefined; readonly name: string }): string =>
  `${kind} "${name}"`;

/** The numbers of a resource with their labels. A single number has no label. */
export const membersOf = ({ outputs }: SavedResource): Members => knownIn(outputs);

export const numbersHeld = (saved: SavedResource): readonly string[] => [...membersOf(saved).keys()];

/** The numbers that a stopped step was about, as the program asked for them. */
export const numbersPending = ({ kind, inputs }: Pending): readonly string[] =>
  kind === undefined ? [] : [...knownIn(inputs).keys()];

/** The numbers of a resource that may not have what it declares. */
export function numbersNotApplied(saved: SavedResource): readonly string[] {
  const missed = unappliedOf(stateIn(saved.outputs));
  return numbersHeld(saved).filter((number) => missed.has(number));
}

/** Numbers of a resource that is still to be deleted: the next `up` of its stack clears those that the stack does not declare. */
const numbersGoing = ({ kind, outputs, isLeftover }: SavedResource): readonly string[] =>
  isLeftover && isOfNumbers(kind) ? clearedNumbers(stateIn(outputs)) : [];

/** Who holds each number of each platform, over all states. */
export function claimsOf(states: readonly StackState[]) {
  const all = claimsIn(states, (saved) => (saved.isLeftover ? [] : numbersHeld(saved)));
  const held = new Map(groupBy(all, keyOf).map((same) => [keyOf(same[0]), same]));
  const endangered = new Map<SavedResource, Claim[]>();
  for (const going of claimsIn(states, numbersGoing)) {
    const others = (held.get(keyOf(going)) ?? []).filter((other) => meets(going, other));
    // If its own stack declares the number as well, the number is not cleared.
    if (others.length > 0 && !others.some(({ state }) => isSameStack(state, going.state))) {
      endangered.set(going.saved, [...(endangered.get(going.saved) ?? []), ...others]);
    }
  }
  const meeting = [...held.values()].map((all) => all.filter((claim) => all.some((other) => meets(claim, other))));
  return {
    /** The holders of a number that more than one resource holds. */
    shared: meeting.filter((all) => all.length > 1),
    /** For each resource: numbers that its stack will clear, although another stack holds them. */
    endangered,
  };
}

function claimsIn(states: readonly StackState[], numbersOf: (saved: SavedResource) => readonly string[]) {
  return states.flatMap((state) =>
    state.resources.flatMap((saved) => {
      const endpoint = String(saved.outputs.endpoint ?? "an unknown platform");
      return numbersOf(saved).map((number) => ({ number, endpoint, state, saved }));
    }),
  );
}

const keyOf = ({ number, endpoint }: Claim): string => JSON.stringify([endpoint, number]);

const isSameStack = (a: StackState, b: StackState): boolean => a.stack === b.stack && a.project === b.project;

/** Is it another resource that may declare the same number? */
const meets = (claim: Claim, other: Claim): boolean =>
  claim !== other && mayShareAccount(claim.number, claim.saved.outputs, other.saved.outputs);

/** May both be about one number? An extension is one in each account and workspace; a resource that declares none may be in any. */
export const mayShareAccount = (number: string, mine: Properties, theirs: Properties): boolean =>
  existsOnce(number) ||
  SCOPE.every((field) => mine[field] === undefined || theirs[field] === undefined || mine[field] === theirs[field]);
