import * as z from "zod";
import { same } from "../base/json";
import {
  agentId,
  flag,
  integer,
  jsonObject,
  natural,
  noneMissing,
  optional,
  plainText,
  seenAs,
  type Visibility,
  webhookUrl,
  wire,
} from "../base/schemas";
import { compareSplit, inboundAgents, weightEntries } from "./inboundAgents";
import type { Split } from "./split";

import type { Weighted } from "./types";

/** A type of value that a field of the routing holds. */
interface ValueRow<Value, Returned, Schema extends z.ZodType> {
  readonly schema: z.ZodType<Value>;
  /** The value as a response has it. The interface does not specify which fields are always present (2.4), so it may be absent or null. */
  readonly wire: Schema;
  /** How a request says that there is none, beside null; undefined if it has no such form. */
  readonly empty: unknown;
  readonly isNone: (value: Value) => boolean;
  /** Does the response show what was asked? Null is a field that it shows as null. */
  readonly isSame: (asked: Value, returned: Returned | null) => boolean;
  /** Does the response still show what was to be cleared? `mayHave` is what the platform may have had. */
  readonly isStillReturned: (returned: Returned, mayHave: Value | undefined) => boolean;
}

const row = <Value, Returned, Schema extends z.ZodType>(row: ValueRow<Value, Returned, Schema>) => row;

export const wireText = wire(z.string());

export const wireInteger = wire(z.int());

export const wireFlag = wire(z.boolean());

const BY_EQUALITY = {
  isNone: (value: unknown): boolean => typeof value === "object" && value !== null && Object.keys(value).length === 0,
  // The platform need not name the account, the workspace and a version, so null proves nothing.
  isSame: <T>(asked: T, returned: T | null): boolean => returned === null || same(asked, returned),
  isStillReturned: <T>(returned: T, mayHave: T | undefined): boolean => same(returned, mayHave),
};

/** One row for each type of value. A version has no empty form: it is cleared with its agent. */
export const VALUES = {
  text: row({ ...BY_EQUALITY, schema: plainText, wire: wireText, empty: "" }),
  integer: row({ ...BY_EQUALITY, schema: integer, wire: wireInteger, empty: undefined }),
  agent: row({
    ...BY_EQUALITY,
    schema: agentId,
    wire: wireText,
    empty: "",
    // All calls have to be its calls, in whatever field the response says so (assumption 12).
    isSame: (asked: string, returned: readonly Weighted[] | null) => compareSplit({ [asked]: 1 }, returned) !== "other",
    // Only the agent that was there before counts as not cleared: another one may be the platform's own default (assumption 38).
    isStillReturned: (returned: readonly Weighted[], mayHave) => returned.some(({ agentId: one }) => one === mayHave),
  }),
  version: row({
    ...BY_EQUALITY,
    schema: natural,
    wire: wireInteger,
    empty: undefined,
  }),
  split: row({
    ...BY_EQUALITY,
    schema: inboundAgents,
    wire: weightEntries,
    empty: [],
    isSame: (asked: Split, returned: readonly Weighted[] | null) => compareSplit(asked, returned) !== "other",
    isStillReturned: (returned: readonly Weighted[]) => returned.length > 0,
  }),
  url: row({
    ...BY_EQUALITY,
    schema: webhookUrl,
    wire: wireText,
    empty: "",
    isSame(asked: string, returned: string | null) {
      const [one, other] = [asked, returned ?? ""].map((url) => (URL.canParse(url) ? new URL(url).href : url));
      return returned !== null && one === other;
    },
    isStillReturned: (returned: string) => returned !== "",
  }),
  // A flag that is off counts as cleared.
  flag: row({
    ...BY_EQUALITY,
    schema: flag,
    wire: wireFlag,
    empty: false,
    isSame: (asked: boolean, returned: boolean | null) => asked === (returned ?? false),
    isStillReturned: (returned: boolean, mayHave) => returned && mayHave === true,
  }),
  json: row({ ...BY_EQUALITY, schema: jsonObject, wire: z.never(), empty: undefined }),
} as const;

export type ValueType = keyof typeof VALUES;

export type ValueOf<Name extends ValueType> = z.output<(typeof VALUES)[Name]["schema"]>;

/**
 * The fields of a number's routing (interface 4.1), one row each. From the row, and from the row of its type in VALUES, follow: the
 * schema of the argument; the request, and what a response may have; the ways of clearing; the comparison with the response; the outputs;
 * the rows of the report, of show and of takeover; the reference's section. What cannot follow, the compiler demands: the types of the
 * arguments and outputs with their comments.
 */

interface FieldRow {
  /** By the scope the platform finds the number. What is assigned has to be cleared if it is no longer declared. */
  readonly role: "scope" | "assigned" | "extra";
  readonly value: ValueType;
  readonly seen: Visibility;
  /** The agent that a version belongs to. */
  readonly versionOf?: "outboundAgentId";
  /** Its name in the report. */
  readonly label: string;
  /** Its name in `show`, and the column of takeover's table; a version is shown with its agent. */
  readonly column?: string;
}

