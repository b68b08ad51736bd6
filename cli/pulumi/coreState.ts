import { UNKNOWN } from "../../provider/core/common/engine";
import { isObject } from "../../provider/core/common/equality";
import {
  type NumbersState,
  SAVED_NUMBERS,
  type UnappliedNumbers,
  unappliedOf,
} from "../../provider/core/numbers/state";
import { toText } from "../../provider/core/routing/group";
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
    rollout: isHidden(others.rollout) ? UNKNOWN : rolloutIn(others.rollout),
    ...(number === undefined ? { numbers: text } : { number: first }),
    unapplied: partsIn(unapplied, number === undefined ? text : first),
  } as unknown as NumbersState;
}

const rolloutIn = (value: unknown): unknown => (isObject(value) ? value : undefined);

/** Hidden extra fields count as one field without a name. */
function routingIn({ inboundAgents, extraFields }: Properties): Properties {
  const isShown = extraFields === undefined || extraFields === null || isObject(extraFields);
  return {
    inboundAgents: splitIn(inboundAgents),
    extraFields: isShown ? (extraFields ?? undefined) : { "": extraFields },
  };
}

/** What cannot be read counts as numbers that may have anything. */
function partsIn(value: unknown, numbers: string): readonly UnappliedNumbers[] | undefined {
  const { success, data } = SAVED_NUMBERS.unapplied.safeParse(value ?? undefined);
  const parts = success ? data : [{ reason: "unknown", applied: HIDDEN_ROUTING, numbers }];
  return parts as readonly UnappliedNumbers[] | undefined;
}

/** One number as a single one, with what it has if it was not applied. */
export function numberOf(number: string, state: NumbersState): NumbersState {
  const { numbers: _, ...common } = state;
  const part = unappliedOf(state).get(number);
  return { ...common, number, unapplied: part && [{ ...part, numbers: number }] };
}
