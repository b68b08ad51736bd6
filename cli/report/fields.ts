import { BINDINGS, FIELDS, isObject, isVersion, SCOPE, same, versionFieldOf } from "../../provider/review";
import { isHidden, splitIn } from "../pulumi/values";
import type { Sides, Snapshot } from "./snapshot";
import { splitText } from "./splits";
import { id, plain, say, shown, type Text } from "./text";

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

const RECORDED = [{ name: "when deleted", keys: ["onDelete"] }];

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
    return snapshots.some((snapshot) => isDeclared(snapshot, key)) ? [name] : [];
  });
  const they = names.length === 1 ? "it is" : "they are";
  return names.length > 0 && [`Unchanged: ${names.join(", ")}; ${they} sent again with each PUT.`];
}

/** The fields that the program does not declare. A number may have them today. */
export function undeclared(snapshot: Snapshot): Text | false {
  const names = BINDINGS.filter((field) => !isVersion(field) && !isDeclared(snapshot, field));
  return (
    names.length > 0 && [
      `Not declared: ${names.join(", ")}. The API does not specify whether a PUT keeps or clears them.`,
    ]
  );
}
