/**
 * How fast may requests leave, after the platform has said 429? The limit is not in the interface (8), so it is learned:
 * what was accepted within the second before a 429 is the rate, a little less is sent from then on, and it is raised
 * slowly. Before the first 429 there is no pace at all. Times are milliseconds of any clock that does not run backwards.
 */
export interface Pace {
  /** Requests per second right after the last 429; undefined until there was one. */
  readonly base: number | undefined;
  /** Can `base` be trusted? If not (it was a short burst), it is raised quickly. */
  readonly isMeasured: boolean;
  /** When sending began again after the last 429. */
  readonly since: number;
  /** When the accepted requests of the last seconds were sent. */
  readonly accepted: readonly number[];
  /** The last 429 that told something. */
  readonly cut: Cut | undefined;
}

interface Cut {
  at: number;
  /** The second that was measured began here. */
  windowStart: number;
  accepted: number;
  rateBefore: number;
  /** How long sending had gone on since the 429 before this one. */
  ranFor: number;
}

const WINDOW_MS = 1000;
const KEPT_MS = 4 * WINDOW_MS;
const HEADROOM = 0.95;
/** A pace that is refused within its first second is too fast, and there is nothing to count yet. */
const DECREASE = 0.7;
const SLOWEST = 1 / 30;
/** A measured rate is raised by 5 % within half a minute and doubled within 80 s, an unmeasured one by half every second. */
const DOUBLING_SECONDS = 80;
const GROWTH_PER_SECOND = 1.5;
/** Fewer than two rounds of the requests in flight is a burst, not a rate. */
const ROUNDS = 2;

export const unlimited: Pace = { base: undefined, isMeasured: false, since: 0, accepted: [], cut: undefined };

/** Requests per second at this moment; Infinity until a 429 came. */
export function rateAt(pace: Pace, now: number): number {
  if (pace.base === undefined) {
    return Number.POSITIVE_INFINITY;
  }
  const seconds = Math.max(0, now - pace.since) / 1000;
  return pace.isMeasured
    ? pace.base * (1 + (seconds / DOUBLING_SECONDS) ** 3)
    : pace.base * GROWTH_PER_SECOND ** Math.min(seconds, 60);
}

function baseAfter({ accepted, rateBefore, ranFor }: Cut): number {
  const wasPaced = Number.isFinite(rateBefore);
  if (wasPaced && ranFor < WINDOW_MS) {
    return Math.max(SLOWEST, DECREASE * rateBefore);
  }
  if (accepted > 1) {
    return HEADROOM * Math.min(accepted, rateBefore);
  }
  // Below one a second there is nothing to count: halve.
  return Math.max(SLOWEST, wasPaced ? rateBefore / 2 : 1);
}

function remembered(times: readonly number[], sentAt: number): number[] {
  const oldest = times[0] ?? sentAt;
  const kept = oldest < sentAt - 2 * KEPT_MS ? times.filter((time) => time > sentAt - KEPT_MS) : (times as number[]);
  // Appended in place: a copy per request would cost more than the request.
  kept.push(sentAt);
  return kept;
}

/** The platform answered, and not with 429. */
export function accepted(pace: Pace, sentAt: number): Pace {
  const times = pace.accepted.length === 0 ? [sentAt] : remembered(pace.accepted, sentAt);
  const { cut } = pace;
  if (cut === undefined || sentAt > cut.at || sentAt < cut.windowStart) {
    return { ...pace, accepted: times };
  }
  // Sent before the 429 and answered after it: one more of the second that was measured.
  const counted = { ...cut, accepted: cut.accepted + 1 };
  return { ...pace, accepted: times, cut: counted, base: baseAfter(counted) };
}

/** Is this 429 one of a salvo that was dealt with (sent before the cut), or of a pause that was too short (nothing was accepted since)? */
function tellsNothing({ cut, accepted: times }: Pace, sentAt: number): boolean {
  return cut !== undefined && (sentAt <= cut.at || !times.some((time) => time > cut.at));
}

/** The platform answered 429. `resumeAt` is when the pause that follows will end. */
export function refused(pace: Pace, sentAt: number, now: number, resumeAt: number, concurrency: number): Pace {
  if (tellsNothing(pace, sentAt)) {
    return { ...pace, since: Math.max(pace.since, resumeAt) };
  }
  const windowStart = sentAt - WINDOW_MS;
  const count = pace.accepted.filter((time) => time > windowStart).length;
  const cut: Cut = {
    at: now,
    windowStart,
    accepted: count,
    rateBefore: rateAt(pace, sentAt),
    ranFor: sentAt - pace.since,
  };
  const isMeasured = Number.isFinite(cut.rateBefore) || count >= ROUNDS * concurrency;
  return { ...pace, cut, isMeasured, base: baseAfter(cut), since: resumeAt };
}
