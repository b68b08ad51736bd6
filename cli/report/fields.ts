import { same } from "../../provider/core/equality";
import { type GroupInputs, type Override, routingFor } from "../../provider/core/group";
import { BINDINGS } from "../../provider/core/routing";
import { isHidden, isMap, isMasked, type Properties, splitIn } from "../pulumi/values";
import { type FieldRow, numberText } from "./model";
import { areNumbersKnown, labelsOf, type Snapshot } from "./snapshot";
import { splitText } from "./splits";
import { id, joined, plain, say, shown, type Text } from "./text";

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

const values = ({ values: all }: Snapshot, { keys }: Field): Properties =>
  Object.fromEntries(keys.map((key) => [key, all[key]]));

export interface FieldChange extends FieldRow {
  readonly isSent: boolean;
}

export function fieldChanges(before: Snapshot, after: Snapshot): FieldChange[] {
  return FIELDS.filter((field) => !same(values(before, field), values(after, field))).map((field) => {
    const row = { field: field.name, before: fieldText(before, field), after: fieldText(after, field) };
    const isSeen = plain(row.before) !== plain(row.after);
    return {
      ...row,
      isSent: field.isSent,
      after: isSeen ? row.after : say`${row.after} (differs in a hidden part)`,
    };
  });
}

/** What is declared, for a number that is new. */
export function declaredFields(snapshot: Snapshot): FieldRow[] {
  return FIELDS.filter((field) => isDeclared(snapshot, field)).map((field) => ({
    field: field.name,
    before: [],
    after: fieldText(snapshot, field),
  }));
}

const isDeclared = (snapshot: Snapshot, { keys }: Field): boolean => {
  const value = snapshot.values[keys[0] ?? ""];
  return value !== undefined && value !== null;
};

function fieldText({ values: all }: Snapshot, { keys: [key = "", version = ""], name }: Field): Text {
  const value = all[key];
  if (name === "time routing" && typeof value === "boolean") {
    return [value ? "on" : "off"];
  }
  if (name === "when deleted") {
    return onDeleteText(value);
  }
  const number = all[version];
  if (number === undefined || typeof value !== "string" || isHidden(value)) {
    return shown(value);
  }
  return isHidden(number) ? say`${shown(value)} (version ${shown(number)})` : [id(`${value}@${plain(shown(number))}`)];
}

function onDeleteText(value: unknown): Text {
  if (value === undefined || value === "clear") {
    return ["cleared"];
  }
  return isHidden(value) ? shown(value) : say`switches to ${fallbackText(value)}`;
}

function fallbackText(value: unknown): Text {
  const split = splitIn(isMap(value) ? value.inboundAgents : undefined);
  return split === undefined ? say`another routing (${shown(value)})` : splitText(split);
}

/** What a PUT sends beside what changes: a reader must not take what is not mentioned for what is not touched. */
export function sentAgain(members: readonly Snapshot[], changed: readonly FieldChange[]): Text[] {
  const names = FIELDS.filter(
    (field) =>
      field.isSent &&
      BINDINGS.some((binding) => field.keys.includes(binding)) &&
      members.some((snapshot) => isDeclared(snapshot, field)) &&
      !changed.some((change) => change.field === field.name),
  ).map(({ name }) => name);
  return names.length === 0
    ? []
    : [[`Unchanged: ${names.join(", ")}; ${names.length === 1 ? "it is" : "they are"} sent again with each PUT.`]];
}

/** The fields that a number may hold today and that nobody declares. */
export function undeclared(snapshot: Snapshot): Text[] {
  const names = BINDINGS.filter(
    (field) =>
      field !== "outboundAgentVersion" && (snapshot.values[field] === undefined || snapshot.values[field] === null),
  );
  return names.length === 0
    ? []
    : [[`Not declared: ${names.join(", ")}. The API does not specify whether a PUT keeps or clears them.`]];
}

/** What differs for single numbers of a group. */

const OVERRIDE_FIELDS: readonly (keyof Override)[] = ["outboundAgentId", "outboundAgentVersion", "inboundWebhookUrl"];
const MOST = 10;

const entriesOf = ({ values: { overrides } }: Snapshot): Properties => (isMap(overrides) ? overrides : {});

const isIn = (number: string, snapshot: Snapshot): boolean =>
  !areNumbersKnown(snapshot) || labelsOf(snapshot).has(number);

/** The numbers that stay and whose own entry changes; what comes and goes with a number is told there. */
function changedNumbers(before: Snapshot, after: Snapshot): string[] {
  const [old, next] = [entriesOf(before), entriesOf(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .filter((number) => isIn(number, before) && isIn(number, after) && !same(old[number], next[number]))
    .sort();
}

const areHidden = (before: Snapshot, after: Snapshot): boolean =>
  isHidden(after.values.overrides) && !same(before.values.overrides, after.values.overrides);

export const overridesChange = (before: Snapshot, after: Snapshot): boolean =>
  areHidden(before, after) || changedNumbers(before, after).length > 0;

/** `+493012345670: outboundAgentId agent_front → agent_berlin`: from what the number has to what it gets. */
export function overrideNotes(before: Snapshot, after: Snapshot): Text[] {
  if (areHidden(before, after)) {
    return [
      [`What differs for single numbers is ${isMasked(after.values.overrides) ? "masked" : "known only after apply"}.`],
    ];
  }
  return lines(changedNumbers(before, after), after, (number) => rowsOf(number, before, after));
}

/** What some of a group's numbers get in place of what the others do. */
export function ownNotes(after: Snapshot): Text[] {
  if (isHidden(after.values.overrides)) {
    return overrideNotes({ ...after, values: {} }, after);
  }
  const entries = entriesOf(after);
  const numbers = Object.keys(entries).filter((number) => isIn(number, after));
  const { overrides: _, ...common } = after.values;
  return lines(numbers.sort(), after, (number) => rowsOf(number, { ...after, values: common }, after));
}

/** What a number gets, as the provider decides it; undefined where its own entry is hidden. */
function routingOf(number: string, snapshot: Snapshot): Properties | undefined {
  const entries = entriesOf(snapshot);
  const isOwn = Object.hasOwn(entries, number);
  if (isOwn && !isMap(entries[number])) {
    return undefined;
  }
  const inputs = isOwn
    ? { ...snapshot.values, overrides: { [number]: entries[number] } }
    : { ...snapshot.values, overrides: {} };
  return routingFor(number, inputs as unknown as GroupInputs) as Properties;
}

function rowsOf(number: string, before: Snapshot, after: Snapshot): Text {
  const [from, to] = [routingOf(number, before), routingOf(number, after)];
  if (to === undefined) {
    return shown(entriesOf(after)[number]);
  }
  if (from === undefined) {
    return say`${shown(entriesOf(before)[number])} until now`;
  }
  const fields = OVERRIDE_FIELDS.filter((field) => !same(from[field], to[field]));
  if (fields.length === 0) {
    return ["as before"];
  }
  return joined(
    fields.map((field) => say`${id(field)} ${shown(from[field])} → ${shown(to[field])}`),
    ", ",
  );
}

function lines(numbers: readonly string[], after: Snapshot, rows: (number: string) => Text): Text[] {
  const labels = labelsOf(after);
  const all = numbers.slice(0, MOST).map((number) => say`${numberText(number, labels.get(number))}: ${rows(number)}`);
  const more = numbers.length - all.length;
  return more > 0 ? [...all, say`… and ${more} more numbers with differences of their own.`] : all;
}
