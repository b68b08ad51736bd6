import { defined, same } from "../base/json";
import {
  ASSIGNED_FIELDS,
  type AssignedField,
  emptyOf,
  isEmptied,
  type NAMED_FIELDS,
  pick,
  ROUTING_FIELDS,
  type Routing,
} from "./fields";
import { toAgents } from "./split";
import type { Weighted } from "./types";

export const routingOf = (inputs: Routing): Routing => defined(pick(inputs, ROUTING_FIELDS));

export const sameRouting = (a: Routing, b: Routing): boolean => same(routingOf(a), routingOf(b));

/** Fields to clear at the platform: those of the routing, and those of `extraFields`. */
export interface Cleared {
  readonly fields: AssignedField[];
  readonly extraFields: string[];
}

/** Fields that are no longer declared: they are cleared explicitly. A field that was never declared is never sent. */
export function clearedFrom(before: Routing, after: Routing): Cleared {
  return {
    fields: ASSIGNED_FIELDS.filter((field) => isSet(before, field) && !isSet(after, field)),
    extraFields: Object.keys(before.extraFields ?? {}).filter((key) => !Object.hasOwn(after.extraFields ?? {}, key)),
  };
}

export const isNothingCleared = ({ fields, extraFields }: Cleared): boolean => fields.length + extraFields.length === 0;

/** What is cleared if another resource goes on with a number: what only the old resource set, but never the agents. */
export function clearedByMove({ inboundAgents: _, ...before }: Routing, after: Routing): Cleared {
  return clearedFrom(before, after);
}

export const setFields = (routing: Routing): string[] => [
  ...ASSIGNED_FIELDS.filter((field) => isSet(routing, field)),
  ...Object.keys(routing.extraFields ?? {}).map((field) => `extraFields.${field}`),
];

const isSet = (routing: Routing, field: AssignedField): boolean =>
  routing[field] !== undefined && !isEmptied(routing, field);

/** The fields that a request for `after` clears: those that only `before` sets, and those that `after` declares to be empty. */
export function toClear(before: Routing, after: Routing): Cleared {
  const { fields, extraFields } = clearedFrom(before, after);
  return { fields: ASSIGNED_FIELDS.filter((field) => fields.includes(field) || isEmptied(after, field)), extraFields };
}

/** Every field of both. The platform may have any of them, so each may have to be cleared. */
export const unionOf = (former: Routing, now: Routing): Routing =>
  defined({
    ...former,
    ...now,
    ...defined(
      pick(
        former,
        ASSIGNED_FIELDS.filter((field) => !isSet(now, field)),
      ),
    ),
    extraFields: (former.extraFields ?? now.extraFields) && { ...former.extraFields, ...now.extraFields },
  });

export interface Task {
  readonly number: string;
  readonly routing: Routing;
  /** The request clears what this sets and `routing` does not: all that the platform may have, or for a number that moved a part of it. */
  readonly mayClear: Routing;
}

type Single = Exclude<(typeof NAMED_FIELDS)[number], "inboundAgents">;

/** The body of a PUT before it gets its wire names: `null` and "" are the ways to say "none". */
export type AssignmentFields = { readonly [Name in Single]?: Routing[Name] | null } & {
  readonly inboundAgents?: readonly Weighted[] | null | undefined;
  /** Wire fields that the interface does not declare, sent as they are. */
  readonly extraFields?: Routing["extraFields"];
};

/** How all fields are cleared, if the setting says so. The interface does not specify a way (4.1). */
export const CLEAR_MODES = ["null", "empty", "omit"] as const;

export type ClearMode = (typeof CLEAR_MODES)[number];

/**
 * The PUT that assigns the routing and clears fields. It has only fields that are declared or were declared.
 * @param mode without it, each field gets its natural form: a list becomes empty, and anything else null
 */
export function toBody(routing: Routing, cleared: Cleared, mode?: ClearMode): AssignmentFields {
  const emptied: readonly string[] = ASSIGNED_FIELDS.filter((field) => isEmptied(routing, field));
  const filled = Object.entries(routing).filter(([field]) => !emptied.includes(field));
  const { inboundAgents, extraFields, ...rest }: Routing = Object.fromEntries(filled);
  return {
    ...rest,
    ...(inboundAgents && { inboundAgents: toAgents(inboundAgents) }),
    ...clearedFields(cleared.fields, mode),
    ...extras(extraFields, cleared.extraFields, mode),
  };
}

function clearedFields(fields: readonly AssignedField[], mode?: ClearMode): AssignmentFields {
  const isEmpty = (field: AssignedField) => mode === "empty" || (mode === undefined && Array.isArray(emptyOf(field)));
  const values = fields.map((field) => [field, isEmpty(field) ? emptyOf(field) : null] as const);
  return mode === "omit" ? {} : Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function extras(declared: Routing["extraFields"], keys: readonly string[], mode?: ClearMode): AssignmentFields {
  const cleared = mode === "omit" ? {} : Object.fromEntries(keys.map((key) => [key, null]));
  const fields = { ...cleared, ...declared };
  return Object.keys(fields).length === 0 ? {} : { extraFields: fields };
}
