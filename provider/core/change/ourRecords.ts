import { only, texts } from "../common/lists";
import type { NumberRecord } from "../platform/operations";

/** The record of our number, which the interface does not specify (2.2): see `ourRecords`. */
export const ourRecord = (number: string, records: readonly NumberRecord[]): NumberRecord | undefined =>
  ourRecords(number, records)[0];

/**
 * The records with exactly our number: all of them must show what was asked. Without such a record, the only one with our base number, or
 * else the only one of all, unless it is of another number.
 */
export function ourRecords(number: string, records: readonly NumberRecord[]): readonly NumberRecord[] {
  const exact = records.filter((record) => record.number === number);
  if (exact.length > 0) {
    return exact;
  }
  const single = only(records.filter((record) => record.baseNumber === number)) ?? only(records);
  return single === undefined || isOfAnother(number, single) ? [] : [single];
}

/** A platform may write our number in another way, and the record of an extension may name the full number that the extension belongs to. */
function isOfAnother(number: string, { number: shown, baseNumber }: NumberRecord): boolean {
  const isFull = number.startsWith("+");
  const names = texts(isFull ? [shown, baseNumber] : [shown]).filter((name) => isFull || !name.startsWith("+"));
  // Signs between the digits, and the country code in front of them, are a matter of spelling.
  const signs = isFull ? /\D/g : /[^\p{L}\p{N}]/gu;
  const bare = (text: string) => text.toLowerCase().replace(signs, "").replace(/^0+/, "");
  const spellings = [number, number.split("#")[0] ?? number].map(bare);
  const isSame = (name: string) => spellings.some((one) => one.endsWith(name) || name.endsWith(one));
  return names.length > 0 && !names.map(bare).some(isSame);
}
