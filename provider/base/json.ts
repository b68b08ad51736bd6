/** Compares two JSON values. The order of keys doesn't matter, and an undefined value counts as a missing key. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) {
    return true;
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return false;
  }
  if (Array.isArray(a) !== Array.isArray(b)) {
    return false;
  }
  const left = Object.entries(a).filter(([, value]) => value !== undefined);
  const right = new Map(Object.entries(b).filter(([, value]) => value !== undefined));
  return left.length === right.size && left.every(([key, value]) => right.has(key) && same(value, right.get(key)));
}

/** Compares by code units, which gives the same order on every machine; `localeCompare` doesn't. */
export function compare(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  return a < b ? -1 : 1;
}

/**
 * Returns a copy of an object without its undefined values, because the engine's wire format can't represent undefined.
 */
export function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T;
}

export const pick = <Of extends object, Name extends keyof Of>(values: Of, names: readonly Name[]): Pick<Of, Name> =>
  Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<Of, Name>;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns true for a plain object, even one from another Node context, whose prototype differs. */
export const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.prototype.toString.call(value) === "[object Object]";

/** Parses JSON. Returns undefined if the string isn't JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Memoizes a function by the identity of its argument. For example, a run parses a group's numbers only once, although
 * it looks up each of them.
 */
export const memoizeByObject = <Key extends object, Made>(make: (key: Key) => Made): ((key: Key) => Made) =>
  memoizeIn(new WeakMap<Key, Made>(), make);

/** Memoizes a function by its string or number argument. The cache lives as long as the returned function. */
export const memoizeByValue = <Key extends string | number, Made>(make: (key: Key) => Made): ((key: Key) => Made) =>
  memoizeIn(new Map<Key, Made>(), make);

function memoizeIn<Key, Made>(
  known: Pick<Map<Key, Made>, "get"> & { set(key: Key, made: Made): unknown },
  make: (key: Key) => Made,
) {
  return (key: Key): Made => {
    const made = known.get(key) ?? make(key);
    known.set(key, made);
    return made;
  };
}
