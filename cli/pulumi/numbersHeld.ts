import { identityOf, type Members } from "../../provider/core/numberList";
import { clearedNumbers } from "../../provider/core/plan";
import { clearedFrom } from "../../provider/core/routing";
import type { NumberState } from "../../provider/core/state";
import { isOfNumbers } from "../../provider/core/urn";
import { groupBy, uniqueBy } from "../lists";
import { numberOf, stateIn } from "./coreState";
import type { Pending, Saved, StackState } from "./stackExport";
import { knownMembers } from "./values";

/** Which saved resource holds which number. */

export type Claim = ReturnType<typeof claimsIn>[number];

/** The numbers that a resource holds; a secret list of numbers holds none that can be told. */
export function numbersHeld(saved: Saved): readonly string[] {
  return saved.kind === "NumberAssignment" ? [saved.id] : [...membersOf(saved).keys()];
}

/** The numbers that a stopped step was about, as the program asked for them. */
export function numbersPending({ kind, inputs: { number, numbers } }: Pending): readonly string[] {
  if (kind === "NumberGroup") {
    return [...knownMembers(numbers).keys()];
  }
  return kind === "NumberAssignment" && typeof number === "string" ? [number] : [];
}

const membersOf = ({ kind, outputs }: Saved): Members =>
  knownMembers(kind === "NumberGroup" ? outputs.numbers : undefined);

/** The label that a group gives a number; empty if it gives none. */
export const labelOf = (saved: Saved, number: string): string => membersOf(saved).get(number) ?? "";

/** A number as the state holds it: with what is its own, and with what it holds if it was not applied. */
export const numberHeld = ({ kind, outputs }: Saved, number: string): NumberState =>
  numberOf(number, stateIn(kind, outputs));

/** Numbers that the next `up` of this resource's stack clears, unless it declares them: those of what is to be deleted. */
const numbersGoing = ({ kind, outputs, isLeftover }: Saved): readonly string[] =>
  isLeftover && isOfNumbers(kind) ? clearedNumbers(stateIn(kind, outputs)) : [];

/** Who holds each number of each platform, over all states. */
export function claimsOf(states: readonly StackState[]) {
  const all = claimsIn(states, (saved) => (saved.isLeftover ? [] : numbersHeld(saved)));
  // Two exports of one stack say the same.
  const isFirst = (claim: Claim, index: number, same: readonly Claim[]) =>
    same.findIndex(({ saved }) => saved.urn === claim.saved.urn) === index;
  const held = new Map(groupBy(all, keyOf).map((same) => [keyOf(same[0]), same.filter(isFirst)]));
  const endangered = new Map<Saved, Claim[]>();
  for (const going of claimsIn(states, numbersGoing)) {
    const others = (held.get(keyOf(going)) ?? []).filter((other) => meets(going, other));
    // What its own stack holds as well is handed over, and not cleared.
    if (others.length > 0 && !others.some(({ state }) => isSameStack(state, going.state))) {
      endangered.set(going.saved, [...(endangered.get(going.saved) ?? []), ...others]);
    }
  }
  const meeting = [...held.values()].map((all) => all.filter((claim) => all.some((other) => meets(claim, other))));
  return {
    /** The holders of a number that more than one resource holds. */
    shared: meeting.filter((all) => all.length > 1),
    /** What a resource's stack is about to clear, though another stack holds it. */
    endangered,
  };
}

function claimsIn(states: readonly StackState[], numbersOf: (saved: Saved) => readonly string[]) {
  return states.flatMap((state) =>
    state.resources.flatMap((saved) => {
      const endpoint = String(saved.outputs.endpoint ?? "an unknown platform");
      return numbersOf(saved).map((number) => ({ number, endpoint, state, saved }));
    }),
  );
}

const keyOf = ({ number, endpoint, saved }: Claim): string =>
  JSON.stringify(identityOf(number, endpoint, String(saved.outputs.providerName ?? "")));

/** What became of the numbers of a stopped step, if its change was reverted. */
export interface NumbersLeft {
  /** Resources of the saved states that declare some of the numbers. The engine takes such a resource for unchanged. */
  readonly declared: readonly {
    readonly state: StackState;
    readonly saved: Saved;
    readonly numbers: readonly string[];
    /** What the step set and a PUT of this resource neither sets nor clears. */
    readonly fields: readonly string[];
  }[];
  /** Numbers that no saved resource declares. */
  readonly orphans: readonly string[];
}

export function numbersLeft(pending: Pending, state: StackState, states: readonly StackState[]): NumbersLeft {
  const { urn, name, kind, inputs } = pending;
  if (kind === undefined) {
    return { declared: [], orphans: [] };
  }
  const step: Saved = { ...NOT_SAVED, urn, name, kind, inputs, outputs: inputs };
  const asked = claimsIn([{ ...state, resources: [step] }], () => numbersPending(pending));
  const claims = (numbersIn: (saved: Saved) => readonly string[]) =>
    new Map(groupBy(claimsIn(states, numbersIn), keyOf).map((same) => [keyOf(same[0]), same]));
  const declaring = claims((saved) => (saved.isLeftover ? [] : numbersHeld(saved)));
  const going = claims(numbersGoing);
  const others = (all: ReturnType<typeof claims>, claim: Claim) =>
    uniqueBy(
      (all.get(keyOf(claim)) ?? []).filter((other) => meets(claim, other)),
      ({ saved }) => saved.urn,
    );
  const holders = asked.flatMap((claim) => others(declaring, claim));
  return {
    declared: groupBy(holders, ({ saved }) => saved.urn).map((same) => {
      const [{ state, saved }] = same;
      const fields = same.flatMap(({ number }) => fieldsLeft(numberHeld(step, number), numberHeld(saved, number)));
      return { state, saved, numbers: same.map(({ number }) => number), fields: [...new Set(fields)] };
    }),
    // What waits to be deleted is cleared by its delete.
    orphans: asked
      .filter((claim) => [declaring, going].every((all) => others(all, claim).length === 0))
      .map(({ number }) => number),
  };
}

const NOT_SAVED = { id: "", provider: "", hasInitErrors: false, isLeftover: false } as const;

/** An empty list of agents is sent with each PUT. */
function fieldsLeft(set: NumberState, declared: NumberState): string[] {
  const { bindings, extraFields } = clearedFrom(set, declared);
  const isSent = (field: string) => field === "inboundAgents" && declared.inboundAgents !== undefined;
  return [...bindings.filter((field) => !isSent(field)), ...extraFields.map((key) => `extraFields.${key}`)];
}

const isSameStack = (a: StackState, b: StackState): boolean => a.stack === b.stack && a.project === b.project;

const SCOPE = ["accountSid", "workspaceId"] as const;

/** Is the other one another resource, in what may be the same account and workspace? If one of them declares no account or workspace, it may be. */
function meets(claim: Claim, other: Claim): boolean {
  if (claim === other) {
    return false;
  }
  const [mine, theirs] = [claim.saved.outputs, other.saved.outputs];
  return SCOPE.every(
    (field) => mine[field] === undefined || theirs[field] === undefined || mine[field] === theirs[field],
  );
}
