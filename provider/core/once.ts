/** What is made of an object, made once for each: for each of 50,000 numbers the same state is looked into. */
export const onceForEach = <Key extends object, Made>(make: (key: Key) => Made): ((key: Key) => Made) =>
  onceIn(new WeakMap<Key, Made>(), make);

/** The same of a plain value, which is remembered as long as whoever asks is there. */
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