const ROWS = {
  accountSid: {
    role: "scope",
    value: "text",
    seen: "plain",
    label: "account",
  },
  workspaceId: {
    role: "scope",
    value: "integer",
    seen: "public",
    label: "workspace",
  },
  outboundAgentId: {
    role: "assigned",
    value: "agent",
    seen: "public",
    label: "outbound agent",
    column: "outbound",
  },
  outboundAgentVersion: {
    role: "assigned",
    value: "version",
    seen: "public",
    versionOf: "outboundAgentId",
    label: "outbound agent",
  },
  inboundAgents: {
    role: "assigned",
    value: "split",
    seen: "public",
    label: "split",
    column: "agents",
  },
  inboundWebhookUrl: {
    role: "assigned",
    value: "url",
    seen: "secret",
    label: "webhook",
    column: "webhook",
  },
  isTimeRoutingEnabled: {
    role: "assigned",
    value: "flag",
    seen: "public",
    label: "time routing",
    column: "time routing",
  },
  extraFields: {
    role: "extra",
    value: "json",
    seen: "plain",
    label: "extra fields",
  },
} as const satisfies Readonly<Record<string, FieldRow>>;

export const FIELDS: { readonly [Name in keyof typeof ROWS]: (typeof ROWS)[Name] & FieldRow } = ROWS;

type Fields = typeof FIELDS;

export type RoutingField = keyof Fields;

/** The fields that have this value in this column of the table. */
type FieldWith<Column extends keyof FieldRow, Value> = {
  [Name in RoutingField]: Fields[Name][Column] extends Value ? Name : never;
}[RoutingField];

export type Scope = FieldWith<"role", "scope">;

export type AssignedField = FieldWith<"role", "assigned">;

export type ValueTypeOf<Name extends RoutingField> = Fields[Name]["value"];

/** Its name in a response. */
export type WireOf<Name> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}${WireOf<Rest>}`
  : Name;

export const wireOf = (name: RoutingField): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What is assigned to a number, in canonical form. */
export type Routing = { readonly [Name in RoutingField]?: ValueOf<ValueTypeOf<Name>> | undefined };

const FIELD_NAMES = Object.keys(FIELDS) as RoutingField[];

const having = <Name extends RoutingField>(is: (row: FieldRow) => boolean): readonly Name[] =>
  FIELD_NAMES.filter((name) => is(FIELDS[name])) as Name[];

export const SCOPE = having<Scope>(({ role }) => role === "scope");

/** What is assigned to the number. Messages name the split first, because it decides who answers calls. */
export const ASSIGNED_FIELDS: readonly AssignedField[] = [
  ...having<AssignedField>(({ role, value }) => role === "assigned" && value === "split"),
  ...having<AssignedField>(({ role, value }) => role === "assigned" && value !== "split"),
];

export type Column = Fields[FieldWith<"column", string>]["column"];

export const COLUMNS = ASSIGNED_FIELDS.flatMap((name) => FIELDS[name].column ?? []) as readonly Column[];

export const ROUTING_FIELDS: readonly RoutingField[] = [...SCOPE, ...ASSIGNED_FIELDS, "extraFields"];

export const NAMED_FIELDS = having<Exclude<RoutingField, "extraFields">>(({ role }) => role !== "extra");

export const isVersion = (name: RoutingField): boolean => FIELDS[name].versionOf !== undefined;

export const versionFieldOf = (agent: RoutingField): RoutingField | undefined =>
  FIELD_NAMES.find((name) => FIELDS[name].versionOf === agent);

const valueTypeOf = (name: RoutingField): { readonly empty: unknown; readonly isNone: (value: never) => boolean } =>
  VALUES[FIELDS[name].value];

export const emptyOf = (name: AssignedField): unknown => valueTypeOf(name).empty;

/** Does the routing declare that there is none of the field? `inboundAgents: []` says that the number has no agents. */
export const isEmptied = (routing: Routing, name: AssignedField): boolean =>
  routing[name] !== undefined && valueTypeOf(name).isNone(routing[name] as never);

const argumentOf = (name: RoutingField, schema: z.ZodType<unknown>) => seenAs(FIELDS[name].seen, optional(schema));

/** The arguments, as the program writes them: in the order of the table, so that mistakes are told in it. */
export const routingShape = {
  ...Object.fromEntries(NAMED_FIELDS.map((name) => [name, argumentOf(name, VALUES[FIELDS[name].value].schema)])),
  extraFields: argumentOf(
    "extraFields",
    noneMissing.pipe(VALUES.json.schema).superRefine((values, context) => {
      for (const key of Object.keys(values).filter((name) => Object.hasOwn(FIELDS, name))) {
        context.addIssue({ code: "custom", path: [key], message: "has an argument of its own: use that one" });
      }
    }),
  ),
} as { readonly [Name in RoutingField]: z.ZodType<Routing[Name]> };
