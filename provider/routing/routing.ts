import { defined, pick, same } from "../base/json";
import { ASSIGNED_FIELDS, type AssignedField, isEmptied, ROUTING_FIELDS, type Routing } from "./fields";

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

/** The fields that the request clears: those that the platform may have and `routing` does not set, and those that it declares to be empty. */
export function toClear({ routing, mayHave }: Pick<Assignment, "routing" | "mayHave">): Cleared {
  const { fields, extraFields } = clearedFrom(mayHave, routing);
  return {
    fields: ASSIGNED_FIELDS.filter((field) => fields.includes(field) || isEmptied(routing, field)),
    extraFields,
  };
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

/** What one PUT is to do with a number. */
export interface Assignment {
  readonly number: string;
  readonly routing: Routing;
  /** The request clears what this sets and `routing` does not: all that the platform may have, or for a number that moved a part of it. */
  readonly mayHave: Routing;
}

/** How all fields are cleared, if the setting says so. The interface does not specify a way (4.1). */
export const CLEAR_MODES = ["null", "empty", "omit"] as const;
export type ClearMode = (typeof CLEAR_MODES)[number];
