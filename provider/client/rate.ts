/**
 * How fast requests may be sent after a 429. The interface does not specify the limit (8), so the client learns it: the rate is what was
 * accepted within the second before the 429. The client sends a little less, and raises the rate slowly. Before the first 429 there is no
 * limit. Times are milliseconds of a clock that does not run backwards.
 */
export interface RateEstimate {
  /** Requests per second right after the last 429; undefined until there was one. */
  readonly base: number | undefined;
  /** Can `base` be trusted? If not (it was a short burst), it is raised quickly. */
  readonly isMeasured: boolean;
  /** When sending began again after the last 429. */
  readonly since: number;
  /** When the accepted requests of the last seconds were sent. */
  readonly accepted: readonly number[];
  /** The last 429 that told something. */
  readonly lastLimit: Limit | undefined;
}

interface Limit {
  readonly at: number;
  /** The second that was measured began here. */
  readonly windowStart: number;
  readonly acceptedCount: number;
  readonly rateBefore: number;
  /** How long sending had gone on since the 429 before this one. */
  readonly ranFor: number;
}

const WINDOW_MS = 1000;
const KEPT_MS = 4 * WINDOW_MS;
const HEADROOM = 0.95;
/** A rate that is refused within its first second is too fast, and there is nothing to count yet. */
const DECREASE = 0.7;
const SLOWEST = 1 / 30;
/** A measured rate is raised by 5 % within half a minute and doubled within 80 s, an unmeasured one by half every second. */
const DOUBLING_SECONDS = 80;
const GROWTH_PER_SECOND = 1.5;
/** Fewer than two accepted requests for each slot are a burst, not a rate. */
const ROUNDS = 2;

export const UNLIMITED: RateEstimate = {
  base: undefined,
  isMeasured: false,
  since: 0,
  accepted: [],
  lastLimit: undefined,
};

/** Requests per second at this moment; Infinity until a 429 came. */
export function rateAt(estimate: RateEstimate, now: number): number {
  if (estimate.base === undefined) {
    return Number.POSITIVE_INFINITY;
  }
  const seconds = Math.max(0, now - estimate.since) / 1000;
  return estimate.isMeasured
    ? estimate.base * (1 + (seconds / DOUBLING_SECONDS) ** 3)
    : estimate.base * GROWTH_PER_SECOND ** Math.min(seconds, 60);
}

function baseAfter({ acceptedCount, rateBefore, ranFor }: Limit): number {
  const wasPaced = Number.isFinite(rateBefore);
  if (wasPaced && ranFor < WINDOW_MS) {
    return Math.max(SLOWEST, DECREASE * rateBefore);
  }
  if (acceptedCount > 1) {
    return HEADROOM * Math.min(acceptedCount, rateBefore);
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

/** A response came, and it was no 429. */
export function afterAccepted(estimate: RateEstimate, sentAt: number): RateEstimate {
  const times = estimate.accepted.length === 0 ? [sentAt] : remembered(estimate.accepted, sentAt);
  const { lastLimit } = estimate;
  if (lastLimit === undefined || sentAt > lastLimit.at || sentAt < lastLimit.windowStart) {
    return { ...estimate, accepted: times };
  }
  // The request was sent before the 429, and its response came after it. So it counts among the accepted ones of the second before the 429.
  const counted = { ...lastLimit, acceptedCount: lastLimit.acceptedCount + 1 };
  return { ...estimate, accepted: times, lastLimit: counted, base: baseAfter(counted) };
}

/** Does this 429 tell nothing new? Its request was sent before the last 429, or nothing was accepted since then, so the pause was too short. */
function tellsNothing({ lastLimit, accepted: times }: RateEstimate, sentAt: number): boolean {
  return lastLimit !== undefined && (sentAt <= lastLimit.at || !times.some((time) => time > lastLimit.at));
}

/** The platform returned 429. `resumeAt` is when the pause that follows will end. */
export function afterLimit(
  estimate: RateEstimate,
  sentAt: number,
  now: number,
  resumeAt: number,
  concurrency: number,
): RateEstimate {
  if (tellsNothing(estimate, sentAt)) {
    return { ...estimate, since: Math.max(estimate.since, resumeAt) };
  }
  const windowStart = sentAt - WINDOW_MS;
  const count = estimate.accepted.filter((time) => time > windowStart).length;
  const lastLimit: Limit = {
    at: now,
    windowStart,
    acceptedCount: count,
    rateBefore: rateAt(estimate, sentAt),
    ranFor: sentAt - estimate.since,
  };
  const isMeasured = Number.isFinite(lastLimit.rateBefore) || count >= ROUNDS * concurrency;
  return { ...estimate, lastLimit, isMeasured, base: baseAfter(lastLimit), since: resumeAt };
}
