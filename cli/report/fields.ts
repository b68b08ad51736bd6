import {
  BINDINGS,
  FIELDS,
  isObject,
  isVersion,
  type NumbersInputs,
  OVERRIDE_FIELDS,
  routingFor,
  SCOPE,
  same,
  versionFieldOf,
} from "../../provider/review";
import { capped } from "../lists";
import { isHidden, isMasked, overrideIn, type Properties, splitIn } from "../pulumi/values";
import { numberText } from "./card";
import type { Sides, Snapshot } from "./snapshot";
import { splitText } from "./splits";
import { counted, id, joined, plain, say, shown, someIds, type Text } from "./text";

/** The fields beside the split: which of them change, are sent again, or are not declared. */

interface Row {
  readonly name: string;
  readonly isSent: boolean;
  readonly isFlag: boolean;
  readonly keys: readonly string[];
}

/** The fields of a request, each with its version. */
const SENT = [...BINDINGS, ...SCOPE, "extraFields" as const]
  .filter((field) => FIELDS[field].value !== "split" && !isVersion(field))
  .map((field) => ({
    name: FIELDS[field].label,
    isSent: true,
    isFlag: FIELDS[field].value === "flag",
    keys: [field, versionFieldOf(field)].filter((key) => key !== undefined),
  }));

const RECORDED = [
  { name: "guard weightTotal", keys: ["weightTotal"] },
  { name: "guard maxShift", keys: ["maxShift"] },
  { name: "maxFailures", keys: ["maxFailures"] },
  { name: "when deleted", keys: ["onDelete"] },
];

/** A field that is not sent is only recorded. */
const ROWS: readonly Row[] = [...SENT, ...RECORDED.map((row) => ({ ...row, isSent: false, isFlag: false }))];

type FieldChange = ReturnType<typeof fieldChanges>[number];

export function fieldChanges({ before, after }: Sides) {
  const changed = ROWS.filter(({ keys }) => keys.some((key) => !same(before.values[key], after.values[key])));
  return changed.map((field) => {
    const [old, next] = [fieldText(before, field), fieldText(after, field)];
    const isSeen = plain(old) !== plain(next);
    const row = { field: field.name, isSent: field.isSent, before: old };
    return { ...row, after: isSeen ? next : say`${next} (differs in a hidden part)` };
  });
}

/** The fields that a program declares beside the split. */
export const declaredFields = (snapshot: Snapshot) =>
  ROWS.filter(({ keys: [key = ""] }) => isDeclared(snapshot, key)).map((field) => ({
    field: field.name,
    isSent: field.isSent,
    before: [],
    after: fieldText(snapshot, field),
  }));

const isDeclared = ({ values }: Snapshot, key: string): boolean => (values[key] ?? undefined) !== undefined;

