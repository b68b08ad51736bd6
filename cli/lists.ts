/** Groups of items with the same key, in the order of their first items. */
export function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, [one]);
    } else {
      group.push(one);
    }
  }
  return [...groups.values()];
}

/** Each key once, at its first position and with its last value. */
export const uniqueBy = <T>(all: readonly T[], keyOf: (one: T) => string): T[] => [
  ...new Map(all.map((one) => [keyOf(one), one])).values(),
];

/** The first items, and one that says how many more there are. */
export const capped = <T>(all: readonly T[], most: number, more: (count: number) => T): readonly T[] =>
  all.length > most ? [...all.slice(0, most), more(all.length - most)] : all;

/** The items without `false` and `undefined`, so that a list may hold `condition && text`. */
export const present = <T>(all: readonly (T | false | undefined)[]): T[] =>
  all.filter((one): one is T => one !== false && one !== undefined);
