/**
 * How fast requests may be sent after a 429. The interface does not specify the limit (8), so the client learns it: the rate is what was
 * accepted within the second before the 429. The client sends a little less, and raises the rate slowly. Pure: the limiter owns the times.
 */

/** What a 429 tells of the limit. */
export interface Limit {
  /** How many requests were sent in the second before it, and accepted. */
  readonly accepted: number;
  /** Requests per second at that time; Infinity before the first 429. */
  readonly rateBefore: number;
  /** For how many milliseconds requests had been sent since the 429 before this one. */
  readonly ranForMs: number;
  /** Is it a rate that was measured? If not (it was a short burst), it is raised quickly. */
  readonly isMeasured: boolean;
}

export const SECOND_MS = 1000;
const HEADROOM = 0.95;
/** A rate that is refused within its first second is too fast, and there is nothing to count yet. */
const DECREASE = 0.7;
const SLOWEST = 1 / 30;
/** A measured rate is raised by 5 % within half a minute and doubled within 80 s, a burst's by half every second. */
const DOUBLING_SECONDS = 80;
const GROWTH_PER_SECOND = 1.5;
/** Fewer than two accepted requests for each slot are a burst, not a rate. */
const ROUNDS = 2;

export const isMeasured = ({ accepted, rateBefore }: Pick<Limit, "accepted" | "rateBefore">, slots: number): boolean =>
  Number.isFinite(rateBefore) || accepted >= ROUNDS * slots;

/** Requests per second, so many milliseconds after sending has begun again. */
export function rateAfter(limit: Limit, ms: number): number {
  const seconds = Math.max(0, ms) / SECOND_MS;
  return limit.isMeasured
    ? firstRate(limit) * (1 + (seconds / DOUBLING_SECONDS) ** 3)
    : firstRate(limit) * GROWTH_PER_SECOND ** Math.min(seconds, 60);
}

function firstRate({ accepted, rateBefore, ranForMs }: Limit): number {
  const wasPaced = Number.isFinite(rateBefore);
  if (wasPaced && ranForMs < SECOND_MS) {
    return Math.max(SLOWEST, DECREASE * rateBefore);
  }
  if (accepted > 1) {
    return HEADROOM * Math.min(accepted, rateBefore);
  }
  // Below one a second there is nothing to count: halve.
  return Math.max(SLOWEST, wasPaced ? rateBefore / 2 : 1);
}
