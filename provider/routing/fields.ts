import type * as z from "zod";
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
} from "../base/schemas";
import { parseUrl } from "../base/text";
import { compareSplit, inboundAgents } from "./inboundAgents";
import { isEmpty } from "./split";
import type { Weighted } from "./types";

const BY_EQUALITY = {
  empty: undefined,
  // The platform need not name the account, the workspace and a version, so null proves nothing.
  isSame: <T>(asked: T, returned: T | null): boolean => returned === null || same(asked, returned),
};

/**
 * A field of a number's routing (interface 4.1). From its row follow: the schema of the argument; the ways of clearing; the comparison with
 * the response; the outputs; the rows of the report, of show and of takeover; the reference's section. What cannot follow, the compiler
 * demands: the types of the arguments and outputs with their comments. Inbound agents, and an outbound agent that is cleared, are compared in
 * numbers/verify.ts.
 */
interface FieldRow {
  /** By the scope the platform finds the number. What is assigned has to be cleared if it is no longer declared. */
  readonly role: "scope" | "assigned" | "extra";
  readonly seen: Visibility;
  /** The agent that a version belongs to. */
  readonly versionOf?: "outboundAgentId";
  /** Its name in the report. */
  readonly label: string;
  /** Its name in `show`, and the column of takeover's table; a version is shown with its agent. */
  readonly column?: string;
  readonly schema: z.ZodType;
  /** How a request says that there is none, beside null; undefined if it has no such form. A version has none: it is cleared with its agent. */
  readonly empty: unknown;
  /** Does the response show what was asked? Null is a field that it shows as null. */
  readonly isSame?: (asked: never, returned: never) => boolean;
  /** Does the response still show what was to be cleared? `mayHave` is what the platform may have had. */
  readonly isStillReturned?: (returned: never, mayHave: never) => boolean;
}

const ROWS = {
  accountSid: {
    ...BY_EQUALITY,
    role: "scope",
    seen: "plain",
    label: "account",
    schema: plainText,
  },
  workspaceId: {
    ...BY_EQUALITY,
    role: "scope",
    seen: "public",
    label: "workspace",
    schema: integer,
  },
  outboundAgentId: {
    role: "assigned",
    seen: "public",
    label: "outbound agent",
    column: "outbound",
    schema: agentId,
    empty: "",
    // All calls have to be its calls, in whatever field the response says so (assumption 12).
    isSame: (asked: string, returned: readonly Weighted[] | null) => compareSplit({ [asked]: 1 }, returned) !== "other",
  },
  outboundAgentVersion: {
    ...BY_EQUALITY,
    role: "assigned",
    seen: "public",
    versionOf: "outboundAgentId",
    label: "outbound agent",
    schema: natural,
    isStillReturned: (returned: number, mayHave: number | undefined) => returned === mayHave,
  },
  inboundAgents: {
    role: "assigned",
    seen: "public",
    label: "split",
    column: "agents",
    schema: inboundAgents,
    empty: [],
    isStillReturned: (returned: readonly Weighted[]) => returned.length > 0,
  },
  inboundWebhookUrl: {
    role: "assigned",
    seen: "secret",
    label: "webhook",
    column: "webhook",
    schema: webhookUrl,
    empty: "",
    isSame(asked: string, returned: string | null) {
      const [one, other] = [asked, returned ?? ""].map((url) => parseUrl(url)?.href ?? url);
      return returned !== null && one === other;
    },
    isStillReturned: (returned: string) => returned !== "",
  },
  // A flag that is off counts as cleared.
  isTimeRoutingEnabled: {
    role: "assigned",
    seen: "public",
    label: "time routing",
    column: "time routing",
    schema: flag,
    empty: false,
    isSame: (asked: boolean, returned: boolean | null) => asked === (returned ?? false),
    isStillReturned: (returned: boolean, mayHave: boolean | undefined) => returned && mayHave === true,
  },
  extraFields: {
    role: "extra",
    seen: "plain",
    label: "extra fields",
    schema: jsonObject,
    empty: undefined,
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

/** What is assigned to a number, in canonical form. */
export type Routing = { readonly [Name in RoutingField]?: z.output<(typeof ROWS)[Name]["schema"]> | undefined };

const FIELD_NAMES = Object.keys(FIELDS) as RoutingField[];

const having = <Name extends RoutingField>(is: (row: FieldRow) => boolean): readonly Name[] =>
  FIELD_NAMES.filter((name) => is(FIELDS[name])) as Name[];

export const SCOPE = having<Scope>(({ role }) => role === "scope");

/** What is assigned to the number. Messages name the split first, because it decides who answers calls. */
export const ASSIGNED_FIELDS: readonly AssignedField[] = [
  "inboundAgents",
  ...having<AssignedField>(({ role }) => role === "assigned").filter((name) => name !== "inboundAgents"),
];

export type Column = Fields[FieldWith<"column", string>]["column"];

export const COLUMNS = ASSIGNED_FIELDS.flatMap((name) => FIELDS[name].column ?? []) as readonly Column[];

export const ROUTING_FIELDS: readonly RoutingField[] = [...SCOPE, ...ASSIGNED_FIELDS, "extraFields"];

export const NAMED_FIELDS = having<Exclude<RoutingField, "extraFields">>(({ role }) => role !== "extra");

export const isVersion = (name: RoutingField): boolean => FIELDS[name].versionOf !== undefined;

export const versionFieldOf = (agent: RoutingField): RoutingField | undefined =>
  FIELD_NAMES.find((name) => FIELDS[name].versionOf === agent);

/** Does the routing declare that there is none of the field? `inboundAgents: []` says that the number has no agents. */
export const isEmptied = ({ inboundAgents: split }: Routing, name: AssignedField): boolean =>
  name === "inboundAgents" && split !== undefined && isEmpty(split);

const argumentOf = (name: RoutingField, schema: z.ZodType<unknown>) => seenAs(FIELDS[name].seen, optional(schema));

/** The arguments, as the program writes them: in the order of the table, so that mistakes are told in it. */
export const routingShape = {
  ...Object.fromEntries(NAMED_FIELDS.map((name) => [name, argumentOf(name, FIELDS[name].schema)])),
  extraFields: argumentOf(
    "extraFields",
    noneMissing.pipe(jsonObject).superRefine((values, context) => {
      for (const key of Object.keys(values).filter((name) => Object.hasOwn(FIELDS, name))) {
        context.addIssue({ code: "custom", path: [key], message: "has an argument of its own: use that one" });
      }
    }),
  ),
} as { readonly [Name in RoutingField]: z.ZodType<Routing[Name]> };
