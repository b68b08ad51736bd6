import {
  type GroupState,
  type NumberState,
  type NumbersState,
  UNAPPLIED_REASONS,
  type Unapplied,
  type UnappliedNumbers,
  unappliedOf,
} from "../../provider/core/change/state";
import { isObject } from "../../provider/core/common/equality";
import { UNKNOWN } from "../../provider/core/common/schemas";
import type { ResourceKind } from "../../provider/core/platform/kinds";
import { OVERRIDE_FIELDS } from "../../provider/core/routing/fields";
import { routingFor } from "../../provider/core/routing/group";
import { toText } from "../../provider/core/routing/numberList";
import type { Routing } from "../../provider/core/routing/routing";
import { isHidden, membersIn, type Properties, SECRET, splitIn } from "./values";

/**
 * Makes a state of the core from the values of a preview or of a saved state, in which all secrets are one text, and all unknown values
 * another.
 */

/** A routing that binds something which is not shown. */
const HIDDEN_ROUTING = { inboundAgents: SECRET };

export function stateIn(kind: ResourceKind, { number, numbers, unapplied, ...values }: Properties): NumbersState {
  const state = { ...values, ...routingIn(values), rollout: rolloutIn(values.rollout) };
  if (kind !== "NumberGroup") {
    const one = typeof number === "string" ? number : "";
    return { ...state, number: one, overrides: undefined, unapplied: unappliedIn(unapplied) } as unknown as NumberState;
  }
  const members = membersIn(numbers);
  const text = typeof members === "object" ? toText(members) : UNKNOWN;
  const overrides = isObject(values.overrides)
    ? Object.fromEntries(Object.entries(values.overrides).filter(([, own]) => isObject(own) || isHidden(own)))
    : undefined;
  return { ...state, numbers: text, overrides, unapplied: partsIn(unapplied, text) } as unknown as GroupState;
}

/** Hidden extra fields count as one field without a name. */
function routingIn({ inboundAgents, extraFields }: Properties): Properties {
  const isShown = extraFields === undefined || extraFields === null || isObject(extraFields);
  return {
    inboundAgents: splitIn(inboundAgents),
    extraFields: isShown ? (extraFields ?? undefined) : { "": extraFields },
  };
}

/** A hidden rollout counts as unknown. */
function rolloutIn(value: unknown): unknown {
  if (!isObject(value) && !isHidden(value)) {
    return undefined;
  }
  return isObject(value) && !Object.values(value).some(isHidden) ? value : UNKNOWN;
}

const partsIn = (value: unknown, numbers: string): UnappliedNumbers[] | undefined => {
  const parts = isHidden(value) ? [value] : value;
  if (!Array.isArray(parts) || parts.length === 0) {
    return undefined;
  }
  return parts.flatMap((part) => {
    const unapplied = unappliedIn(part);
    const own: unknown = isObject(part) ? part.numbers : undefined;
    return unapplied === undefined
      ? []
      : [{ ...unapplied, numbers: typeof own === "string" && !isHidden(own) ? own : numbers }];
  });
};

function unappliedIn(value: unknown): Unapplied | undefined {
  if (isHidden(value)) {
    return { reason: "unknown", applied: HIDDEN_ROUTING as unknown as Routing };
  }
  if (!isObject(value)) {
    return undefined;
  }
  const reason = UNAPPLIED_REASONS.find((known) => known === value.reason) ?? "unknown";
  const held = (routing: unknown) => (isObject(routing) ? { ...routing, ...routingIn(routing) } : HIDDEN_ROUTING);
  return {
    reason,
    ...(value.applied !== undefined && { applied: held(value.applied) as Routing }),
    ...(value.maybe !== undefined && { maybe: held(value.maybe) as Routing }),
  };
}

const isOwn = (name: string): boolean => (OVERRIDE_FIELDS as readonly string[]).includes(name);

/** One number of a group as a single assignment: with its override, and with what it has if it was not applied. */
export function numberOf(number: string, state: NumbersState): NumberState {
  if (!("numbers" in state)) {
    return state;
  }
  const { numbers, overrides, ...group } = state;
  const common = Object.fromEntries(Object.entries(group).filter(([name]) => !isOwn(name))) as typeof group;
  return { ...common, ...routingFor(number, state), number, unapplied: unappliedOf(state).get(number) };
}
