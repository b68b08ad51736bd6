/**
 * When the next request may be sent. The interface does not specify the limit (8), so the client measures it: after a 429, requests are as far
 * apart as they were accepted on average, from the end of one pause to the end of the next. From then on they come closer together.
 * Cost: a limit that begins anew each second is used by three quarters, because the pause is longer than what is left of its second.
 */
export interface Pace {
  /** Nothing may be sent before. */
  readyAt(): number;
  pausedUntil(): number;
  sent(now: number): void;
  accepted(sentAt: number): void;
  /** @param sentAt when the request was sent that got the 429 */
  pause(sentAt: number, until: number): void;
}

/** From the end of a pause, or from the first request, to the end of the next pause. */
interface Period {
  readonly startedAt: number;
  accepted: number;
  /** How long requests were sent before a 429 came; undefined if none has come. */
  ranForMs: number | undefined;
}

const LONG_AGO = Number.NEGATIVE_INFINITY;
/** If nothing was to be sent for so long, the time before it does not count. */
const IDLE_MS = 1000;
/** How far sending may fall behind its own schedule and still catch up: timers are late by a millisecond or two. */
const CATCH_UP_MS = 50;
/** No more of a pause counts: a platform that was away for a minute may still take many requests a second. */
const LONGEST_COUNTED_MS = 5000;
/** The pace doubles after four times as long as requests were sent before the 429, because what was seen for a short time tells little. */
const TIMES_AS_LONG = 4;
const SHORTEST_DOUBLING_MS = 1000;
const LONGEST_DOUBLING_MS = 60_000;

export function createPace(): Pace {
  let period: Period = { startedAt: LONG_AGO, accepted: 0, ranForMs: undefined };
  let pausedUntil = LONG_AGO;
  let nextAt = LONG_AGO;
  let spacingMs = 0;
  let doublingMs = SHORTEST_DOUBLING_MS;

  function begin(startedAt: number): void {
    period = { startedAt, accepted: 0, ranForMs: undefined };
  }

  const spacingAt = (time: number): number => spacingMs / (1 + (Math.max(0, time - pausedUntil) / doublingMs) ** 2);

  return {
    readyAt: () => nextAt,
    pausedUntil: () => pausedUntil,
    sent(now) {
      if (now - nextAt > IDLE_MS) {
        begin(now);
      }
      nextAt = Math.max(nextAt, now - CATCH_UP_MS) + spacingAt(now);
    },
    accepted(sentAt) {
      // A pause after which nothing is accepted was too short: the next one is of the same period.
      if (period.ranForMs !== undefined && sentAt >= pausedUntil) {
        begin(pausedUntil);
      }
      period.accepted += 1;
    },
    pause(sentAt, until) {
      const { startedAt, accepted } = period;
      const ranForMs = period.ranForMs ?? Math.max(0, sentAt - startedAt);
      period.ranForMs = ranForMs;
      pausedUntil = Math.max(pausedUntil, until);
      nextAt = Math.max(nextAt, pausedUntil);
      spacingMs = Math.min(pausedUntil - startedAt, ranForMs + LONGEST_COUNTED_MS) / Math.max(1, accepted);
      doublingMs = Math.min(LONGEST_DOUBLING_MS, Math.max(SHORTEST_DOUBLING_MS, TIMES_AS_LONG * ranForMs));
    },
  };
}
