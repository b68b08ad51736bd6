import type * as z from "zod";
import { noneMissing, optionalArgument, type Visibility, wholeOrUnknown } from "../base/arguments";
import type { Previewed, Unknown } from "../base/engine";
import { defined, pick, same } from "../base/json";
import { agentId, flag, integer, jsonObject, natural, plainText, webhookUrl } from "../base/schemas";
import { inboundAgents } from "./inboundAgents";
import { isEmpty } from "./split";

/**
 * A row of `ROWS`, the table of a number's routing fields (docs/interface.md, section 4.1). Another table, in
 * numbers/verify.ts, says how to compare the fields with a response.
 */
export interface FieldRow {
  /**
   * - `scope`: the field says which number is meant.
   * - `assigned`: the field is cleared on the platform once the program no longer declares it.
   * - `extra`: the field is a map, whose keys are cleared one by one in the same way.
   */
  readonly role: "scope" | "assigned" | "extra";
  readonly visibility: Visibility;
  /** The name of the field that holds the agent's ID, if this field holds an agent's version. */
  readonly versionOf?: "outboundAgentId";
  /** The field's name in the report. */
  readonly label: string;
  /**
   * The field's column in the table that `takeover` reads, and its name in the output of `show`. A version has no
   * column, because it is written with its agent.
   */
  readonly column?: string;
  readonly schema: z.ZodType;
  /**
   * A value that clears the field in a request, as an alternative to null. Undefined if there is no such value; a
   * version, for example, is cleared together with its agent.
   */
  readonly empty: unknown;
}

const ROWS = {
  accountSid: {
    role: "scope",
    visibility: "plain",
    label: "account",
    schema: plainText,
    empty: undefined,
  },
  workspaceId: {
    role: "scope",
    visibility: "public",
    label: "workspace",
    schema: integer,
    empty: undefined,
  },
  outboundAgentId: {
    role: "assigned",
    visibility: "public",
    label: "outbound agent",
    column: "outbound",
    schema: agentId,
    empty: "",
  },
  outboundAgentVersion: {
    role: "assigned",
    visibility: "public",
    versionOf: "outboundAgentId",
    label: "outbound agent",
    schema: natural,
    empty: undefined,
  },
  inboundAgents: {
    role: "assigned",
    visibility: "public",
    label: "split",
    column: "agents",
    schema: inboundAgents,
    empty: [],
  },
  inboundWebhookUrl: {
    role: "assigned",
    visibility: "secret",
    label: "webhook",
    column: "webhook",
    schema: webhookUrl,
    empty: "",
  },
  isTimeRoutingEnabled: {
    role: "assigned",
    visibility: "public",
    label: "time routing",
    column: "time routing",
    schema: flag,
    empty: false,
  },
  extraFields: {
    role: "extra",
    visibility: "plain",
    label: "extra fields",
    schema: jsonObject,
    empty: undefined,
  },
} as const satisfies Readonly<Record<string, FieldRow>>;

export const FIELDS: { readonly [Name in keyof typeof ROWS]: (typeof ROWS)[Name] & FieldRow } = ROWS;

type Fields = typeof FIELDS;

export type RoutingField = keyof Fields;

/**
 * The names of the fields with this value in this column of the table. For example, `accountSid` and `workspaceId` have
 * the role `scope`.
 */
type FieldWith<Column extends keyof FieldRow, Value> = {
  [Name in RoutingField]: Fields[Name][Column] extends Value ? Name : never;
}[RoutingField];

export type Scope = FieldWith<"role", "scope">;

export type AssignedField = FieldWith<"role", "assigned">;

/** A number's routing, with each value in the form that its schema returns. For example, a split is always a map. */
export type Routing = {
  readonly [Name in RoutingField]?: z.output<(typeof ROWS)[Name]["schema"]> | undefined;
};

const FIELD_NAMES = Object.keys(FIELDS) as RoutingField[];

const fieldsWith = <Name extends RoutingField>(matches: (row: FieldRow) => boolean): readonly Name[] =>
  FIELD_NAMES.filter((name) => matches(FIELDS[name])) as Name[];

export const SCOPE = fieldsWith<Scope>(({ role }) => role === "scope");

/**
 * The fields with the role `assigned`, in the order in which messages list them. The split comes first, because it
 * decides who answers calls.
 */
export const ASSIGNED_FIELDS: readonly AssignedField[] = [
  "inboundAgents",
  ...fieldsWith<AssignedField>(({ role }) => role === "assigned").filter((name) => name !== "inboundAgents"),
];

export type Column = Fields[FieldWith<"column", string>]["column"];

export const COLUMNS = ASSIGNED_FIELDS.flatMap((name) => FIELDS[name].column ?? []) as readonly Column[];

export const ROUTING_FIELDS: readonly RoutingField[] = [...SCOPE, ...ASSIGNED_FIELDS, "extraFields"];

export const NAMED_FIELDS = fieldsWith<Exclude<RoutingField, "extraFields">>(({ role }) => role !== "extra");

