import { isObject } from "../../provider/base/json";
import { UNKNOWN } from "../../provider/base/unknown";
import { type NumbersState, SAVED_NUMBERS, type UnappliedNumbers, unappliedOf } from "../../provider/numbers/state";
import { membersOf, toText } from "../../provider/routing/group";

import { declaredIn, isHidden, type Properties, SECRET, splitIn } from "./values";

/**
 * Makes a state of the core from the values of a preview or of a saved state, in which all secrets are one text, and all unknown values
 * another.
 */

/** A routing with something that is not shown. */
const HIDDEN_ROUTING = { inboundAgents: SECRET };

export function stateIn(values: Properties): NumbersState {
  const { number, numbers, unapplied, ...others } = values;
  const members = declaredIn(values);
  const [first = UNKNOWN] = members?.keys() ?? [];
  const text = members === undefined ? UNKNOWN : toText(members);
  return {
    ...others,
    ...routingIn(others),
    rollout: isHidden(others.rollout) ? UNKNOWN : (others.rollout ?? undefined),
    ...(number === undefined ? { numbers: text } : { number: first }),
    unapplied: readUnapplied(unapplied, number === undefined ? text : first),
  } as unknown as NumbersState;
}

/** Hidden extra fields count as one field without a name. */
function routingIn({ inboundAgents, extraFields }: Properties): Properties {
  const isShown = extraFields === undefined || extraFields === null || isObject(extraFields);
  return {
    inboundAgents: splitIn(inboundAgents),
    extraFields: isShown ? (extraFields ?? undefined) : { "": extraFields },
  };
}

/** What cannot be read counts as numbers that may have anything. */
function readUnapplied(value: unknown, numbers: string): readonly UnappliedNumbers[] | undefined {
  const { success, data } = SAVED_NUMBERS.unapplied.safeParse(value ?? undefined);
  const all = success ? data : [{ reason: "unknown", applied: HIDDEN_ROUTING, numbers }];
  return all as readonly UnappliedNumbers[] | undefined;
}

/** The state with some of its numbers alone. */
export function partOf(state: NumbersState, numbers: readonly string[]): NumbersState {
  const members = membersOf(state);
  if (members.size === numbers.length || state.number !== undefined) {
    return state;
  }
  const ofNumber = unappliedOf(state);
  const textOf = (all: readonly string[]) => toText(new Map(all.map((number) => [number, members.get(number) ?? ""])));
  const narrowed = (state.unapplied ?? []).map((part) => ({
    ...part,
    numbers: textOf(numbers.filter((number) => ofNumber.get(number) === part)),
  }));
  const unapplied = narrowed.filter((part) => part.numbers !== "");
  return { ...state, numbers: textOf(numbers), unapplied: unapplied.length === 0 ? undefined : unapplied };
}
