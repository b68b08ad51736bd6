/** Are two JSON values equal? The order of keys does not matter, and a key whose value is undefined counts as absent. */
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

/** The order of code units, which is the same on every machine; `localeCompare` is not. */
export function compare(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  return a < b ? -1 : 1;
}

/** A copy without the keys whose value is undefined: the engine's wire format knows no undefined. */
export function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T;
}

export const pick = <Of extends object, Name extends keyof Of>(values: Of, names: readonly Name[]): Pick<Of, Name> =>
  Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<Of, Name>;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Is it a plain object? Its tag decides and not its prototype, because it may come from another context of Node. */
export const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.prototype.toString.call(value) === "[object Object]";

/** The value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Computes a value once for each object: a run looks into the same state for each number of a group. */
export const onceForEach = <Key extends object, Made>(make: (key: Key) => Made): ((key: Key) => Made) =>
  onceIn(new WeakMap<Key, Made>(), make);

/** Computes a value once for each plain key. It is kept as long as the returned function. */
export const onceForValue = <Key extends string | number, Made>(make: (key: Key) => Made): ((key: Key) => Made) =>
  onceIn(new Map<Key, Made>(), make);

function onceIn<Key, Made>(
  known: Pick<Map<Key, Made>, "get"> & { set(key: Key, made: Made): unknown },
  make: (key: Key) => Made,
) {
  return (key: Key): Made => {
    const made = known.get(key) ?? make(key);
    known.set(key, made);
    return made;
  };
}