/** The fields whose values may be shown in messages, even where a message quotes the platform. */
export const PUBLIC_FIELDS: readonly string[] = fieldsWith(({ visibility }) => visibility === "public");

export const isVersion = (name: RoutingField): boolean => FIELDS[name].versionOf !== undefined;

export const versionFieldOf = (agent: RoutingField): RoutingField | undefined =>
  FIELD_NAMES.find((name) => FIELDS[name].versionOf === agent);

/**
 * Whether the routing declares that the field is empty. Only `inboundAgents` can be declared empty: an empty list means
 * that the number has no agents.
 */
export const isEmptied = ({ inboundAgents: split }: Routing, name: AssignedField): boolean =>
  name === "inboundAgents" && split !== undefined && isEmpty(split);

const argumentOf = (name: RoutingField, schema: z.ZodType<unknown>) =>
  optionalArgument(FIELDS[name].visibility, schema);

/**
 * The schemas of the routing arguments. They are in the order of the table above, because messages report invalid
 * arguments in the order of the schemas.
 */
export const routingShape = {
  ...Object.fromEntries(NAMED_FIELDS.map((name) => [name, argumentOf(name, FIELDS[name].schema)])),
  inboundAgents: optionalArgument(FIELDS.inboundAgents.visibility, wholeOrUnknown(inboundAgents)),
  extraFields: argumentOf(
    "extraFields",
    noneMissing.pipe(jsonObject).superRefine((values, context) => {
      for (const key of Object.keys(values).filter((name) => Object.hasOwn(FIELDS, name))) {
        context.addIssue({
          code: "custom",
          path: [key],
          message: "must not be set here: set the argument of that name instead",
        });
      }
    }),
  ),
} as { readonly [Name in RoutingField]: z.ZodType<Routing[Name] | Unknown> };

// --- comparing, clearing and merging routings

export function routingOf(inputs: Routing): Routing;
export function routingOf(inputs: Previewed<Routing>): Previewed<Routing>;
export function routingOf(inputs: Previewed<Routing>): Previewed<Routing> {
  return defined(pick(inputs, ROUTING_FIELDS));
}

export const sameRouting = (a: Previewed<Routing>, b: Previewed<Routing>): boolean => same(routingOf(a), routingOf(b));

/**
 * The names of the fields that a request clears on the platform: fields of the routing, and entries of `extraFields`.
 */
interface Cleared {
  readonly fields: AssignedField[];
  readonly extraFields: string[];
}

/**
 * Returns the fields that are no longer declared. A request must clear them explicitly, because a platform may keep a
 * field that the request leaves out.
 */
export function clearedFrom(before: Routing, after: Routing): Cleared {
  return {
    fields: ASSIGNED_FIELDS.filter((field) => isSet(before, field) && !isSet(after, field)),
    extraFields: Object.keys(before.extraFields ?? {}).filter((key) => !Object.hasOwn(after.extraFields ?? {}, key)),
  };
}

export const isNothingCleared = ({ fields, extraFields }: Cleared): boolean => fields.length + extraFields.length === 0;

/**
 * Returns the fields to clear when a number moves to another resource. Inbound agents aren't included, because the new
 * resource always declares them.
 */
export function clearedByMove({ inboundAgents: _, ...before }: Routing, after: Routing): Cleared {
  return clearedFrom(before, after);
}

export const setFields = (routing: Routing): string[] => [
  ...ASSIGNED_FIELDS.filter((field) => isSet(routing, field)),
  ...Object.keys(routing.extraFields ?? {}).map((field) => `extraFields.${field}`),
];

const isSet = (routing: Routing, field: AssignedField): boolean =>
  routing[field] !== undefined && !isEmptied(routing, field);

/**
 * Returns the fields that a request clears: those that `routing` declares as empty, and those that may be set on the
 * platform (`mayHave`) but are missing from `routing`.
 */
export function toClear({ routing, mayHave }: Pick<Assignment, "routing" | "mayHave">): Cleared {
  const cleared = mayHave.map((before) => clearedFrom(before, routing));
  const fields = cleared.flatMap((one) => one.fields);
  return {
    fields: ASSIGNED_FIELDS.filter((field) => fields.includes(field) || isEmptied(routing, field)),
    extraFields: [...new Set(cleared.flatMap(({ extraFields }) => extraFields))],
  };
}

/** What one PUT sends for a number: its routing, and the fields to clear. */
export interface Assignment {
  readonly number: string;
  readonly routing: Routing;
  /**
   * The routings that the number may have before the request. The request clears every field that is set in one of
   * these routings but not in `routing`.
   */
  readonly mayHave: readonly Routing[];
}

/**
 * The values of the `clearWith` setting, which says how a request clears a field. The platform's interface does not
 * specify how (docs/interface.md, section 4.1).
 */
export const CLEAR_MODES = ["null", "empty", "omit"] as const;
export type ClearMode = (typeof CLEAR_MODES)[number];
