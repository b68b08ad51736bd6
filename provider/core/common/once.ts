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
