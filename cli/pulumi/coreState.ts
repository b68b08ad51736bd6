import {
  maybeOf,
  type NumbersState,
  UNAPPLIED_REASONS,
  type Unapplied,
  type UnappliedNumbers,
  unappliedOf,
} from "../../provider/core/change/state";
import { isObject } from "../../provider/core/common/equality";
import { UNKNOWN } from "../../provider/core/common/schemas";
import { toText } from "../../provider/core/routing/group";
import type { Routing } from "../../provider/core/routing/routing";
import { declaredIn, isHidden, type Properties, SECRET, splitIn } from "./values";

/**
 * Makes a state of the core from the values of a preview or of a saved state, in which all secrets are one text, and all unknown values
 * another.
 */

/** A routing that binds something which is not shown. */
const HIDDEN_ROUTING = { inboundAgents: SECRET };

export function stateIn(values: Properties): NumbersState {
  const { number, numbers, unapplied, ...others } = values;
  const members = declaredIn(values);
  const [first = UNKNOWN] = members?.keys() ?? [];
  const text = members === undefined ? UNKNOWN : toText(members);
  return {
    ...others,
    ...routingIn(others),
    rollout: isHidden(others.rollout) ? UNKNOWN : others.rollout,
    ...(number === undefined ? { numbers: text } : { number: first }),
    unapplied: partsIn(unapplied, number === undefined ? text : first),
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

function partsIn(value: unknown, numbers: string): UnappliedNumbers[] | undefined {
  if (isHidden(value)) {
    return [{ reason: "unknown", applied: HIDDEN_ROUTING as unknown as Routing, numbers }];
  }
  const parts = Array.isArray(value) ? value.filter(isObject) : [];
  return parts.length === 0
    ? undefined
    : parts.map((part) => ({
        numbers,
        ...(typeof part.numbers === "string" && { numbers: part.numbers }),
        ...unappliedIn(part),
      }));
}

function unappliedIn(part: Properties): Unapplied {
  const held = (routing: unknown) => (isObject(routing) ? { ...routing, ...routingIn(routing) } : HIDDEN_ROUTING);
  const { reason, applied } = part;
  const routings = maybeOf(part);
  return {
    reason: UNAPPLIED_REASONS.find((known) => known === reason) ?? "unknown",
    ...(applied !== undefined && { applied: held(applied) as Routing }),
    ...(routings !== undefined && { maybe: routings.map(held) as Routing[] }),
  };
}

/** One number as a single one, with what it has if it was not applied. */
export function numberOf(number: string, state: NumbersState): NumbersState {
  const { numbers: _, ...common } = state;
  const part = unappliedOf(state).get(number);
  return { ...common, number, unapplied: part && [{ ...part, numbers: number }] };
}
