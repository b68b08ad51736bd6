/** Groups of items with the same key, in the order of their first items. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, [item]);
    } else {
      group.push(item);
    }
  }
  return [...groups.values()];
}

/** Each key once, at its first position and with its last value. */
export const uniqueBy = <T>(items: readonly T[], keyOf: (item: T) => string): T[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
];

/** The first items, and one that says how many more there are. */
export const capped = <T>(items: readonly T[], max: number, overflow: (count: number) => T): readonly T[] =>
  items.length > max ? [...items.slice(0, max), overflow(items.length - max)] : items;

/** The items without `false` and `undefined`, so that a list may hold `condition && text`. */
export const present = <T>(items: readonly (T | false | undefined)[]): T[] =>
  items.filter((item): item is T => item !== false && item !== undefined);
