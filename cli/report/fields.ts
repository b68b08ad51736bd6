import { BINDINGS } from "../../provider/core/routing";
import { same } from "../../provider/core/same";
import type { FieldRow } from "./model";
import type { Side } from "./sides";
import { splitText } from "./splits";
import { id, plain, say, type Text } from "./text";
import { isHidden, isMap, type Properties, shown, splitIn } from "./values";

/** The fields beside the split: what changes, what is sent again, and what is not declared. */

interface Field {
  readonly name: string;
  /** Is it sent to the platform, or only recorded? */
  readonly isSent: boolean;
  readonly keys: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: "outbound agent", isSent: true, keys: ["outboundAgentId", "outboundAgentVersion"] },
  { name: "webhook", isSent: true, keys: ["inboundWebhookUrl"] },
  { name: "time routing", isSent: true, keys: ["isTimeRoutingEnabled"] },
  { name: "account", isSent: true, keys: ["accountSid"] },
  { name: "workspace", isSent: true, keys: ["workspaceId"] },
  { name: "extra fields", isSent: true, keys: ["extraFields"] },
  { name: "guard weightTotal", isSent: false, keys: ["weightTotal"] },
  { name: "guard maxShift", isSent: false, keys: ["maxShift"] },
  { name: "maxFailures", isSent: false, keys: ["maxFailures"] },
  { name: "when deleted", isSent: false, keys: ["onDelete"] },
];

const values = ({ values: all }: Side, { keys }: Field): Properties =>
  Object.fromEntries(keys.map((key) => [key, all[key]]));

export interface FieldChange extends FieldRow {
  readonly isSent: boolean;
}

export function fieldChanges(before: Side, after: Side): FieldChange[] {
  return FIELDS.filter((field) => !same(values(before, field), values(after, field))).map((field) => {
    const row = { field: field.name, before: fieldText(before, field), after: fieldText(after, field) };
    const isSeen = plain(row.before) !== plain(row.after);
    return {
      ...row,
      isSent: field.isSent,
      after: isSeen ? row.after : say`${row.after} (differs in what is not shown)`,
    };
  });
}

/** What is declared, for a number that is new. */
export function declaredFields(side: Side): FieldRow[] {
  return FIELDS.filter((field) => isDeclared(side, field)).map((field) => ({
    field: field.name,
    before: [],
    after: fieldText(side, field),
  }));
}

const isDeclared = (side: Side, { keys }: Field): boolean => {
  const value = side.values[keys[0] ?? ""];
  return value !== undefined && value !== null;
};

function fieldText({ values: all }: Side, { keys: [key = "", version = ""], name }: Field): Text {
  const value = all[key];
  if (name === "time routing" && typeof value === "boolean") return [value ? "on" : "off"];
  if (name === "when deleted") return onDeleteText(value);
  const number = all[version];
  if (number === undefined || typeof value !== "string" || isHidden(value)) return shown(value);
  return isHidden(number) ? say`${shown(value)} (version ${shown(number)})` : [id(`${value}@${plain(shown(number))}`)];
}

const onDeleteText = (value: unknown): Text =>
  value === undefined || value === "clear"
    ? ["cleared"]
    : isHidden(value)
      ? shown(value)
      : say`falls back to ${fallbackText(value)}`;

function fallbackText(value: unknown): Text {
  const split = splitIn(isMap(value) ? value.inboundAgents : undefined);
  return split === undefined ? say`another routing (${shown(value)})` : splitText(split);
}

/** What a PUT sends beside what changes: a reader must not take what is not mentioned for what is not touched. */
export function sentAgain(members: readonly Side[], changed: readonly FieldChange[]): Text[] {
  const names = FIELDS.filter(
    (field) =>
      field.isSent &&
      BINDINGS.some((binding) => field.keys.includes(binding)) &&
      members.some((side) => isDeclared(side, field)) &&
      !changed.some((change) => change.field === field.name),
  ).map(({ name }) => name);
  return names.length === 0
    ? []
    : [[`Unchanged: ${names.join(", ")}; ${names.length === 1 ? "it is" : "they are"} sent again with each PUT.`]];
}

/** The fields that a number may hold today and that nobody declares. */
export function undeclared(side: Side): Text[] {
  const names = BINDINGS.filter(
    (field) => field !== "outboundAgentVersion" && (side.values[field] === undefined || side.values[field] === null),
  );
  return names.length === 0
    ? []
    : [[`Not declared, so kept or cleared, the platform does not say: ${names.join(", ")}.`]];
}
