import { hash } from "node:crypto";

/**
 * Returns a seeded generator of numbers in [0, 1): mulberry32, which is small and gives the same sequence on every
 * machine.
 */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Returns hexadecimal digits for a generated ID or token. The same seed and string always give the same digits, so a
 * test sees the same IDs in every run.
 */
export const hexFrom = (seed: number, text: string, length: number): string =>
  hash("sha256", `${seed} ${text}`).slice(0, length);

/** Returns a string in the form of a UUID that depends only on the seed and the given string. */
export function uuidFrom(seed: number, text: string): string {
  return hexFrom(seed, text, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
