/** What has the same key together, in the order of the first of each. */
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

/** The first of them, and what is said of how many more there are. */
export const capped = <T>(all: readonly T[], most: number, more: (count: number) => T): readonly T[] =>
  all.length > most ? [...all.slice(0, most), more(all.length - most)] : all;

/** What is there: a list says with `condition && text` what it may hold. */
export const present = <T>(all: readonly (T | false | undefined)[]): T[] =>
  all.filter((one): one is T => one !== false && one !== undefined);
