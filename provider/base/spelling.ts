/**
 * Returns the name that a mistyped or shortened word probably stands for: the closest name, if few letters are wrong,
 * or else a name that starts with the word.
 */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const maxDistance = Math.max(1, Math.floor(word.length / 3));
  const startingWithWord = names.find((name) => word.length >= 3 && name.startsWith(word));
  const [best] = names
    .map((name) => ({ name, distance: distanceOf(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance);
  return best?.name ?? startingWithWord;
}

/**
 * Returns true if two different names differ in at most two letters, ignoring case. Only useful for long names, because
 * many short names are this similar.
 */
export const isNear = (name: string, other: string): boolean =>
  name !== other && distanceOf(name.toLowerCase(), other.toLowerCase()) <= 2;

/**
 * Returns true if two names differ by one letter in one word. Numbers and short words don't count: `agent_sales_uk` is
 * not a typo of `agent_sales_us`.
 */
export function isTypo(name: string, other: string): boolean {
  const [parts = [], otherParts = []] = [name, other].map((text) => text.split(/([^A-Za-z]+)/));
  const [[part, meant] = ["", ""], ...more] = parts
    .map((text, index) => [text, otherParts[index] ?? ""] as const)
    .filter(([text, otherText]) => text !== otherText);
  const isOneWord = parts.length === otherParts.length && more.length === 0;
  return isOneWord && [part, meant].every((text) => /^[A-Za-z]{4,}$/.test(text)) && distanceOf(part, meant) === 1;
}

/** Returns the edit distance: how many letters to change, add, remove, or swap with their neighbor. */
function distanceOf(a: string, b: string): number {
  let [before, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      next[column] = Math.min(
        (last?.[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last?.[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before?.[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, next];
  }
  return last?.[b.length] ?? 0;
}
