import { DURATION } from "../../provider/routing/rollout";
import { counted } from "../../provider/words/message";
import { present } from "../lists";

/** Formats and parses times and durations. */

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/**
 * Returns the duration in its largest unit and the next smaller one, such as `2 days 19 hours`. Leaves out the smaller
 * unit if its count is zero.
 */
export function durationText(milliseconds: number): string {
  const first = UNITS.findIndex(([, length]) => milliseconds >= length);
  if (first < 0) {
    return "0 seconds";
  }
  let left = milliseconds;
  const parts = UNITS.slice(first, first + 2).map(([unit, length]) => {
    const count = Math.floor(left / length);
    left -= count * length;
    return count > 0 && counted(count, unit);
  });
  return present(parts).join(" ");
}

/** Returns a time as text, such as `2026-11-20 14:02 UTC`. */
export const timeText = (time: Date): string => `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Returns the milliseconds in a duration such as 90s, 30m, 24h or 7d. Undefined for any other string. */
export function readDuration(text: string): number | undefined {
  const [, count, letter = ""] = DURATION.exec(text) ?? [];
  const [, length] = UNITS.find(([unit]) => unit.startsWith(letter)) ?? UNITS[0];
  return count === undefined ? undefined : Number(count) * length;
}

/**
 * Parses a time, such as the output `since`. Returns an empty list for any other value, so that callers can use
 * `flatMap`.
 */
export function timeOf(value: unknown): Date[] {
  const time = new Date(typeof value === "string" ? value : Number.NaN);
  return Number.isNaN(time.getTime()) ? [] : [time];
}
