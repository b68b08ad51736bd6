import type { Place } from "./model";
import { counted, id, say, some, type Text } from "./text";

/** Where something happens, in words. */

export const totalOf = (places: readonly Place[]): number | undefined =>
  places.some(({ count }) => count === undefined)
    ? undefined
    : places.reduce((total, { count = 0 }) => total + count, 0);

/** `400 numbers (3 groups)`, `180 numbers (emea)`, `+15551234567 (support)`. */
export function onText(places: readonly Place[]): Text {
  const [only, ...more] = places;
  if (only === undefined) return ["nothing"];
  if (more.length === 0) return placeText(only);
  const total = totalOf(places);
  const groups = places.filter(({ number }) => number === undefined).length;
  const kinds = [
    ...(groups > 0 ? [counted(groups, "group")] : []),
    ...(groups > 0 && groups < places.length ? [`${places.length - groups} single`] : []),
  ];
  return say`${total === undefined ? "numbers, not all known yet," : counted(total, "number")}${kinds.length > 0 ? ` (${kinds.join(", ")})` : ""}${accountText(places)}`;
}

function accountText(places: readonly Place[]): Text {
  const accounts = [...new Set(places.map(({ account }) => account).filter((account) => account !== undefined))];
  return accounts.length === 0
    ? []
    : say` of account ${some(
        accounts.map((account) => [id(account)]),
        3,
      )}`;
}

export function placeText({ name, number, count, account, isMasked = false }: Place): Text {
  const of = account === undefined ? [] : say`, account ${id(account)}`;
  if (number !== undefined) return say`${number} (${id(name)}${of})`;
  return count === undefined
    ? say`group ${id(name)} (numbers ${isMasked ? "masked" : "known after apply"}${of})`
    : say`${counted(count, "number")} (${id(name)}${of})`;
}

/** One group may be named more than once, with some of its numbers each time. */
export function mergedPlaces(places: readonly Place[]): Place[] {
  const merged = new Map<string, Place>();
  for (const place of places) {
    const { name, account, number, count } = place;
    const key = JSON.stringify([name, account, number]);
    const known = merged.get(key);
    const isSum = number === undefined && known?.count !== undefined && count !== undefined;
    merged.set(key, isSum ? { ...place, count: (known.count ?? 0) + count } : (known ?? place));
  }
  return [...merged.values()];
}

/** `+442079460201 London sales`. */
export const numberText = (number: string, label = ""): Text =>
  label === "" ? [id(number)] : say`${id(number)} ${id(label)}`;
