/** Groups items by key, in the order of their first occurrence. */
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

/** Removes items whose key is repeated: keeps the last item with each key, at the position of the first one. */
export const uniqueBy = <T>(items: readonly T[], keyOf: (item: T) => string): T[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
];

/**
 * Returns the first `max` items. If there are more, adds one last item, which `overflow` makes from the number of items
 * left out.
 */
export const capped = <T>(items: readonly T[], max: number, overflow: (count: number) => T): readonly T[] =>
  items.length > max ? [...items.slice(0, max), overflow(items.length - max)] : items;

/** Removes `false` and `undefined`, so that a list can contain `condition && value`. */
export const present = <T>(items: readonly (T | false | undefined)[]): T[] =>
  items.filter((item): item is T => item !== false && item !== undefined);