function fieldText({ values: all }: Snapshot, { keys: [key = "", version = ""], name, isFlag }: Row): Text {
  const value = all[key];
  if (isFlag && typeof value === "boolean") {
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
  if (isHidden(value)) {
    return shown(value);
  }
  const split = splitIn(isObject(value) ? value.inboundAgents : undefined);
  return say`switches to ${split === undefined ? say`another routing (${shown(value)})` : splitText(split)}`;
}

/** The fields that do not change. Each PUT sends them again, so it overwrites changes made in the web application. */
export function sentAgain(snapshots: readonly Snapshot[], changed: readonly FieldChange[]): Text | false {
  const names = ROWS.flatMap(({ name, keys: [key = ""] }) => {
    if (!BINDINGS.some((binding) => binding === key) || changed.some(({ field }) => field === name)) {
      return [];
    }
    if (snapshots.some((snapshot) => isDeclared(snapshot, key))) {
      return [name];
    }
    const own = snapshots.flatMap((snapshot) => withOwn(snapshot, [key])).length;
    return own === 0 ? [] : [`${name} of ${counted(own, "number")}`];
  });
  const they = names.length === 1 ? "it is" : "they are";
  return names.length > 0 && [`Unchanged: ${names.join(", ")}; ${they} sent again with each PUT.`];
}

/** The fields that the program does not declare. A number may have them today. */
export function undeclared(snapshot: Snapshot): Text | false {
  const all = snapshot.members.size;
  const names = BINDINGS.flatMap((field) => {
    const own = withOwn(snapshot, [field]).length;
    if (isVersion(field) || isDeclared(snapshot, field) || (own > 0 && own === all)) {
      return [];
    }
    return [own === 0 ? field : `${field} (except for ${counted(own, "number")})`];
  });
  return (
    names.length > 0 && [
      `Not declared: ${names.join(", ")}. The API does not specify whether a PUT keeps or clears them.`,
    ]
  );
}

// --- what differs for single numbers of a group

const MOST = 10;

const entriesOf = ({ values: { overrides } }: Snapshot): Properties => (isObject(overrides) ? overrides : {});

const isIn = (number: string, snapshot: Snapshot): boolean => !snapshot.areNumbersKnown || snapshot.members.has(number);

/** The numbers that stay in the group and whose override changes. */
function changedNumbers({ before, after }: Sides): string[] {
  const [old, next] = [entriesOf(before), entriesOf(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .filter((number) => isIn(number, before) && isIn(number, after) && !same(old[number], next[number]))
    .sort();
}

const areHidden = ({ before, after }: Sides): boolean =>
  isHidden(after.values.overrides) && !same(before.values.overrides, after.values.overrides);

export const overridesChange = (sides: Sides): boolean => areHidden(sides) || changedNumbers(sides).length > 0;

/** `+493012345670: outboundAgentId agent_front → agent_berlin`: from what the number has to what it gets. */
export function overrideNotes(sides: Sides): readonly Text[] {
  const how = isMasked(sides.after.values.overrides) ? "masked" : "known only after apply";
  return areHidden(sides)
    ? [[`What differs for single numbers is ${how}.`]]
    : differencesOf(changedNumbers(sides), sides);
}

/** The numbers whose override sets one of these arguments. */
function withOwn(snapshot: Snapshot, keys: readonly string[]): string[] {
  const sets = (entry: unknown) => isObject(entry) && keys.some((key) => (entry[key] ?? undefined) !== undefined);
  const entries = Object.entries(entriesOf(snapshot)).filter(([, entry]) => sets(entry));
  return entries.flatMap(([number]) => (isIn(number, snapshot) ? [number] : [])).sort();
}

/**
 * What a change of the group's fields means for numbers with an override. Some keep their own value. If an override sets only the agent
 * or only its version, the number gets the other one from the group, so its value changes.
 */
export function keptNotes(sides: Sides, changed: readonly FieldChange[]): readonly Text[] {
  const { before, after } = sides;
  const isOwn = ({ name, keys }: Row) =>
    keys.some((key) => OVERRIDE_FIELDS.some((one) => one === key)) && changed.some(({ field }) => field === name);
  const told = new Set(changedNumbers(sides));
  return ROWS.filter(isOwn).flatMap(({ name, keys }): readonly Text[] => {
    if (isHidden(after.values.overrides)) {
      return [[`What differs for single numbers is hidden: those with their own ${name} keep it.`]];
    }
    const stayers = withOwn(after, keys).filter((number) => isIn(number, before) && !told.has(number));
    const keeps = (number: string) => {
      const [from, to] = [routingOfNumber(number, before), routingOfNumber(number, after)];
      return keys.every((key) => same(from?.[key], to?.[key]));
    };
    const keep = stayers.filter(keeps);
    const rest = isDeclared(after, keys[0] ?? "") ? "" : " The others have none afterwards.";
    const kept = say`${counted(keep.length, "number")} ${keep.length === 1 ? "keeps its" : "keep their"} own ${name}: ${someIds(keep)}.${rest}`;
    const follow = stayers.filter((number) => !keeps(number));
    return [...(keep.length === 0 ? [] : [kept]), ...differencesOf(follow, sides)];
  });
}

/** What the numbers with overrides get in place of the group's routing. */
export function ownNotes(after: Snapshot): readonly Text[] {
  const { overrides: _, ...values } = after.values;
  return overrideNotes({ before: { ...after, values }, after });
}

/** The routing of one number, by the core's rule; undefined if its override is hidden. */
function routingOfNumber(number: string, { values }: Snapshot): Properties | undefined {
  const own = overrideIn(values.overrides, number);
  if (own !== undefined && !isObject(own)) {
    return undefined;
  }
  const inputs = { ...values, overrides: own === undefined ? {} : { [number]: own } };
  return routingFor(number, inputs as unknown as NumbersInputs) as Properties;
}

function differencesOf(numbers: readonly string[], sides: Sides): readonly Text[] {
  const note = (number: string) =>
    say`${numberText(number, sides.after.members.get(number))}: ${differences(number, sides)}`;
  return capped(
    numbers.map(note),
    MOST,
    (more) => say`… and ${counted(more, "more number")} with differences of their own.`,
  );
}

function differences(number: string, { before, after }: Sides): Text {
  const [from, to] = [routingOfNumber(number, before), routingOfNumber(number, after)];
  if (to === undefined) {
    return shown(entriesOf(after)[number]);
  }
  if (from === undefined) {
    return say`${shown(entriesOf(before)[number])} until now`;
  }
  const fields = OVERRIDE_FIELDS.filter((field) => !same(from[field], to[field]));
  const texts = fields.map((field) => say`${id(field)} ${shown(from[field])} → ${shown(to[field])}`);
  return texts.length === 0 ? ["as before"] : joined(texts, ", ");
}
