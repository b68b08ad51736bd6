/**
 * Fields of a PUT that a number simply keeps (section 4.1), and how responses show them (sections 2.2 and 2.3). The provider has a table
 * of its own: this one is made from the interface alone, so that each is a witness against the other.
 */

interface PlainField {
  readonly isRight: (value: unknown) => boolean;
  /** Its name in a response. */
  readonly wire: string;
  /** Does the assignment object have it, beside the record? */
  readonly isInAssignment: boolean;
  /** What a response shows if the field has no value. */
  readonly unset: unknown;
}

const isText = (value: unknown): value is string => typeof value === "string";
const isFlag = (value: unknown): value is boolean => typeof value === "boolean";

export const PLAIN_FIELDS = {
  inboundWebhookUrl: { isRight: isText, wire: "inbound_webhook_url", isInAssignment: false, unset: undefined },
  isTimeRoutingEnabled: { isRight: isFlag, wire: "is_time_routing_enabled", isInAssignment: true, unset: false },
} satisfies Record<string, PlainField>;

type Name = keyof typeof PLAIN_FIELDS;
type Guarded<Test> = Test extends (value: unknown) => value is infer Value ? Value : never;

/** The values of the fields; undefined = none. */
export type PlainRouting = { readonly [Field in Name]: Guarded<(typeof PLAIN_FIELDS)[Field]["isRight"]> | undefined };

const NAMES = Object.keys(PLAIN_FIELDS) as Name[];

/** A value for each of the fields. */
export const forEachPlain = (read: (field: Name) => unknown): PlainRouting =>
  Object.fromEntries(NAMES.map((field) => [field, read(field)])) as PlainRouting;

/** What a part of a response shows of them. */
export function plainMirror(routing: PlainRouting, part: "record" | "assignment"): Record<string, unknown> {
  const shown = NAMES.filter((field) => part === "record" || PLAIN_FIELDS[field].isInAssignment);
  return Object.fromEntries(
    shown.map((field) => [PLAIN_FIELDS[field].wire, routing[field] ?? PLAIN_FIELDS[field].unset]),
  );
}
